"""The rivers (docs/rules/river.md, docs/rules/river-2.md): start tiles and legal placements."""

from __future__ import annotations

from dataclasses import replace

from carc_env.position import PlacedTile, Position
from carc_env.rules import Rules

from .board import around
from .tiles import FACTS, OPPOSITE, SIDES, Cell, across, begins_with_rose, turned

RIGHT, LEFT = 1, 3

#: The tiles of Carcassonne, row by row from the north-west (COU-01).
CITY = tuple(
    PlacedTile(f"co-{4 * row + x + 3}", x, row - 1, 0) for row in range(3) for x in range(-2, 2)
)


def first_tiles(rules: Rules) -> tuple[PlacedTile, ...]:
    """List the tiles on the board when a game starts (BASE-02, BASE-40, COU-01, WR-01).

    With Carcassonne, a river begins next to it (COU-28), and so may the orange rose (WR-09).
    """
    if begins_with_rose(rules):
        return (PlacedTile("wr-cap-gate-all", 0, 0, 1),)  # Its north points up.
    if "count" not in rules.sets:
        return (PlacedTile(start_tile(rules), 0, 0, 0),)
    source = [PlacedTile(start_tile(rules), 2, -1, 2)] if is_river_tile(start_tile(rules)) else []
    is_beside = "roses" in rules.sets and rules.rose_start == "beside"
    rose = [PlacedTile("wr-cap-gate-all", -1, -2, 1)] if is_beside else []
    return (*CITY, *rose, *source)


def start_tile(rules: Rules) -> str:
    """Return the tile that a game starts with (BASE-02, BASE-40)."""
    if "river2" in rules.sets:  # RIV2-11
        return "r2-source"
    return "rv-source" if "river1" in rules.sets else "bg-cap-straight"


def is_river_tile(tile_id: str) -> bool:
    """Return whether a tile shows the river."""
    return "river" in FACTS[tile_id]


def river_sides(tile: PlacedTile) -> set[str]:
    """Return the sides where the river enters and leaves a placed tile."""
    return {turned(side, tile.rotation) for side in FACTS[tile.tile].get("river", "")}


def goes_on(position: Position, tile: PlacedTile) -> bool:
    """Return whether a river tile continues the river without an immediate U-turn (BASE-41).

    It must continue one arm without joining another arm (RIV2-05). Under ``clear_ahead``, the cell
    beyond each open side and the cells around that cell must be free (RIV2-04). If the tile is on
    the board already, tiles placed after it are ignored. Land tiles may go anywhere.
    """
    if not is_river_tile(tile.tile):
        return True
    if tile in position.tiles:
        tiles = position.tiles[: position.tiles.index(tile)]
        position = replace(position, tiles=tiles)
        if tile.tile == start_tile(position.rules):
            return True
    joined = neighbours(position, tile)
    if len(joined) != 1:
        return False
    ((entry, other),) = joined
    if position.rules.river_uturn == "clear_ahead":
        ahead = {c for side in river_sides(tile) - {entry} for c in cells_ahead(tile, side)}
        return not ahead & {(tile.x, tile.y) for tile in position.tiles}
    return not is_u_turn(position, other, entry, tile)


def cells_ahead(tile: PlacedTile, side: str) -> set[Cell]:
    """Return the cell beyond a side and those around it, without the tile's other neighbours."""
    near = across(tile.x, tile.y, side)[:2]
    here = {(tile.x, tile.y)} | {across(tile.x, tile.y, s)[:2] for s in SIDES if s != side}
    return (around(*near) | {near}) - here


def neighbours(position: Position, tile: PlacedTile) -> list[tuple[str, PlacedTile]]:
    """List the tiles whose river meets the river of ``tile``, each with the side of ``tile``."""
    return [
        (side, other)
        for side in sorted(river_sides(tile))
        for other in position.tiles
        if (other.x, other.y) == across(tile.x, tile.y, side)[:2]
        if OPPOSITE[side] in river_sides(other)
    ]


def is_u_turn(position: Position, before: PlacedTile, side: str, tile: PlacedTile) -> bool:
    """Return whether the river bends twice in the same direction, on ``before`` and on ``tile``.

    If ``before`` is a fork, the river came to it from the tile placed before it.
    """
    older = replace(position, tiles=position.tiles[: position.tiles.index(before)])
    came = {entry for entry, _ in neighbours(older, before)}
    first = {bend(entry, OPPOSITE[side]) for entry in came}
    second = {bend(side, leaving) for leaving in river_sides(tile) - {side}}
    return any(turn in (LEFT, RIGHT) for turn in first & second)


def is_being_laid(position: Position) -> bool:
    """Return whether a forked river still has tiles to draw (RIV2-15)."""
    is_forked = "river2" in position.rules.sets
    return is_forked and any(map(is_river_tile, position.bag or ()))


def is_lake(tile_id: str) -> bool:
    """Return whether a tile is the last one of its river."""
    return FACTS[tile_id].get("river_role") == "lake"


def place_in_bag(tile_id: str) -> int:
    """Return when a tile is drawn: the fork first (RIV2-02), the lake after the river (BASE-40)."""
    if not is_river_tile(tile_id):
        return 3
    return {"fork": 0, "lake": 2}.get(FACTS[tile_id].get("river_role", ""), 1)


def bend(entry: str, leaving: str) -> int:
    """Return the quarter turns to the right of a river from one side to another."""
    return (SIDES.index(leaving) - SIDES.index(OPPOSITE[entry])) % 4
