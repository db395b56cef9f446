"""The terms of a feature's points: "4 tiles x 2 + 1 coat of arms x 2", as terms of a sum."""

from __future__ import annotations

from itertools import chain

from carc_env.engine import entry
from carc_env.engine.core.codes import Kind
from carc_env.engine.core.scoring import SURROUNDED
from carc_env.game.game import Game
from carc_env.sets import said_in
from carc_env.systems.worth import Feature, Term, Ways

SUMS = (Kind.CITY, Kind.ROAD, Kind.FIELD, Kind.MONASTERY, Kind.GARDEN, Kind.LINES)
"""Feature kinds whose points are a sum; a castle takes another feature's points instead."""


def feature_of(game: Game, number: int, *, is_scored: bool = False) -> Feature:
    """Return a feature in its current state."""
    s, bits = game.states[0], int(entry.leading(game.states, 0, number))
    leaders = tuple(seat for seat in range(game.rules.n_players) if bits >> seat & 1)
    is_complete = int(s.features[number].n_open) == 0
    return Feature(s, game.rules, number, is_complete, leaders, is_scored)


def valued(feature: Feature) -> Feature:
    """Return the feature with the terms of its points."""
    return next(_ways(feature))


def scored_terms(game: Game, number: int, points: int) -> tuple[Term, ...]:
    """Return the terms of points just scored for a feature: the fewest that add up, if any do."""
    ways = _ways(feature_of(game, number, is_scored=True))
    return min((way.terms for way in ways if way.total == points), key=len, default=())


def _own_terms(feature: Feature) -> Ways:
    """Return a feature's points without sets: BASE-11 to BASE-14, BASE-23, BASE-24, GAR-04."""
    record = feature.record
    n_tiles, shields = int(record.n_tiles), int(record.shields)
    if feature.kind == Kind.CITY:
        is_small = n_tiles == 2 and feature.rules.small_city_points == 2
        each = 2 if feature.is_complete and not is_small else 1
        yield feature.plus(n_tiles, "tiles", each).plus(shields, "shields", each)
    elif feature.kind == Kind.FIELD:
        yield feature.plus(shields, "cities", feature.each + feature.more)
    elif feature.kind == Kind.ROAD:
        yield feature.plus(n_tiles, "tiles", 1)
    elif feature.kind in (Kind.MONASTERY, Kind.GARDEN):
        n_empty = 0 if feature.is_complete else int(record.n_open)
        yield feature.plus(SURROUNDED - n_empty, "tiles", 1)
    else:
        yield feature


PER_CITY = said_in("page", "per_city")
CHANGES = [
    _own_terms,
    *said_in("page", "terms"),
    *said_in("page", "changed"),
    *said_in("page", "added"),
]


def _ways(feature: Feature) -> Ways:
    """Return a feature's possible points, applying all sets one after the other."""
    ways = iter([feature])
    for change in (*(PER_CITY if feature.kind == Kind.FIELD else ()), *CHANGES):
        ways = chain.from_iterable(map(change, ways))
    return ways
