"""Corners where tokens lie on tiles: clear of figures and of printed things."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np

from carc_env.engine.core.codes import CORNER_SPOTS
from carc_env.position import Cell, PlacedTile, Position
from carc_env.render.bridge_art import distance_beyond
from carc_env.render.declaring import waiting_in
from carc_env.render.figure_art import FIGURE_SCALE, MAT, lies
from carc_env.render.plan import Axis, plan_of, turned_axis
from carc_env.render.shapes import SIZE, Point, Points, distance_to_line, turn
from carc_env.render.sites import kind_of, sites_of, stand_of, tile_at
from carc_env.render.survey import FIGURE_ROOM

BUILDINGS: tuple[Point, ...] = ((82.0, 18.0), (18.0, 18.0), (82.0, 82.0), (18.0, 82.0))
"""Locations for a little building, best first."""
INGOTS: tuple[Point, ...] = ((25.0, 77.0), (75.0, 77.0), (75.0, 23.0), (25.0, 23.0))
"""Locations for ingots."""
BUILDING_ROOM, INGOT_ROOM, HEAP_ROOM = 13.0, 10.0, 15.0
LYING_ROOM = MAT[0] * FIGURE_SCALE
WALL_HALF_WIDTH, GATE_ROOM = 3.0, 8.0
SCENERY = ("house", "tree", "rock", "reeds")
"""Things that a token may cover."""

Circle = tuple[Point, float]


def building_spot(position: Position, cell: Cell) -> Point:
    """Return where a tile's little building stands, in board units."""
    return _on_board(cell, _freest(position, cell, BUILDINGS, BUILDING_ROOM, ()))


def ingot_spot(position: Position, cell: Cell, n_ingots: int) -> Point:
    """Return where a tile's ingots lie, clear of a little building, in board units."""
    others: tuple[Circle, ...] = ()
    if any((building.x, building.y) == cell for building in position.built):
        building = _freest(position, cell, BUILDINGS, BUILDING_ROOM, ())
        others = ((building, BUILDING_ROOM),)
    room = HEAP_ROOM if n_ingots > 1 else INGOT_ROOM
    return _on_board(cell, _freest(position, cell, INGOTS, room, others))


def _on_board(cell: Cell, spot: Point) -> Point:
    return cell[0] * SIZE + spot[0], cell[1] * SIZE + spot[1]


def _freest(
    position: Position,
    cell: Cell,
    corners: tuple[Point, ...],
    room: float,
    others: Sequence[Circle],
) -> Point:
    """Return the first corner that is free, also of walls if possible; otherwise, the roomiest."""
    tile = tile_at(position, cell)
    signs, walls = _printed(tile.tile, tile.rotation % 4, tile.bridge, corners)
    spots = np.array(corners)
    for spot, radius in (*_figures_on(position, tile), *others):
        signs = np.minimum(signs, np.hypot(*(spots - spot).T) - radius)
    for free in (np.minimum(signs, walls), signs):
        for k in np.flatnonzero(free >= room):
            return corners[k]
    return corners[int(np.argmax(np.round(signs, 6)))]


@cache
def _printed(
    tile: str, rotation: int, bridge: Axis | None, corners: tuple[Point, ...]
) -> tuple[Points, Points]:
    """Return each corner's distance to signs and to walls, both of shape (n_corners,)."""
    stored = turned_axis(bridge, rotation)
    plan, spots = plan_of(tile, stored), np.array(corners)
    signs, walls = np.full(len(corners), SIZE), np.full(len(corners), SIZE)
    circles = [
        *((thing.spot, thing.radius) for thing in sites_of(tile, stored).things
          if thing.kind not in SCENERY),
        *((spot, radius) for _, spot, radius in plan.buildings),
        *((mark.spot, GATE_ROOM) for mark in (*plan.gates, *plan.mouths)),
    ]  # fmt: skip
    for spot, radius in circles:
        signs = np.minimum(signs, np.hypot(*(spots - turn(spot, rotation)).T) - radius)
    if bridge is not None:
        signs = np.minimum(signs, distance_beyond(bridge, spots))
    for wall in plan.walls:
        away = distance_to_line(spots, wall.turned(rotation).points)
        walls = np.minimum(walls, away - WALL_HALF_WIDTH)
    return signs, walls


def _figures_on(position: Position, tile: PlacedTile) -> Iterator[Circle]:
    """Return where figures stand or lie on a tile, and the room that they take."""
    for figure in (*position.figures, *waiting_in(position)):
        if (figure.x, figure.y) == (tile.x, tile.y) and figure.spot not in CORNER_SPOTS:
            facts = (tile.tile, tile.rotation, figure.spot, tile.bridge)
            is_lying = lies(figure.figure, kind_of(*facts))
            yield stand_of(*facts), LYING_ROOM if is_lying else FIGURE_ROOM
