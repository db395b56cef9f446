"""Castles (docs/rules/castles.md): towns, who decides on them, fiefs, and what a castle takes.

A castle is a feature of kind ``Kind.CASTLE``; the meeples on it are its lords.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import dropwhile
from typing import NamedTuple

from carc_env.engine.core.codes import Figure, Kind, Phase
from carc_env.position import Castle, Position
from carc_env.rules import Rules

from . import count, dragon, gold, mage_witch, monasteries
from .board import Feature, around, completed, feature_at
from .naive import in_turn, majority, strength, value
from .tiles import Cell, Place, Segment, is_of_carcassonne, segments_of


def each(rules: Rules) -> int:
    """Return how many castle tokens a player begins with (CAS-01)."""
    if not rules.castles:
        return 0
    return 3 if rules.n_players <= 4 else 2


def has_token(position: Position, seat: int) -> bool:
    """Return whether a seat has a castle token in hand (CAS-08)."""
    return bool(position.tokens) and position.tokens[seat] > 0


def distance(position: Position, seat: int) -> int:
    """Return the number of seats clockwise from the turn player to this seat."""
    return (seat - position.turn_player) % position.rules.n_players


# --- Towns --------------------------------------------------------------------------------------


class Question(NamedTuple):
    """A town that a seat decides on, identified by its segment on the tile just placed."""

    seat: int
    town: Place


def is_town(position: Position, feature: Feature) -> bool:
    """Return whether a feature is a complete city of two caps on two tiles (CAS-02)."""
    return feature.kind == Kind.CITY and feature.is_complete and has_two_caps(position, feature)


def has_two_caps(position: Position, feature: Feature) -> bool:
    """Return whether a city or castle consists of two segments that can be halves of a castle.

    Segments on Carcassonne tiles do not qualify unless a switch allows it (XCK-03).
    """
    found = [
        segment
        for tile in position.tiles
        if position.rules.block_buildable or not is_of_carcassonne(tile.tile)
        for segment in segments_of(tile)
        if segment.place in feature.segments
    ]
    return len(found) == len(feature.tiles) == 2 and all(is_cap(position, s) for s in found)


def is_cap(position: Position, segment: Segment) -> bool:
    """Return whether a city segment can be half of a castle (CAS-02)."""
    if position.rules.castle_base == "semicircle":
        return segment.is_semicircle
    return len(segment.at) == 1


def occupiers(town: Feature) -> list[int]:
    """List the seats that decide on a town: those with the majority (CAS-04, CAS-34).

    A mayor counts even with strength 0, because it occupies the town (MAY-09, CAS-31).
    """
    total = {figure.seat: 0 for figure in town.meeples}
    for figure in town.meeples:
        total[figure.seat] += strength(figure, town)
    if max(total.values(), default=0) > 0:
        return majority(town)  # HS-03
    return list(total)


def as_city(position: Position, place: Place) -> tuple[Position, Feature]:
    """Return the city at a place as it would be without a castle, with that position."""
    without = replace(position, castles=(), lords=())
    return without, feature_at(without, *place)


def cities(position: Position) -> list[Place]:
    """List the cities of the tile just placed."""
    return [s.place for s in segments_of(position.tiles[-1]) if s.kind == Kind.CITY]


def questions(position: Position) -> list[Question]:
    """List the open decisions on towns in this placement, in order.

    In ``Phase.CASTLE``, the list begins with the current decision. Seats decide clockwise from the
    turn player, each on their towns in segment order of the tile just placed. If one occupier has
    converted a town and another occupier is tied, the other still decides on it (CAS-36).
    """
    seats = sorted(range(position.rules.n_players), key=lambda seat: distance(position, seat))
    everything = [Question(seat, city) for seat in seats for city in cities(position)]
    if position.phase == Phase.CASTLE and position.town is not None:
        asked = Question(position.decider, position.town)
        everything = list(dropwhile(lambda question: question != asked, everything))
    return [question for question in everything if is_open(position, question)]


def is_open(position: Position, question: Question) -> bool:
    """Return whether a seat may still decide on the city of a question."""
    without, city = as_city(position, question.town)
    return (
        is_town(without, city)
        and question.seat in occupiers(city)  # CAS-09
        and has_token(position, question.seat)  # CAS-08
        and question.seat not in converters(position, city)
    )


def converters(position: Position, city: Feature) -> set[int]:
    """Return the seats that chose to make a city a castle that is not founded yet."""
    return {lord.seat for lord in position.lords if (lord.x, lord.y, lord.spot) in city.segments}


def answered(position: Position, converts: bool) -> Position:
    """Record the decider's choice for their town, without changing the phase or the question."""
    if position.town is None:
        raise ValueError("no town is asked for")
    if not converts:  # CAS-35, CAS-37: scored in step 3
        return position
    _, town = as_city(position, position.town)
    tokens = list(position.tokens)
    tokens[position.decider] -= 1  # CAS-07, CAS-38
    more = [figure for figure in town.meeples if figure.seat == position.decider]
    return replace(position, tokens=tuple(tokens), lords=(*position.lords, *more))


