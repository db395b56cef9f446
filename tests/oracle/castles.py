"""Castles (docs/rules/castles.md): towns, who decides on them, fiefs, and what a castle takes.

A castle is a feature of the kind ``Kind.CASTLE``; the meeples on it are its lords.
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
    """CAS-01: how many tokens a player begins with."""
    if not rules.castles:
        return 0
    return 3 if rules.n_players <= 4 else 2


def has_token(position: Position, seat: int) -> bool:
    """Tell whether a seat has a castle token in hand (CAS-08)."""
    return bool(position.tokens) and position.tokens[seat] > 0


def distance(position: Position, seat: int) -> int:
    """Count the seats from the turn player clockwise to this one."""
    return (seat - position.turn_player) % position.rules.n_players


# --- Towns --------------------------------------------------------------------------------------


class Question(NamedTuple):
    """A town that a seat decides on, named by its segment on the tile just placed."""

    seat: int
    town: Place


def is_town(position: Position, feature: Feature) -> bool:
    """Tell whether a feature is a complete city of two caps on two tiles (CAS-02)."""
    return feature.kind == Kind.CITY and feature.is_complete and has_two_caps(position, feature)


def has_two_caps(position: Position, feature: Feature) -> bool:
    """Tell whether a city or castle consists of two one-sided segments, by the base rule in use.

    None of them lies at Carcassonne, unless a switch allows it (XCK-03).
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
    """Tell whether a city segment can be half of a castle (CAS-02)."""
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
    """Find the city at a place as it would be if no castle had been built."""
    without = replace(position, castles=())
    return without, feature_at(without, *place)


def questions(position: Position) -> list[Question]:
    """List the decisions on towns that are still to come in this placement, in their order.

    In ``Phase.CASTLE`` they begin with the one that is asked now. Seats decide clockwise from the
    turn player, each on their towns in the order of the segments of the tile just placed. A town
    that one occupier has converted is still asked for if another is tied with them (CAS-36).
    """
    seats = sorted(range(position.rules.n_players), key=lambda seat: distance(position, seat))
    cities = [s.place for s in segments_of(position.tiles[-1]) if s.kind == Kind.CITY]
    everything = [Question(seat, city) for seat in seats for city in cities]
    if position.phase == Phase.CASTLE and position.town is not None:
        asked = Question(position.decider, position.town)
        everything = list(dropwhile(lambda question: question != asked, everything))
    return [question for question in everything if is_open(position, question)]


def is_open(position: Position, question: Question) -> bool:
    """Tell whether a seat may decide on the city at this place."""
    without, city = as_city(position, question.town)
    return (
        is_town(without, city)
        and question.seat in occupiers(city)  # CAS-09
        and has_token(position, question.seat)  # CAS-08
    )


def answered(position: Position, converts: bool) -> Position:
    """Do what the decider has decided on their town; phase and question stay as they are."""
    if position.town is None:
        raise ValueError("no town is asked for")
    is_castle = feature_at(position, *position.town).kind == Kind.CASTLE
    if not converts:  # CAS-35: scored in step 3; CAS-37: or now, if others have converted it.
        return gone_home(position, {position.decider}, scores=True) if is_castle else position
    _, *later = questions(position)
    tokens = list(position.tokens)
    tokens[position.decider] -= 1  # CAS-07, CAS-38
    position = replace(position, tokens=tuple(tokens))
    position = position if is_castle else converted(out_of_town(position))
    return position if has_token(position, position.decider) else parted(position, later)


def parted(position: Position, later: list[Question]) -> Position:
    """Let the decider, who has spent their last token, score the castles that others keep (CAS-08).

    Those that they would have been asked for later.
    """
    town = position.town
    for question in later:
        is_castle = feature_at(position, *question.town).kind == Kind.CASTLE
        if question.seat == position.decider and is_castle:
            position = replace(position, town=question.town)
            position = gone_home(position, {question.seat}, scores=True)
    return replace(position, town=town)


def out_of_town(position: Position) -> Position:
    """Take mage and witch off the town that becomes a castle (MW-18)."""
    return mage_witch.out_of_town(position, as_city(position, position.town)[1])


def converted(position: Position) -> Position:
    """Make a town the decider's castle and send home who has no part in it."""
    if position.town is None:
        raise ValueError("no town is asked for")
    _, town = as_city(position, position.town)
    others = {figure.seat for figure in town.meeples} - {position.decider}
    tied = others & set(occupiers(town))
    later = {
        seat
        for seat in tied
        if has_token(position, seat)
        if distance(position, seat) > distance(position, position.decider)
    }
    position = gone_home(position, tied - later, scores=True)  # CAS-37
    position = gone_home(position, others - tied, scores=False)  # CAS-34
    kept = tuple(
        f for f in position.figures if f not in town.figures or f in town.meeples
    )  # CAS-42
    return replace(position, castles=(*position.castles, Castle(*position.town)), figures=kept)


