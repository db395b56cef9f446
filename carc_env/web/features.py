"""Facts about a feature: its extent, who leads, its points, and which tiles fit."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np

from carc_env.engine import entry
from carc_env.engine.core.board import STEP
from carc_env.engine.core.codes import SIDE_SPOTS, Figure, Kind
from carc_env.engine.core.figures import STRENGTH
from carc_env.engine.core.state import BOARD
from carc_env.engine.core.tiles import DESIGN, N_SEGMENTS, SIDE_SEGMENT
from carc_env.game.game import Game
from carc_env.position import Position
from carc_env.systems.places import coordinates_of, segments_of
from carc_env.systems.worth import Feature
from carc_env.web.worth import SUMS, feature_of, valued


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
    extent = _extent(s, feature)
    one = feature_of(game, feature)
    hidden = unseen(game.position())
    return {
        "kind": one.kind.name,
        "extent": extent,
        "strengths": _strengths(one),
        "leaders": [*one.leaders],
        **_worth(one),
        "open": [
            {"cell": list(coordinates_of(cell)), "fits": _n_fitting(game, hidden, cell)}
            for cell in _open_cells(s, feature, extent)
        ],
    }


def _extent(s: Any, feature: int) -> list[list[int]]:
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
