"""Special monasteries (docs/rules/monasteries.md): standing and lying meeples.

A lying meeple has a place of its own on the tile; for placing, both places count as one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from carc_env.engine.core.codes import Kind, Spot
from carc_env.position import Position

from .board import Feature, occupied_cells
from .tiles import FACTS, Cell, Place

CENTRE = {Kind.MONASTERY: Spot.lying, Kind.LINES: Spot.mid}
"""For each kind of feature on a special monastery, the other place on the tile."""


def special(position: Position) -> list[Cell]:
    """List the cells of special monasteries, in the order of their tiles (MON-01)."""
    return [(t.x, t.y) for t in position.tiles if FACTS[t.tile].get("special_monastery", False)]


def taken(position: Position) -> set[Place]:
    """Return the places of figures, and both places of occupied special monasteries (MON-07)."""
    on = set(special(position))
    places = {(f.x, f.y, f.spot) for f in position.figures}
    both = {(x, y) for x, y, spot in places if spot in CENTRE.values()} & on
    return places | {(x, y, spot) for x, y in both for spot in CENTRE.values()}


def is_taken(position: Position, feature: Feature) -> bool:
    """Return whether a meeple is on a feature or on the other place of its special monastery."""
    if feature.kind not in CENTRE:
        return bool(feature.meeples)
    return not feature.segments.isdisjoint(taken(position))


def points(position: Position, feature: Feature) -> int:
    """Count the tile and the tiles in line with it, up to the first gaps (MON-06, MON-14)."""
    ((x, y),) = feature.tiles
    occupied = occupied_cells(position)
    n = 1
    for dx, dy in ((0, -1), (1, 0), (0, 1), (-1, 0)):
        k = 1
        while (x + k * dx, y + k * dy) in occupied:
            n, k = n + 1, k + 1
    return n


def is_for_castles(position: Position, feature: Feature) -> bool:
    """Return whether a completed feature counts for castles.

    A special monastery with only lying meeples does not (XGM-05).
    """
    if feature.kind != Kind.MONASTERY or feature.meeples or feature.tiles <= {*position.monks}:
        return True
    return not is_taken(position, feature)


def noted(position: Position, scored: Iterable[Feature]) -> Position:
    """Record monasteries that are scored while other meeples lie there, for the castle scoring."""
    if not position.castles:
        return position
    lie = {(f.x, f.y) for f in position.figures if f.spot == Spot.lying}
    done = {
        cell for f in scored if f.kind == Kind.MONASTERY and f.meeples for cell in f.tiles & lie
    }
    return replace(position, monks=tuple(cell for cell in special(position) if cell in done))


def wrong_monks(position: Position) -> Iterator[str]:
    """Report recorded monasteries that cannot have been scored with a meeple lying there."""
    lie = {(f.x, f.y) for f in position.figures if f.spot == Spot.lying}
    stand = {(f.x, f.y) for f in position.figures if f.spot == Spot.mid}
    occupied = occupied_cells(position)
    for x, y in position.monks:
        around = {(x + dx, y + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)}
        if (x, y) not in lie - stand or not around <= occupied or not position.castles:
            yield f"no monk has left {(x, y)}"
    if position.monks and position.phase.name not in ("CASTLE_CHOICE", "SHARE"):
        yield f"monks have left {position.monks} in phase {position.phase.name}"
