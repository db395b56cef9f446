"""Moves of wagons after scoring (docs/rules/wagon.md)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from carc_env.engine.core.codes import Figure, Kind, Spot
from carc_env.position import PlacedFigure, Position

from . import labyrinth
from .board import Feature, around, feature_at, features
from .castles import fief, surroundings_of
from .naive import MAY_STAND, side_neighbours
from .tiles import ABBEY, OPPOSITE, Cell, Place, links_of, segments_of


def wagon_targets(
    position: Position, wagon: PlacedFigure, rolled: Iterable[Place] = ()
) -> set[Place]:
    """Return where a scored wagon may go (WAG-04); without a target, it returns (WAG-10).

    ``position`` is the board after step 3 and after the moves of earlier wagons, and ``wagon`` has
    its last place. Only ``house_wagon_roll`` uses ``rolled``, the earlier places of the wagon in
    this move.
    """
    left = [feature_at(position, *place) for place in [*rolled, (wagon.x, wagon.y, wagon.spot)]]
    targets = {
        feature
        for feature in features(position)
        if feature.kind in MAY_STAND[Figure.WAGON]  # WAG-14
        if not feature.is_complete or position.rules.house_wagon_roll  # WAG-09, HOUSE-01
        if feature not in left or not feature.is_complete  # CULT-19: back to where it lost
        if not lies_where_it_was(position, feature, left)
    }
    in_range = reach(position, wagon)
    if in_range is None:
        return {
            place
            for feature in targets & linked(position, left[-1])
            for place in feature.segments  # WAG-28
            if place[:2] != position.dragon  # XW-09
            if labyrinth.is_free(position, feature, place)  # WAG-09
        }
    return {
        (x, y, spot)
        for feature in targets
        for x, y, spot in feature.segments
        if (x, y) in in_range and (x, y) != position.dragon  # XW-09
        if labyrinth.is_free(position, feature, (x, y, spot))  # WAG-09
    }


def lies_where_it_was(position: Position, feature: Feature, left: Iterable[Feature]) -> bool:
    """Return whether a wagon would lie on the complete monastery that it leaves (MON-07)."""
    if feature.kind != Kind.LINES:
        return False
    ((x, y),) = feature.tiles
    other = feature_at(position, x, y, Spot.mid)
    return other in left and other.is_complete


def reach(position: Position, wagon: PlacedFigure) -> set[Cell] | None:
    """Return the cells that a wagon may go to; ``None`` for a C1 wagon, which follows links.

    A wagon that was lord of a castle goes to features in its fief, in every edition (WAG-17).
    """
    stood = feature_at(position, wagon.x, wagon.y, wagon.spot)
    if was_lord(position, stood):
        if position.rules.wagon_from_castle == "fief":
            return fief(position, stood)
        return surroundings_of(stood)
    if position.rules.wagon_range == "C1":
        return None
    return {(wagon.x, wagon.y)} | around(wagon.x, wagon.y)  # WAG-05 to WAG-07


def names_the_cell_first(position: Position, wagon: PlacedFigure) -> bool:
    """Return whether a wagon's move takes two decisions: the cell, then the spot.

    It does if a single decision cannot name all targets by their distance from the wagon.
    """
    rules = position.rules
    if rules.wagon_range == "C1":
        return True
    stood = feature_at(position, wagon.x, wagon.y, wagon.spot)
    is_near = rules.wagon_from_castle == "fief" and rules.castle_fief == "flanks"
    return was_lord(position, stood) and not is_near


def was_lord(position: Position, stood: Feature) -> bool:
    """Return whether a wagon was lord of a castle; a new castle was still a town (CAS-37)."""
    last = position.tiles[-1]
    return stood.kind == Kind.CASTLE and (last.x, last.y) not in stood.tiles


def linked(position: Position, feature: Feature) -> set[Feature]:
    """Return the features that a C1 wagon reaches from a feature, over any of its tiles (WAG-31).

    It follows the links in the tile facts, and moves between an abbey and the roads and cities that
    the abbey closes (WAG-21, WAG-22).
    """
    groups = [group for tile in position.tiles for group in links_of(tile)]
    for abbey in position.tiles:
        if abbey.tile == ABBEY:
            for side, neighbour in side_neighbours(position, abbey.x, abbey.y):
                for segment in segments_of(neighbour):
                    if OPPOSITE[side] in segment.at:
                        closed = (neighbour.x, neighbour.y, segment.spot)
                        groups.append({(abbey.x, abbey.y, Spot.mid), closed})
    reached = {place for group in groups if group & feature.segments for place in group}
    return {other for other in features(position) if other.segments & reached} - {feature}


def moved(position: Position, target: Place | None) -> Position:
    """Move the first waiting wagon or return it to supply, without changing phase and decider.

    On a complete feature (HOUSE-01), it waits for its next move from there.
    """
    wagon, *others = position.wagons
    if target is None:
        return replace(position, wagons=tuple(others))
    x, y, spot = target
    wagon = replace(wagon, x=x, y=y, spot=spot)
    if feature_at(position, x, y, spot).is_complete:
        return replace(position, wagons=(wagon, *others))
    return replace(position, wagons=tuple(others), figures=(*position.figures, wagon))
