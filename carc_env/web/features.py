"""Facts about a feature: its extent, who leads, its points, and which tiles fit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from carc_env.engine import entry
from carc_env.engine.core.board import STEP
from carc_env.engine.core.codes import SIDE_SPOTS, Figure, Kind, Spot
from carc_env.engine.core.figures import STRENGTH
from carc_env.engine.core.state import BOARD, CENTRE_LINE, NO_FIGURE, NO_SEGMENT, NO_TILE
from carc_env.engine.core.tiles import (
    CITIES_TOUCHED,
    DESIGN,
    N_SEGMENTS,
    SIDE_SEGMENT,
    SPOT_SEGMENT,
)
from carc_env.game.game import Game
from carc_env.position import Cell, Position
from carc_env.render.sites import stand_on_board
from carc_env.systems.places import cell_of, coordinates_of, place_of, segments_of
from carc_env.systems.worth import Feature
from carc_env.web.worth import SUMS, feature_of, valued

GROUNDS = (Kind.ROAD, Kind.CITY, Kind.FIELD)
"""Kinds of features that cover ground."""


def unseen(position: Position) -> Counter[str]:
    """Return the tiles that nobody has seen: in the bag, under hills, or face down in a bazaar."""
    hidden = Counter((*(position.bag or ()), *position.hidden))
    if position.bazaar is not None and position.bazaar.waits:
        hidden.update(lot.tile for lot in position.bazaar.offer)
    return hidden


def about_feature(game: Game, tile: int, segment: int) -> dict[str, Any]:
    """Return the facts about the feature that contains a tile's segment.

    Parameters
    ----------
    game : Game
        The game.
    tile : int
        Number of the tile in placement order.
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
    extent = extent_of(s, feature)
    one = feature_of(game, feature)
    hidden = unseen(game.position())
    return {
        "kind": one.kind.name,
        "extent": extent,
        "strengths": _strengths(one),
        "leaders": [*one.leaders],
        **_worth(one),
        "cities": _cities(game, feature, one) if one.kind == Kind.FIELD else [],
        "open": [
            {"cell": list(coordinates_of(cell)), "fits": _n_fitting(game, hidden, cell)}
            for cell in _open_cells(s, feature, extent)
        ],
    }


def areas(game: Game, places: Iterable[tuple[int, int, str]] | None = None) -> list[dict[str, Any]]:
    """Return the extents and leaders of the features at some places.

    Default: all roads, cities and fields with figures. Without leaders, all seats with figures are
    returned, such as the owners of barns.

    Raises
    ------
    ValueError
        There is no such place.
    """
    s = game.states[0]
    if places is None:
        placed = s.figures["segment"][s.figures["next"] != NO_FIGURE]
        numbers = sorted({int(s.segments[segment].feature) for segment in placed})
        numbers = [k for k in numbers if Kind(int(s.features[k].kind)) in GROUNDS]
    else:
        numbers = [_feature_at(s, *place) for place in places]
    found = [(number, feature_of(game, number)) for number in numbers]
    return [
        {
            "extent": extent_of(s, number),
            "leaders": [*one.leaders] or sorted({seat for seat, _ in one.figures}),
        }
        for number, one in found
    ]


def _feature_at(s: Any, x: int, y: int, spot: str) -> int:
    """Return the number of the feature at a place."""
    tile = int(s.board[cell_of(x, y)]) - 1 if max(abs(x), abs(y)) < CENTRE_LINE else NO_TILE
    if tile < 0 or spot not in Spot.__members__:
        raise ValueError(f"there is no place {x},{y} {spot}")
    placed = s.tiles[tile]
    segment = int(SPOT_SEGMENT[placed.design, placed.rotation, Spot[spot]])
    if segment == NO_SEGMENT:
        raise ValueError(f"there is no place {x},{y} {spot}")
    return int(s.segments[int(placed.first_segment) + segment].feature)


def _cities(game: Game, field: int, one: Feature) -> list[dict[str, Any]]:
    """Return everything at its borders that a field scores, each with a place and points."""
    s, position = game.states[0], game.position()
    each = {term["of"]: term["each"] for term in valued(one).terms}
    found: dict[int, dict[str, Any]] = {}
    for segment in segments_of(s, field):
        placed = s.tiles[int(s.segments[segment].tile)]
        touched = int(CITIES_TOUCHED[placed.design, segment - int(placed.first_segment)])
        for j in range(touched.bit_length()):
            city = int(placed.first_segment) + j
            feature = s.features[number := int(s.segments[city].feature)]
            if not touched >> j & 1 or number in found:
                continue
            kind = Kind(int(feature.kind))
            if kind != Kind.CITY or int(feature.n_open) == 0:
                x, y = stand_on_board(position, *_where(s, city))
                points = each.get("cities" if kind == Kind.CITY else f"{kind.name.lower()}s", 0)
                found[number] = {"x": round(x, 1), "y": round(y, 1), "points": points}
    return [*found.values()]


def _where(s: Any, segment: int) -> tuple[Cell, Spot]:
    tile, spot = place_of(s, segment)
    return coordinates_of(int(s.tiles[tile].cell)), spot


def extent_of(s: Any, feature: int) -> list[list[int]]:
    """Return the tile and segment numbers of a feature's segments."""
    found = segments_of(s, feature)
    tiles = s.segments["tile"][found]
    places = np.array(found) - s.tiles["first_segment"][tiles]
    return [*map(list, zip(tiles.tolist(), places.tolist(), strict=True))]


def _strengths(feature: Feature) -> list[int]:
    """Return every seat's strength on a feature (BASE-16); mayors count coats of arms (MAY-05)."""
    strengths = [0] * feature.rules.n_players
    for seat, figure in feature.figures:
        if figure == Figure.MAYOR:
            strengths[seat] += int(feature.record.shields) * (feature.kind == Kind.CITY)
        else:
            strengths[seat] += int(STRENGTH[figure])
    return strengths


def _worth(feature: Feature) -> dict[str, Any]:
    """Return a feature's points, now and once completed with its current tiles, and their terms.

    If some of a field's leaders have pigs, the points are those for these leaders.
    """
    kind = feature.kind
    if kind not in SUMS:
        return {"now": 0}
    valued_now = valued(feature)
    now = {"now": valued_now.total, "terms": valued_now.terms}
    if kind == Kind.LINES:
        return now
    if kind == Kind.FIELD:
        return now | {term["of"]: term["n"] for term in valued_now.terms}
    full = valued(replace(feature, is_complete=True))
    told = {"complete": feature.is_complete, "tiles": valued_now.terms[0]["n"]}
    if kind in (Kind.MONASTERY, Kind.GARDEN):
        told |= {term["of"]: term["n"] for term in full.terms[1:]}
    else:
        told |= {"bonus": int(feature.record.bonus)}
    if kind == Kind.CITY:
        told |= {"shields": int(feature.record.shields)}
    return told | now | {"full": full.total, "fullTerms": full.terms}


def _open_cells(s: Any, feature: int, extent: list[list[int]]) -> list[int]:
    """Return empty cells that a road or city leads into, or that a monastery needs."""
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
    """Return how many unseen tiles fit a cell; None if it has no neighbours yet."""
    if int(game.states[0].board[cell]) == 0:
        return None
    return sum(
        n
        for tile, n in hidden.items()
        if any(entry.can_place(game.states, 0, DESIGN[tile], r, cell) for r in range(4))
    )