def settled(position: Position, asked: list[Question]) -> Position:
    """Make towns into castles after all decisions, except towns that others score first.

    ``asked`` lists the decisions that are still open. Mage and witch leave converted towns of both
    kinds (MW-18).
    """
    for place in cities(position):
        _, town = as_city(position, place)
        lords = converters(position, town)
        if not lords or place in {question.town for question in asked}:
            continue
        position = mage_witch.out_of_town(position, town)
        if lords == set(occupiers(town)):  # CAS-34, CAS-42
            others = [f for f in town.figures if f.seat not in lords or f not in town.meeples]
            stay = tuple(figure for figure in position.figures if figure not in others)
            position = founded(replace(position, figures=stay), place)
    return position


def founded(position: Position, place: Place) -> Position:
    """Make a town with no figures but its lords into a castle."""
    _, town = as_city(position, place)
    left = tuple(f for f in position.lords if (f.x, f.y, f.spot) not in town.segments)
    return replace(position, castles=(*position.castles, Castle(*place)), lords=left)


def all_founded(position: Position) -> Position:
    """Make the converted towns that others have scored into castles of their lords (CAS-37)."""
    for place in cities(position):
        if converters(position, as_city(position, place)[1]):
            position = founded(position, place)
    return position


# --- Fiefs --------------------------------------------------------------------------------------


def fief(position: Position, castle: Feature) -> set[Cell]:
    """Return the six cells of a castle's fief (CAS-14, CAS-15)."""
    (x, y), (x2, _) = sorted(castle.tiles)
    if x == x2:  # One tile is above the other.
        return {(x + dx, y + dy) for dx in (-1, 0, 1) for dy in (0, 1)}
    if position.rules.castle_fief == "flanks":
        return {(x + dx, y + dy) for dx in (0, 1) for dy in (-1, 0, 1)}
    return {(x + dx, y) for dx in range(-2, 4)}


def surroundings_of(castle: Feature) -> set[Cell]:
    """Return the two cells of a castle and all cells around them."""
    return set().union(*(around(x, y) for x, y in castle.tiles)) | castle.tiles


# --- What a castle takes ------------------------------------------------------------------------


def castle_of(position: Position, castle: Castle) -> Feature:
    """Return the feature of a castle."""
    return feature_at(position, castle.x, castle.y, castle.spot)


def is_new(position: Position, castle: Castle) -> bool:
    """Return whether a castle was built in this placement, on the tile just placed (CAS-12)."""
    last = position.tiles[-1]
    return (last.x, last.y) in castle_of(position, castle).tiles


def may_take(position: Position) -> list[Castle]:
    """List the castles whose lords wait for a feature, in scoring order.

    The order is clockwise from the turn player by the castles' first lords, then by age.
    """
    found = [
        castle
        for castle in position.castles
        if not is_new(position, castle) and castle_of(position, castle).meeples  # CAS-24
    ]
    return sorted(found, key=lambda castle: distance(position, first_lord(position, castle)))


def first_lord(position: Position, castle: Castle) -> int:
    """Return the owner of a castle: its first lord clockwise from the turn player."""
    return in_turn(position, castle_of(position, castle).meeples)[0].seat