def gone_home(position: Position, seats: set[int], scores: bool) -> Position:
    """Take the meeples of some seats off the town, which pays them as a city or not at all.

    Nobody gets points for strength 0 (MAY-10). Wagons that are scored wait for their moves
    (WAG-04).
    """
    without, town = as_city(position, position.town)
    new = list(position.scores)
    paid = seats & set(majority(town)) if scores else set()
    for seat in paid:
        new[seat] += value(without, town, final=False)
    position = count.noted(position, paid)
    home = [figure for figure in town.meeples if figure.seat in seats]
    wagons = [figure for figure in home if figure.figure == Figure.WAGON and scores]
    return replace(
        position,
        scores=tuple(new),
        figures=tuple(figure for figure in position.figures if figure not in home),
        wagons=in_turn(position, [*position.wagons, *wagons]),
    )


# --- Fiefs --------------------------------------------------------------------------------------


def fief(position: Position, castle: Feature) -> set[Cell]:
    """Collect the six cells of a castle's fief (CAS-14, CAS-15)."""
    (x, y), (x2, _) = sorted(castle.tiles)
    if x == x2:  # One tile above the other.
        return {(x + dx, y + dy) for dx in (-1, 0, 1) for dy in (0, 1)}
    if position.rules.castle_fief == "flanks":
        return {(x + dx, y + dy) for dx in (0, 1) for dy in (-1, 0, 1)}
    return {(x + dx, y) for dx in range(-2, 4)}


def surroundings_of(castle: Feature) -> set[Cell]:
    """Collect the two cells of a castle and those around both."""
    return set().union(*(around(x, y) for x, y in castle.tiles)) | castle.tiles


# --- What a castle takes ------------------------------------------------------------------------


def castle_of(position: Position, castle: Castle) -> Feature:
    """Find the feature that a castle is."""
    return feature_at(position, castle.x, castle.y, castle.spot)


def is_new(position: Position, castle: Castle) -> bool:
    """Tell whether a castle was built in this placement: on the tile just placed (CAS-12)."""
    last = position.tiles[-1]
    return (last.x, last.y) in castle_of(position, castle).tiles


def may_take(position: Position) -> list[Castle]:
    """List the castles whose lords wait for a feature, in the order in which they are scored.

    Clockwise from the turn player by their first lords, those of one seat by age.
    """
    found = [
        castle
        for castle in position.castles
        if not is_new(position, castle) and castle_of(position, castle).meeples  # CAS-24
    ]
    return sorted(found, key=lambda castle: distance(position, first_lord(position, castle)))


def first_lord(position: Position, castle: Castle) -> int:
    """Find the owner of a castle, of several the first one clockwise from the turn player."""
    return in_turn(position, castle_of(position, castle).meeples)[0].seat


def takings(position: Position, castle: Castle) -> dict[Place, int]:
    """List the features that a castle may take in this scoring, with what they are worth.

    Those of its fief that the tile just placed has completed, occupied or not (CAS-16, CAS-21,
    CAS-40), and other castles that have taken something (CAS-23). Each is named by its first
    segment in the fief, from the north-west on.
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
    """Note what a castle has taken."""
    castles = tuple(replace(c, points=points) if c == castle else c for c in position.castles)
    return replace(position, castles=castles)


def paid_out(position: Position, castle: Castle) -> Position:
    """Give the lords of a castle what it has taken and send them home (CAS-24, CAS-36).

    Not to mayors: a castle has no coat of arms (CAS-31). Wagons wait for their moves.
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
    """Score the castles after everything else; stop in ``Phase.CASTLE_CHOICE`` to ask a lord."""
    if position.rules.castle_choice == "ask":
        return next_scored(position)
    while (more := with_best(position)) != position:
        position = more
    for castle in position.castles:
        if castle.points > 0:
            position = paid_out(position, castle)
    return closed(position)


def with_best(position: Position) -> Position:
    """Let every castle take the best it can (CAS-22), given what the others have taken so far."""
    better = position
    for castle in may_take(position):
        best = max(takings(position, castle).values(), default=0)
        better = with_points(better, castle, best)
    return better


def next_scored(position: Position) -> Position:
    """Score castles one after the other, until a lord has to choose or nothing is left to take.

    A castle in whose fief nothing is complete may get something when another has been scored.
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
    """Let a castle take some points."""
    position = with_points(position, castle, points)
    return paid_out(position, replace(castle, points=points))


def chosen(position: Position, place: Place) -> Position:
    """Let the decider's castle take the chosen feature; then score the castles that follow."""
    castle = asking(position)
    return next_scored(taken(position, castle, takings(position, castle)[place]))


def asking(position: Position) -> Castle:
    """Find the castle for which the decider chooses in ``Phase.CASTLE_CHOICE``."""
    (castle,) = (c for c in position.castles if (c.x, c.y, c.spot) == position.town)
    return castle


def closed(position: Position) -> Position:
    """End the scoring of castles: nobody has to remember what they have taken."""
    castles = tuple(replace(castle, points=0) for castle in position.castles)
    return replace(position, castles=castles, town=None)
