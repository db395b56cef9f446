"""Bridges (docs/rules/bridges.md): where they fit, which tiles need one, and who has bridges."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Literal, NamedTuple

from carc_env.engine.core.codes import Phase
from carc_env.position import PlacedTile, Position
from carc_env.rules import Rules

from .naive import fits, placements, side_neighbours, spaces
from .tiles import ABBEY, OPPOSITE, edge

Axis = Literal["NS", "EW"]
AXES: tuple[Axis, Axis] = ("NS", "EW")

#: A cell and a rotation.
Placement = tuple[int, int, int]


class Bridge(NamedTuple):
    """A bridge that can be built: the cell of its tile and its direction."""

    x: int
    y: int
    axis: Axis


def each(rules: Rules) -> int:
    """Return how many bridges a player begins with (BRI-01)."""
    if not rules.bridges:
        return 0
    return 3 if rules.n_players <= 4 else 2


def has_bridge(position: Position, seat: int) -> bool:
    """Return whether a seat has a bridge in hand (BRI-19)."""
    return bool(position.bridges) and position.bridges[seat] > 0


def may_build(position: Position) -> bool:
    """Return whether the turn player has a bridge and may still build one (BRI-03, BRI-20)."""
    return has_bridge(position, position.turn_player) and not position.has_bridged


def spans(tile: PlacedTile, axis: Axis) -> bool:
    """Return whether a bridge over a tile would end on field sides (BRI-05, BRI-22).

    A tile has no room for two crossing bridges (BRI-15), and an abbey shows no field.
    """
    return tile.bridge is None and all(edge(tile, side) == "F" for side in axis)


def goes_on(position: Position, tile: PlacedTile) -> bool:
    """Return whether each end of a tile's bridge meets a road or an empty cell (BRI-06).

    An abbey at an end is not allowed (BRI-21). The tile need not be on the board yet.
    """
    return all(
        neighbour.tile != ABBEY and edge(neighbour, OPPOSITE[side]) == "R"
        for side, neighbour in side_neighbours(position, tile.x, tile.y)
        if side in (tile.bridge or "")
    )


# --- Bridges that a placement needs -------------------------------------------------------------


def needed(position: Position, tile: PlacedTile) -> list[Bridge]:
    """List the bridges that would each let a tile fit that does not fit without one (BRI-08)."""
    found = []
    for axis in AXES:
        over = replace(tile, bridge=axis)
        if spans(tile, axis) and fits(position, over) and goes_on(position, over):
            found.append(Bridge(tile.x, tile.y, axis))
    for side, neighbour in side_neighbours(position, tile.x, tile.y):  # BRI-04
        axis = AXES[side in "EW"]
        if not spans(neighbour, axis):
            continue
        over = replace(neighbour, bridge=axis)
        with_bridge = exchanged(position, over)
        laid = replace(with_bridge, tiles=(*with_bridge.tiles, tile))
        if fits(with_bridge, tile) and goes_on(laid, over):
            found.append(Bridge(over.x, over.y, axis))
    return found


@lru_cache(maxsize=8)
def all_placements(position: Position, tile_id: str) -> dict[Placement, Bridge | None]:
    """Return where the turn player may place a tile, with the bridge that each placement needs.

    An abbey never gets a bridge (ABB-24). A player without a bridge can place the tile only where
    it fits by itself (BRI-19).
    """
    plain = placements(position, tile_id)
    found: dict[Placement, Bridge | None] = dict.fromkeys(plain)
    if tile_id == ABBEY or not may_build(position):
        return found
    for tile in spaces(position, tile_id):
        where = (tile.x, tile.y, tile.rotation)
        if where not in plain and (bridges := needed(position, tile)):
            (found[where],) = bridges  # Exactly one bridge makes the tile fit.
    return found


def may_put_aside(position: Position, tile_id: str) -> bool:
    """Return whether a tile fits only with a bridge, so that it may be put aside (BRI-09)."""
    found = all_placements(position, tile_id)
    return bool(found) and None not in found.values()


# --- Optional bridges ---------------------------------------------------------------------------


def optional(position: Position) -> set[Bridge]:
    """Return the bridges that the turn player may build after the placement (BRI-03, BRI-10)."""
    if position.phase not in (Phase.FIGURE, Phase.BRIDGE) or not may_build(position):
        return set()
    return set(candidates(position))


def candidates(position: Position) -> Iterator[Bridge]:
    """Yield the bridges that fit on the tile just placed and its side neighbours (BRI-04)."""
    last = position.tiles[-1]
    for tile in (last, *(beside for _, beside in side_neighbours(position, last.x, last.y))):
        for axis in AXES:
            if spans(tile, axis) and goes_on(position, replace(tile, bridge=axis)):
                yield Bridge(tile.x, tile.y, axis)


def may_follow_the_figure(position: Position) -> bool:
    """Return whether the turn player is asked for a bridge after the figure action (BRI-10)."""
    late = position.rules.bridge_timing == "any_time_before_scoring"
    return late and bool(optional(position))


# --- Building -----------------------------------------------------------------------------------


def exchanged(position: Position, tile: PlacedTile) -> Position:
    """Replace the tile on the same cell by this tile."""
    tiles = tuple(tile if (t.x, t.y) == (tile.x, tile.y) else t for t in position.tiles)
    return replace(position, tiles=tiles)


def put_away(position: Position) -> Position:
    """Forget the bridge of a placement, unless the limit is per turn (BRI-20)."""
    is_of_turn = position.rules.bridge_limit == "per_turn"
    return position if is_of_turn else replace(position, has_bridged=False)


def built(position: Position, bridge: Bridge) -> Position:
    """Build one of the turn player's bridges (BRI-19)."""
    (tile,) = (t for t in position.tiles if (t.x, t.y) == bridge[:2])
    hands = list(position.bridges)
    hands[position.turn_player] -= 1
    position = exchanged(position, replace(tile, bridge=bridge.axis))
    return replace(position, bridges=tuple(hands), has_bridged=True)