def takings(position: Position, castle: Castle) -> dict[Place, int]:
    """Return the features that a castle may take in this scoring, with their points.

    These are features in its fief that this placement completed, occupied or not (CAS-16, CAS-21,
    CAS-40), and other castles in the fief that have taken points (CAS-23). Each key is the
    feature's first segment in the fief, row by row from the north-west.
    """
    cells = fief(position, castle_of(position, castle))
    found = [
        (f, value(position, f, final=False))
        for f in completed(position)
        if monasteries.is_for_castles(position, f)
    ]
    found += [(castle_of(position, c), c.points) for c in position.castles if c != castle]
    named = {}
    for feature, points in found:
        inside = [place for place in feature.segments if place[:2] in cells]
        if inside and points > 0:
            named[min(inside, key=lambda place: (place[1], place[0], place[2]))] = points
    return named


def with_points(position: Position, castle: Castle, points: int) -> Position:
    """Record the points that a castle has taken."""
    castles = tuple(replace(c, points=points) if c == castle else c for c in position.castles)
    return replace(position, castles=castles)


def paid_out(position: Position, castle: Castle) -> Position:
    """Pay the lords of a castle the points that it took; the lords return (CAS-24, CAS-36).

    A mayor gets nothing because a castle has no coat of arms (CAS-31). Wagons wait for their moves.
    """
    lords = castle_of(position, castle).meeples
    scores = list(position.scores)
    paid = {lord.seat for lord in lords if lord.figure != Figure.MAYOR}
    for seat in paid:
        scores[seat] += castle.points
    position = count.noted(position, paid if castle.points > 0 else ())
    for seat, points in dragon.for_castle(position, castle_of(position, castle)).items():
        scores[seat] += points
    if position.rules.gold_castle:  # GOL-15
        position = gold.claimed(position, fief(position, castle_of(position, castle)), paid)
    wagons = [lord for lord in lords if lord.figure == Figure.WAGON]  # CAS-32
    return replace(
        position,
        scores=tuple(scores),
        figures=tuple(figure for figure in position.figures if figure not in lords),
        wagons=in_turn(position, [*position.wagons, *wagons]),
    )


def all_scored(position: Position) -> Position:
    """Score the castles after all other features; stop in ``Phase.CASTLE_CHOICE`` to ask a lord."""
    if position.rules.castle_choice == "ask":
        return next_scored(position)
    while (more := with_best(position)) != position:
        position = more
    for castle in position.castles:
        if castle.points > 0:
            position = paid_out(position, castle)
    return closed(position)


def with_best(position: Position) -> Position:
    """Let each castle take its best feature (CAS-22), given what the others have taken so far."""
    better = position
    for castle in may_take(position):
        best = max(takings(position, castle).values(), default=0)
        better = with_points(better, castle, best)
    return better


def next_scored(position: Position) -> Position:
    """Score castles one by one, until a lord must choose or no castle can take anything.

    A castle without a complete feature in its fief may still score after another castle scores.
    """
    for castle in may_take(position):
        found = takings(position, castle)
        if len(found) == 1:  # CAS-20
            return next_scored(taken(position, castle, *found.values()))
        if found:
            town = (castle.x, castle.y, castle.spot)
            lord = first_lord(position, castle)
            return replace(position, phase=Phase.CASTLE_CHOICE, decider=lord, town=town)
    return closed(position)


def taken(position: Position, castle: Castle, points: int) -> Position:
    """Let a castle take points, and pay them out."""
    position = with_points(position, castle, points)
    return paid_out(position, replace(castle, points=points))


def chosen(position: Position, place: Place) -> Position:
    """Let the decider's castle take the chosen feature; then score the castles that follow."""
    castle = asking(position)
    return next_scored(taken(position, castle, takings(position, castle)[place]))


def asking(position: Position) -> Castle:
    """Return the castle that the decider chooses for in ``Phase.CASTLE_CHOICE``."""
    (castle,) = (c for c in position.castles if (c.x, c.y, c.spot) == position.town)
    return castle


def closed(position: Position) -> Position:
    """End the castle scoring and clear the points that the castles took."""
    castles = tuple(replace(castle, points=0) for castle in position.castles)
    return replace(position, castles=castles, town=None)
