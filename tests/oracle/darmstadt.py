"""Darmstadt (docs/rules/darmstadt.md): the points of churches and of the Darmstadtium."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from carc_env.engine.core.codes import Kind
from carc_env.position import Position

from . import dragon
from .board import MEEPLES, Feature, around, trap_cells
from .tiles import FACTS

POINTS = 3


def of_darmstadtium(position: Position, feature: Feature) -> int:
    """Return the extra points of a complete city with the Darmstadtium (DAR-03)."""
    if not position.rules.darmstadt or feature.kind != Kind.CITY or not feature.is_complete:
        return 0
    here = [tile for tile in position.tiles if (tile.x, tile.y) in feature.tiles]
    cities = [city for tile in here for city in FACTS[tile.tile].get("cities", ())]
    return POINTS * any(city.get("darmstadtium") for city in cities)


def of_churches(position: Position, completed: Iterable[Feature]) -> Iterator[int]:
    """Yield the seats that get the points of completed churches (DAR-05, DAR-06)."""
    churches = {(t.x, t.y) for t in position.tiles if FACTS[t.tile].get("church")}
    for feature in completed:
        if position.rules.darmstadt and feature.kind == Kind.MONASTERY:
            for cell in feature.tiles & churches:
                yield from most_around(position, {cell, *around(*cell)})


def most_around(position: Position, cells: set[tuple[int, int]]) -> list[int]:
    """List the seats with the most meeples on these cells, towers and traps included (DAR-07)."""
    found = Counter(f.seat for f in position.figures if f.figure in MEEPLES and (f.x, f.y) in cells)
    found.update(seat for cell, seat in dragon.tops(position).items() if cell in cells)
    traps = trap_cells(position)
    found.update(t.seat for t in position.trapped if t.figure in MEEPLES and traps[t.trap] in cells)
    return [seat for seat, n in found.items() if n == max(found.values())]
