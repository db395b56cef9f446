"""The Labyrinth (docs/rules/labyrinth.md): separately occupied arms, and the bonus for meeples."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from carc_env.engine.core.codes import Kind, Phase
from carc_env.position import PlacedTile, Position, Thieves

from . import monasteries
from .board import MEEPLES, Feature, features, flooded, over_lakes
from .tiles import FACTS, Place, segments_of
from .tunnel import joined

POINTS_PER_MEEPLE = 2


def has_maze(tile: PlacedTile) -> bool:
    """Return whether the road of a tile is a maze (LAB-01)."""
    return any(road.get("maze") for road in FACTS[tile.tile].get("roads", ()))


def mazes(position: Position) -> list[Place]:
    """List the mazes, in the order in which their tiles were placed."""
    found = [tile for tile in position.tiles if has_maze(tile)] if position.rules.labyrinth else []
    return [s.place for tile in found for s in segments_of(tile) if s.kind == Kind.ROAD]


def arm_of(position: Position, place: Place) -> set[Place]:
    """Return the roads connected to a road without passing a maze; a maze is its own arm.

    Roads that ferries and tunnels join belong to the arm (X2-06).
    """
    others = tuple(tile for tile in position.tiles if not has_maze(tile))
    ways = (*joined(position), *over_lakes(position))
    arms = [{s.place for s in connected} for connected in flooded(others, ways)]
    return next((arm for arm in arms if place in arm), {place})


def is_free(position: Position, feature: Feature, place: Place) -> bool:
    """Return whether a meeple may stand on a place because no other meeple is there (BASE-06).

    On an arm of a labyrinth road, meeples on other arms and in the maze do not matter (LAB-05). In
    the maze, meeples on the arms do not matter (LAB-04, LAB-06).
    """
    if not feature.meeples or feature.segments.isdisjoint(mazes(position)):
        return not monasteries.is_taken(position, feature)
    part = arm_of(position, place)
    return not any((f.x, f.y, f.spot) in part for f in position.figures if f.figure in MEEPLES)


def bonus(position: Position, feature: Feature) -> int:
    """Return the bonus for the meeples on a complete labyrinth road (LAB-07, LAB-09)."""
    if not feature.is_complete or feature.segments.isdisjoint(mazes(position)):
        return 0
    gone = {n for thieves in position.thieves for n in [thieves.n] if _is_on(thieves, feature)}
    return POINTS_PER_MEEPLE * max(len(feature.meeples), *gone, 0)


def _is_on(thieves: Thieves, feature: Feature) -> bool:
    return feature.kind == Kind.ROAD and (thieves.x, thieves.y) in feature.tiles


def noted(position: Position) -> Position:
    """Record the meeples on completed labyrinth roads for the castle scoring (CAS-16)."""
    roads = [feature for feature in features(position) if feature.is_complete]
    found = [
        Thieves(*place[:2], len(road.meeples))
        for place in mazes(position)
        for road in roads
        if place in road.segments and road.meeples
    ]
    return replace(position, thieves=tuple(found))


def wrong_thieves(position: Position) -> Iterator[str]:
    """Report recorded meeples outside a scoring, or not on a complete labyrinth road."""
    if position.thieves and position.phase not in (Phase.CASTLE_CHOICE, Phase.SHARE):
        yield f"{position.thieves} in phase {position.phase.name}"
    places = {place[:2]: place for place in mazes(position)}
    complete = {p for f in features(position) if f.is_complete for p in f.segments}
    for thieves in position.thieves:
        if places.pop((thieves.x, thieves.y), None) not in complete:
            yield f"no road of a labyrinth is complete at {thieves}, or it is named twice"
