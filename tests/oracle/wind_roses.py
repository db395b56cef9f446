"""Wind roses (docs/rules/wind-roses.md): the rose in force, its quarters, and who gets points."""

from __future__ import annotations

from dataclasses import replace

from carc_env.position import PlacedTile, Position

from .tiles import FACTS

POINTS = 3
NORTH, EAST, SOUTH, WEST = (0, -1), (1, 0), (0, 1), (-1, 0)
WAYS = {"N": NORTH, "E": EAST, "S": SOUTH, "W": WEST}


def rose_in_force(position: Position) -> PlacedTile | None:
    """Return the blue rose, or the orange rose until the blue one is placed (WR-03)."""
    roses = [tile for tile in position.tiles if FACTS[tile.tile].get("wind_rose") == "NWSE"]
    return min(roses, key=lambda tile: "start" in FACTS[tile.tile], default=None)


def turned(way: tuple[int, int], quarters: int) -> tuple[int, int]:
    """Turn a direction clockwise by quarter turns; y grows to the south."""
    x, y = way
    return turned((-y, x), quarters - 1) if quarters else way


def is_in_quarter(tile: PlacedTile, quarter: str, rose: PlacedTile) -> bool:
    """Return whether a tile is in a quarter, which lies between two sides of a rose (WR-02)."""
    north = turned(WAYS[FACTS[rose.tile]["rose_north"]], rose.rotation)
    ways = [turned(north, "NESW".index(side)) for side in quarter]
    dx, dy = tile.x - rose.x, tile.y - rose.y
    return all(dx * x + dy * y >= 0 for x, y in ways)


def has_scored(position: Position) -> bool:
    """Return whether the tile just placed is in the quarter that it shows (WR-04)."""
    last, rose = position.tiles[-1], rose_in_force(position)
    quarter = FACTS[last.tile].get("wind_rose", "NWSE")
    if not position.rules.wind_roses or quarter == "NWSE" or rose is None:
        return False
    return is_in_quarter(last, quarter, rose)


def paid(position: Position) -> Position:
    """Give the turn player the wind rose points of the tile just placed (WR-04)."""
    scores = list(position.scores)
    scores[position.turn_player] += POINTS * has_scored(position)
    return replace(position, scores=tuple(scores))
