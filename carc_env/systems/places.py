"""Locations of things: in the engine's record, and in human-readable table coordinates."""

from __future__ import annotations

from typing import Any

import numpy as np

from carc_env.engine.core.codes import CORNER_SPOTS, Figure, Spot
from carc_env.engine.core.state import (
    BOARD,
    CENTRE_LINE,
    FIGURE_SLOTS,
    NO_CELL,
    NO_FIGURE,
    NO_SEGMENT,
    NO_TILE,
    SLOTS_PER_SEAT,
)
from carc_env.engine.core.tiles import DESIGN, IS_CLOSED, SEGMENT_SPOT, SPOT_SEGMENT
from carc_env.position import Cell, Place, PlacedFigure, Position
from carc_env.words import format_cell


def cell_of(x: int, y: int) -> int:
    """Return the engine's cell for table coordinates; the start tile is at (0, 0)."""
    return (y + CENTRE_LINE) * BOARD + x + CENTRE_LINE


def coordinates_of(cell: int) -> Cell:
    """Return the table coordinates (x, y) of an engine cell."""
    row, column = divmod(cell, BOARD)
    return column - CENTRE_LINE, row - CENTRE_LINE


def cell_from_view(s: Any, column: int, row: int) -> Cell:
    """Return the table coordinates (x, y) of a cell in a game's view."""
    return coordinates_of((row + int(s.view_row)) * BOARD + column + int(s.view_column))


def rows_of(records: Any, *names: str) -> list[tuple[int, ...]]:
    """Return some fields of many records as plain numbers, since reading records singly is slow."""
    return list(zip(*(records[name].tolist() for name in names), strict=True))


def cell_of_tile(s: Any, tile: int) -> Cell | None:
    """Return the coordinates of a tile; None for NO_TILE."""
    return None if tile == NO_TILE else coordinates_of(int(s.tiles[tile].cell))


def place_of(s: Any, segment: int) -> tuple[int, Spot]:
    """Return the number of the tile that contains a segment, and the spot that names it."""
    tile = int(s.segments[segment].tile)
    placed = s.tiles[tile]
    j = segment - int(placed.first_segment)
    return tile, Spot(int(SEGMENT_SPOT[placed.design, placed.rotation, j]))


def segments_of(s: Any, feature: int) -> list[int]:
    """Return the segments of a feature in a sound record, in ascending order.

    This follows the feature's ring. Do not compare ``s.segments["feature"]`` with a number instead:
    the slot that a tile reserves for a bridge segment would count as part of feature 0.
    """
    following, found = s.segments["next"].tolist(), [feature]
    while (segment := following[found[-1]]) != feature:
        found.append(segment)
    return sorted(found)


def figures_on(s: Any, feature: int) -> list[tuple[int, Figure]]:
    """Return seat and kind of the figures in a feature's ring: no shepherds or lords set aside."""
    of_segment = s.segments["feature"]
    found = []
    for slot in np.flatnonzero(s.figures["next"] != NO_FIGURE).tolist():
        if int(of_segment[int(s.figures[slot].segment)]) == feature:
            seat, kind = divmod(slot, SLOTS_PER_SEAT)
            found.append((seat, FIGURE_SLOTS[kind]))
    return found


def named(s: Any, segment: int) -> Place:
    """Return the cell and the spot that name a segment."""
    tile, spot = place_of(s, segment)
    return *coordinates_of(int(s.tiles[tile].cell)), spot


def design_of(tile: str) -> int:
    """Return a design's number; raise a ``ValueError`` if the design is unknown."""
    if tile not in DESIGN:
        raise ValueError(f"unknown tile {tile!r}")
    return DESIGN[tile]


def segment_at(s: Any, position: Position, place: Place, where: str) -> tuple[int, int]:
    """Return a tile's number and its segment with the given spot, NO_SEGMENT for corners."""
    x, y, spot = place
    number = next((k for k, t in enumerate(position.tiles) if (t.x, t.y) == (x, y)), None)
    if number is None:
        raise ValueError(f"{where}: no tile lies there")
    if spot in CORNER_SPOTS:
        return number, NO_SEGMENT
    placed = s.tiles[number]
    j = int(SPOT_SEGMENT[placed.design, placed.rotation, spot])
    if j < 0:
        raise ValueError(f"{where}: this spot names no segment of the tile")
    return number, int(placed.first_segment) + j


def segment_under(s: Any, position: Position, figure: PlacedFigure) -> tuple[int, int]:
    """Return the number of the tile under a figure, and the segment as for :func:`segment_at`."""
    name = figure.figure.name.lower()
    where = f"{name} of seat {figure.seat} at {figure.x},{figure.y} {figure.spot.name}"
    if not 0 <= figure.seat < position.rules.n_players:
        raise ValueError(f"{where}: there are {position.rules.n_players} seats")
    if (figure.figure == Figure.BARN) != (figure.spot in CORNER_SPOTS):
        raise ValueError(f"{where}: barns, and only barns, stand on corners")
    return segment_at(s, position, (figure.x, figure.y, figure.spot), where)


def tile_on(position: Position, cell: Cell | None) -> int:
    """Return the number of the tile placed in the first part of a turn, NO_TILE for None."""
    if cell is None:
        return NO_TILE
    for number, tile in enumerate(position.tiles[1:], start=1):
        if (tile.x, tile.y) == cell:
            return number
    raise ValueError(f"no tile was placed at {cell[0]},{cell[1]} in the first part of the turn")


def cell_if_any(cell: int) -> Cell | None:
    """Return the coordinates of a cell in the record, None for NO_CELL."""
    return None if cell == NO_CELL else coordinates_of(cell)


def check_tile(position: Position, what: str, cell: Cell) -> None:
    """Raise a ``ValueError`` if something's cell has no tile, or a closed tile."""
    design = {(tile.x, tile.y): tile.tile for tile in position.tiles}.get(cell)
    if design is None:
        raise ValueError(f"no tile lies at {format_cell(cell)}, where the {what} is")
    if IS_CLOSED[DESIGN[design]]:
        raise ValueError(
            f"the {what} is at {format_cell(cell)}, in the middle of Carcassonne (COU-24)"
        )
