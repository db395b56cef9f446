"""Watchtowers (docs/rules/watchtowers.md): what they count, and who gets the points."""

from __future__ import annotations

from collections import Counter

from carc_env.engine.core.codes import Kind
from carc_env.position import PlacedTile, Position

from .board import MEEPLES, around, completed, features, trap_cells
from .shrines import is_monastery, is_shrine
from .tiles import FACTS, Cell


def figures_on(position: Position, cells: set[Cell]) -> int:
    """Count the meeples on some cells, including those on towers and in traps (WT-06)."""
    standing = [f for f in position.figures if f.figure in MEEPLES and (f.x, f.y) in cells]
    tops = [t for t in position.towers if t.figure in MEEPLES and (t.x, t.y) in cells]
    caught = [t for t in position.trapped if t.figure in MEEPLES]
    traps = trap_cells(position)
    return len(standing) + len(tops) + sum(traps[t.trap] in cells for t in caught)


def coats_on(tile: PlacedTile) -> int:
    """Count the coats of arms that a tile shows."""
    return sum(city.get("shields", 0) for city in FACTS[tile.tile].get("cities", ()))


def has_monastery(position: Position, tile: PlacedTile) -> bool:
    """Return whether a tile shows a monastery, an abbey or a shrine, complete or not (WT-08).

    A garden does not count. The hut counts only without the Russian promos (RUS-04).
    """
    has_hut = FACTS[tile.tile].get("hut", False) and not position.rules.russian_promos
    return is_monastery(tile.tile) or is_shrine(tile.tile) or has_hut


def cells_of(position: Position, kind: Kind) -> set[Cell]:
    """Return the cells with a road, or with a city that is not a castle (WT-07, WT-11, WT-12)."""
    return {cell for f in features(position) if f.kind == kind for cell in f.tiles}


def worth(position: Position, tile: PlacedTile) -> int:
    """Return the points of a tile's watchtower for one meeple; 0 without a watchtower."""
    each, what = FACTS[tile.tile].get("watchtower", (0, ""))
    cells = {(tile.x, tile.y)} | around(tile.x, tile.y)  # WT-05
    near = [other for other in position.tiles if (other.x, other.y) in cells]
    if what == "meeple":
        return int(each) * figures_on(position, cells)
    if what == "coat-of-arms":
        return int(each) * sum(map(coats_on, near))
    if what == "monastery":
        return int(each) * sum(has_monastery(position, tile) for tile in near)
    if what == "city":
        return int(each) * len(cells & cells_of(position, Kind.CITY))
    return int(each) * len(cells & cells_of(position, Kind.ROAD))


def points(position: Position) -> Counter[int]:
    """Return each seat's watchtower points, which score before the features (WT-03, WT-04)."""
    found: Counter[int] = Counter()
    if not position.rules.watchtowers:
        return found
    tiles = {(tile.x, tile.y): tile for tile in position.tiles}
    for feature in completed(position):
        if feature.kind in (Kind.ROAD, Kind.CITY):  # WT-09
            for figure in feature.meeples:
                found[figure.seat] += worth(position, tiles[figure.x, figure.y])
    return +found
