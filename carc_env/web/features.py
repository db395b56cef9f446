"""What there is to know about a feature: its extent, who leads, what it is worth, what fits."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from carc_env.engine import entry
from carc_env.engine.core.board import STEP
from carc_env.engine.core.codes import N_MEEPLES, SIDE_SPOTS, Figure, Kind
from carc_env.engine.core.figures import STRENGTH
from carc_env.engine.core.state import BOARD, FIGURE_SLOTS, NO_FIGURE, SLOTS_PER_SEAT
from carc_env.engine.core.tiles import DESIGN, N_SEGMENTS, SIDE_SEGMENT
from carc_env.game.game import Game
from carc_env.position import Position
from carc_env.systems.places import coordinates_of, segments_of
from carc_env.web.worth import (
    Term,
    city_terms,
    field_terms,
    lines_terms,
    points_per_city,
    road_terms,
    surrounded_terms,
    total,
    with_sets,
)


def unseen(position: Position) -> Counter[str]:
    """The tiles that nobody has seen: in the bag, under hills, face down in a bazaar that waits."""
    hidden = Counter((*(position.bag or ()), *position.hidden))
    if position.bazaar is not None and position.bazaar.waits:
        hidden.update(lot.tile for lot in position.bazaar.offer)
    return hidden


def about_feature(game: Game, tile: int, segment: int) -> dict[str, Any]:
    """What there is to know about the feature of a segment of a tile.

    Parameters
    ----------
    game : Game
        How it stands.
    tile : int
        Number of the tile in the order of placement.
    segment : int
        Number of the segment on its tile.

    Raises
    ------
    ValueError
        There is no such tile or segment.
    """
    s = game.states[0]
    if tile >= int(s.n_tiles):
        raise ValueError(f"there is no tile number {tile}")
    placed = s.tiles[tile]
    if segment >= int(N_SEGMENTS[placed.design]):
        raise ValueError(f"tile {tile} has no segment {segment}")
    feature = int(s.segments[int(placed.first_segment) + segment].feature)
    extent = _extent(s, feature)
    strengths = _strengths(game, feature)
    bits, hidden = int(entry.leading(game.states, 0, feature)), unseen(game.position())
    leaders = [seat for seat in range(game.rules.n_players) if bits >> seat & 1]
    return {
        "kind": Kind(int(s.features[feature].kind)).name,
        "extent": extent,
        "strengths": strengths,
        "leaders": leaders,
        **_worth(game, feature, leaders),
        "open": [
            {"cell": list(coordinates_of(cell)), "fits": _n_fitting(game, hidden, cell)}
            for cell in _open_cells(s, feature, extent)
        ],
    }


def _extent(s: Any, feature: int) -> list[list[int]]:
    """Tile and segment number of every segment of a feature."""
    found = segments_of(s, feature)
    tiles = s.segments["tile"][found]
    places = np.array(found) - s.tiles["first_segment"][tiles]
    return [*map(list, zip(tiles.tolist(), places.tolist(), strict=True))]


def figures_on(game: Game, feature: int) -> list[tuple[int, Figure]]:
    """Seat and kind of the figures in the ring of a feature: no shepherds, and no lords aside."""
    s = game.states[0]
    of_segment = s.segments["feature"]
    found = []
    for slot in np.flatnonzero(s.figures["next"] != NO_FIGURE).tolist():
        if int(of_segment[int(s.figures[slot].segment)]) == feature:
            seat, kind = divmod(slot, SLOTS_PER_SEAT)
            found.append((seat, FIGURE_SLOTS[kind]))
    return found


def _strengths(game: Game, feature: int) -> list[int]:
    """What the figures of every seat count on a feature (BASE-16); mayors its arms (MAY-05)."""
    s = game.states[0]
    strengths = [0] * game.rules.n_players
    is_city = int(s.features[feature].kind) == Kind.CITY
    for seat, figure in figures_on(game, feature):
        if figure == Figure.MAYOR:
            strengths[seat] += int(s.features[feature].shields) if is_city else 0
        else:
            strengths[seat] += int(STRENGTH[figure])
    return strengths


def _worth(game: Game, feature: int, leaders: list[int]) -> dict[str, Any]:
    """What a feature is worth now and, with the tiles that it has, complete, and how that adds up.

    To leaders of a field of whom some have pigs it is what it is worth to these.
    """
    record = game.states[0].features[feature]
    kind, is_complete = Kind(int(record.kind)), int(record.n_open) == 0
    shields, bonus = int(record.shields), int(record.bonus)
    if kind == Kind.FIELD:
        return {"cities": shields, "castles": bonus, **_now(_field_terms(game, feature, leaders))}
    if kind == Kind.CASTLE:
        return {"now": 0}
    if kind == Kind.LINES:
        return _now(lines_terms(game, feature))
    told: dict[str, Any] = {"complete": is_complete}
    if kind == Kind.CITY:
        both = (city_terms(game, feature, done) for done in (is_complete, True))
        now, full = (with_sets(game, feature, terms, 0) for terms in both)
        told |= {"tiles": int(record.n_tiles), "shields": shields, "bonus": bonus}
    elif kind == Kind.ROAD:
        n_thieves = sum(figure < N_MEEPLES for _, figure in figures_on(game, feature))
        now, full = (
            with_sets(game, feature, road_terms(record, done), n_thieves * done)
            for done in (is_complete, True)
        )
        told |= {"tiles": int(record.n_tiles), "bonus": bonus}
    else:
        now, full = (surrounded_terms(game, feature, done) for done in (is_complete, True))
        told |= {"tiles": now[0]["n"]}
        told |= {term["of"]: term["n"] for term in full[1:]}
    return told | _now(now) | {"full": total(full), "fullTerms": full}


def _now(terms: list[Term]) -> dict[str, Any]:
    return {"now": total(terms), "terms": terms}


def _field_terms(game: Game, feature: int, leaders: list[int]) -> list[Term]:
    figures = figures_on(game, feature)
    pigs = {seat for seat, figure in figures if figure == Figure.PIG}
    is_barn = any(figure == Figure.BARN for _, figure in figures)
    has_pig = bool(pigs & set(leaders))
    each, by_pigs = points_per_city(game, feature, has_pig=has_pig, is_barn=is_barn)
    return field_terms(game, feature, each, by_pigs)


def _open_cells(s: Any, feature: int, extent: list[list[int]]) -> list[int]:
    """Empty cells that a road or city opens on, or that a monastery waits for."""
    kind = Kind(int(s.features[feature].kind))
    cells: dict[int, None] = {}
    for tile, segment in extent if kind != Kind.FIELD else ():
        placed = s.tiles[tile]
        cell = int(placed.cell)
        if kind in (Kind.MONASTERY, Kind.GARDEN):
            around = [cell + dy * BOARD + dx for dy in (-1, 0, 1) for dx in (-1, 0, 1)]
        else:
            at_sides = SIDE_SEGMENT[placed.design, placed.rotation].tolist()
            around = [cell + STEP[k] for k in SIDE_SPOTS if at_sides[k] == segment]
        cells |= dict.fromkeys(c for c in around if int(s.board[c]) <= 0)
    return [*cells]


def _n_fitting(game: Game, hidden: Counter[str], cell: int) -> int | None:
    """How many unseen tiles fit a cell; None where it lies alone and nothing is known yet."""
    if int(game.states[0].board[cell]) == 0:
        return None
    return sum(
        n
        for tile, n in hidden.items()
        if any(entry.can_place(game.states, 0, DESIGN[tile], r, cell) for r in range(4))
    )
