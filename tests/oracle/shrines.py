"""Shrines (docs/rules/shrines.md): where they may be placed, and who loses a challenge."""

from __future__ import annotations

from collections.abc import Iterable

from carc_env.engine.core.codes import Kind, Spot
from carc_env.position import PlacedFigure, Position

from .board import Feature, around, feature_at, features
from .tiles import FACTS, Cell


def is_shrine(tile_id: str) -> bool:
    """Return whether a tile shows a shrine."""
    return bool(FACTS[tile_id].get("shrine"))


def is_monastery(tile_id: str) -> bool:
    """Return whether a tile shows a monastery; an abbey counts (CULT-14), a garden does not."""
    return bool(FACTS[tile_id].get("monastery"))


def rivals(tiles: dict[Cell, str], cell: Cell) -> list[Cell]:
    """List the cells around a cell that have a rival of its building."""
    own = tiles[cell]
    is_rival = is_monastery if is_shrine(own) else is_shrine
    if not (is_shrine(own) or is_monastery(own)):
        return []
    return [near for near in around(*cell) if near in tiles and is_rival(tiles[near])]


def crowded(tiles: dict[Cell, str]) -> list[Cell]:
    """List the cells with a building that has more than one rival (CULT-03, CULT-04)."""
    return [cell for cell in tiles if len(rivals(tiles, cell)) > 1]


def has_rival(position: Position, feature: Feature) -> bool:
    """Return whether a feature is a building with a rival next to it."""
    tiles = {(tile.x, tile.y): tile.tile for tile in position.tiles}
    is_building = feature.kind == Kind.MONASTERY
    return is_building and any(rivals(tiles, cell) for cell in feature.tiles)


def keeps_apart(position: Position, tile_id: str, cell: Cell) -> bool:
    """Return whether the rules for shrines and monasteries allow a tile on a cell."""
    if not position.rules.shrines or not (is_shrine(tile_id) or is_monastery(tile_id)):
        return True
    tiles = {(tile.x, tile.y): tile.tile for tile in position.tiles}
    return not crowded({**tiles, cell: tile_id})


def would_draw(position: Position, feature: Feature) -> bool:
    """Return whether a meeple on an empty building would make a challenge a draw (CULT-12).

    This is so if the tile just placed completed both the building and its rival.
    """
    if not (position.rules.shrines and feature.is_complete and has_rival(position, feature)):
        return False
    tiles = {(tile.x, tile.y): tile.tile for tile in position.tiles}
    (cell,) = feature.tiles
    last = position.tiles[-1]
    other = feature_at(position, *rivals(tiles, cell)[0], Spot.mid)
    is_new = (last.x, last.y) in (cell, *around(*cell))
    return is_new and other.is_complete and bool(other.figures)


def losers(position: Position, scored: Iterable[Feature]) -> list[PlacedFigure]:
    """List the figures that lose a challenge to a rival scored first (CULT-06 to CULT-08)."""
    if not position.rules.shrines:
        return []
    tiles = {(tile.x, tile.y): tile.tile for tile in position.tiles}
    places = [f for f in features(position) if f.kind == Kind.MONASTERY]
    winners = [f for f in scored if f.kind == Kind.MONASTERY and f.figures]
    beaten = {rival for f in winners for cell in f.tiles for rival in rivals(tiles, cell)}
    return [g for f in places if f.tiles <= beaten and not f.is_complete for g in f.figures]
