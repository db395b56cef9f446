"""Feature ownership: a tint in the colours of the players with the majority."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from carc_env.engine.core.codes import Figure, Kind
from carc_env.engine.core.figures import STRENGTH
from carc_env.engine.core.state import FIGURE_SLOTS, NO_FIGURE
from carc_env.engine.core.tiles import FORMS, segments_of
from carc_env.game.conversion import set_up
from carc_env.position import PlacedTile, Position
from carc_env.render import palette as p
from carc_env.render.bridge_art import DECKS
from carc_env.render.pieces import Piece
from carc_env.render.plan import Axis, form_of, plan_of, turned_axis
from carc_env.render.shapes import SIZE, distance_to_line
from carc_env.render.survey import (
    CELLS,
    CITY,
    ROAD,
    ROAD_HALF_WIDTH,
    STEP,
    field_masks,
    grid_spots,
    ground,
)

OPACITY = 0.5
STRIPE = 3
"""Number of ground rows per stripe, if several players share a feature."""

Mask = npt.NDArray[np.bool_]


def owner_pieces(position: Position) -> list[Piece]:
    """Return the tint for all cities, roads and fields with a majority; shared ones are striped."""
    s = set_up(position)[0]
    owners = _owners(s)
    pieces = []
    for number, tile in enumerate(position.tiles):
        first = int(s.tiles[number].first_segment)
        colored = np.full((CELLS, CELLS), -1)
        for j, mask in enumerate(_grounds(tile.tile, tile.rotation % 4, tile.bridge)):
            seats = owners.get(int(s.segments[first + j].feature), [])
            if mask is not None and seats:
                stripe = np.array(seats)[np.arange(CELLS) // STRIPE % len(seats)]
                colored[mask] = np.repeat(stripe[:, None], CELLS, axis=1)[mask]
        if (colored >= 0).any():
            pieces.append(_tint(tile, colored))
    return pieces


def _owners(s: Any) -> dict[int, list[int]]:
    """Return the seats with the majority on each feature (BASE-16, BASE-17, MAY-05)."""
    strength: dict[int, Counter[int]] = {}
    for number, figure in enumerate(s.figures):
        if figure.next == NO_FIGURE:  # in no ring, so in no majority
            continue
        seat, slot = divmod(number, len(FIGURE_SLOTS))
        feature = int(s.segments[figure.segment].feature)
        own = int(STRENGTH[FIGURE_SLOTS[slot]])
        if FIGURE_SLOTS[slot] == Figure.MAYOR:
            is_city = s.features[feature].kind == Kind.CITY
            own = int(s.features[feature].shields) if is_city else 0
        strength.setdefault(feature, Counter())[seat] += own
    most = {feature: max(own.values()) for feature, own in strength.items()}
    return {
        feature: [seat for seat, n in sorted(own.items()) if n == most[feature]]
        for feature, own in strength.items()
        if most[feature] > 0
    }


@cache
def _grounds(tile: str, rotation: int, bridge: Axis | None) -> tuple[Mask | None, ...]:
    """Return the ground of each of a tile's segments in board orientation; None if it has none."""
    as_stored = turned_axis(bridge, rotation)
    row = FORMS[form_of(tile, rotation, bridge)]
    plan = plan_of(tile, as_stored)
    labels, on_bridge = ground(plan), ROAD + len(plan.roads)
    fields = iter(field_masks(row, labels))
    seen = {Kind.CITY: CITY, Kind.ROAD: ROAD}
    masks: list[Mask | None] = []
    for kind, *_ in segments_of(row):
        if kind == Kind.FIELD:
            mask: Mask | None = next(fields)
        elif bridge is not None and (kind, seen[Kind.ROAD]) == (Kind.ROAD, on_bridge):
            near = distance_to_line(grid_spots(), DECKS[bridge].points) < ROAD_HALF_WIDTH
            masks.append(near.reshape(CELLS, CELLS))  # drawn in board orientation
            continue
        elif kind in seen:
            mask = labels == seen[kind]
            seen[kind] += 1
        else:
            mask = None
        masks.append(None if mask is None else np.rot90(mask, -rotation))
    return tuple(masks)


def _tint(tile: PlacedTile, colored: npt.NDArray[Any]) -> Piece:
    """Return the colours on a tile, row by row."""
    paths = []
    for seat in np.unique(colored[colored >= 0]).tolist():
        rows = "".join(
            f"M{a * STEP:g},{row * STEP:g}h{(b - a) * STEP:g}v{STEP:g}h{-(b - a) * STEP:g}Z"
            for row, line in enumerate(colored == seat)
            for a, b in _runs(line)
        )
        paths.append(f'<path data-seat="{seat}" d="{rows}" fill="{p.SEATS[seat]}"/>')
    x, y = tile.x * SIZE, tile.y * SIZE
    return Piece(
        f'<g class="owners" data-x="{tile.x}" data-y="{tile.y}" fill-opacity="{OPACITY}"'
        f' shape-rendering="crispEdges" transform="translate({x:g} {y:g})">{"".join(paths)}</g>',
        (x, y, x + SIZE, y + SIZE),
    )


def _runs(line: Mask) -> list[tuple[int, int]]:
    """Return where each run of marked cells in a row begins and ends."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], line, [False]]).astype(np.int8)))
    return [(int(a), int(b)) for a, b in edges.reshape(-1, 2)]
