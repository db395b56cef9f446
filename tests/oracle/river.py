"""The River (docs/rules/river.md, BASE-40 to BASE-42): its start tile, where its tiles may go."""

from __future__ import annotations

from carc_env.position import PlacedTile, Position
from carc_env.rules import Rules

from .tiles import FACTS, OPPOSITE, SIDES, across, turned

SOURCE, LAKE = "rv-source", "rv-lake"

RIGHT, LEFT = 1, 3


def start_tile(rules: Rules) -> str:
    """Name the tile that a game starts with (BASE-02, BASE-40)."""
    return SOURCE if "river1" in rules.sets else "bg-cap-straight"


def is_river_tile(tile_id: str) -> bool:
    """Tell whether a tile shows the river."""
    return "river" in FACTS[tile_id]


def river_sides(tile: PlacedTile) -> set[str]:
    """Collect the sides over which the river enters and leaves a placed tile."""
    return {turned(side, tile.rotation) for side in FACTS[tile.tile].get("river", "")}


def goes_on(position: Position, tile: PlacedTile) -> bool:
    """BASE-41: a river tile must continue the river, without an immediate U-turn.

    The tile need not lie there yet. Land tiles may go anywhere.
    """
    if not is_river_tile(tile.tile):
        return True
    joined = neighbours(position, tile)
    return bool(joined) and not any(is_u_turn(other, side, tile) for side, other in joined)


def neighbours(position: Position, tile: PlacedTile) -> list[tuple[str, PlacedTile]]:
    """List the tiles on the board whose river meets that of a tile, and at which side of it."""
    return [
        (side, other)
        for side in sorted(river_sides(tile))
        for other in position.tiles
        if (other.x, other.y) == across(tile.x, tile.y, side)[:2]
        if OPPOSITE[side] in river_sides(other)
    ]


def is_u_turn(before: PlacedTile, side: str, tile: PlacedTile) -> bool:
    """Tell whether the river bends twice in the same direction, from a tile to that at its side."""
    first = bend(river_sides(before) - {OPPOSITE[side]}, {OPPOSITE[side]})
    return first in (LEFT, RIGHT) and first == bend({side}, river_sides(tile) - {side})


def bend(entries: set[str], exits: set[str]) -> int | None:
    """Count the quarter turns to the right of a river; ``None`` where it begins or ends."""
    if not entries or not exits:
        return None
    (entry,), (leaving,) = entries, exits
    return (SIDES.index(leaving) - SIDES.index(OPPOSITE[entry])) % 4
