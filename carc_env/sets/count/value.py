"""Entries in the learned value function for Carcassonne: who waits where and threatens whom."""

import numpy as np

from carc_env.engine.compiler.jit import i8, kernel
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import MAX_PLAYERS, N_QUARTERS, Figure, Kind, Phase
from carc_env.engine.core.figures import strength
from carc_env.engine.core.state import State
from carc_env.search.measures import at_stake
from carc_env.search.tables import (
    N_RELATIONS,
    N_TIMES,
    Table,
    feature_surveyed,
    game_surveyed,
    place_of,
)
from carc_env.sets.count.kernels import NO_QUARTER, QUARTER_OF, n_waiting, strength_waiting

MOST_WAITING = 3
"""Highest number of a seat's meeples in a quarter that is distinguished."""
PRICE = 6.0
"""Points that a meeple in a quarter is worth initially, before learning."""
MOST_IN_HAND = 3
CHANCE = 4.0
"""Points that a chance to enter Carcassonne is worth initially.

It exceeds the usual cost of completing a feature for an opponent. Otherwise, no agent would try
that, and training would learn nothing about waiting meeples.
"""
LOSES, TIES, WINS = range(3)
"""A seat's result in a feature if all meeples waiting for its kind join it."""

_time, _, _, _n = np.ogrid[:N_TIMES, :1, :1, 1 : MOST_WAITING + 1]
_price = PRICE * _n * (_time + 0.5) / N_TIMES
TABLES = (
    Table(
        "waiting",
        (2, N_TIMES, N_QUARTERS, 2, MOST_WAITING),
        most=MAX_PLAYERS * N_QUARTERS,
        start=np.array([_price, -_price]),
    ),
    Table("joining", (N_RELATIONS, N_TIMES, N_QUARTERS, 3, 2, 2, 3)),
    Table(
        "entering",
        (2, N_TIMES, MOST_IN_HAND + 1),
        most=1,
        start=np.array([CHANCE, -CHANCE]).reshape(2, 1, 1),
    ),
)
WAITING, JOINING, ENTERING = (table.first for table in TABLES)


@at(game_surveyed, "count", place_of("waiting"))
@kernel(i8(State, i8, i8, i8[::1]))
def add_waiting(s, seat, time, entries):
    """Write an entry for each seat in each quarter: how many wait, and whether the count is there.

    If a seat may enter, add one more entry for its meeples in hand. Return how many entries were
    written.
    """
    n = 0
    for other in range(s.rules.n_players):
        for quarter in range(N_QUARTERS):
            n_there = min(n_waiting(s, other, quarter), MOST_WAITING)
            if n_there > 0:
                index = ((other != seat) * N_TIMES + time) * N_QUARTERS + quarter
                index = index * 2 + (quarter == s.count)
                entries[n] = WAITING[0] + index * MOST_WAITING + n_there - 1
                n += 1
    if s.phase == Phase.ENTER:
        index = (s.decider != seat) * N_TIMES + time
        n_in_hand = min(s.players[s.decider].supply[Figure.MEEPLE], MOST_IN_HAND)
        entries[n] = ENTERING[0] + index * (MOST_IN_HAND + 1) + n_in_hand
        n += 1
    return n


@kernel(i8(State, i8, i8))
def outcome_for(s, feature, seat):
    """Return a seat's result in a feature if all meeples waiting for its kind join it."""
    own, rival = 0, 0
    for other in range(s.rules.n_players):
        total = strength(s, feature, other) + strength_waiting(s, feature, other)
        if other == seat:
            own = total
        else:
            rival = max(rival, total)
    if own == rival:
        return TIES
    return WINS if own > rival else LOSES


@at(feature_surveyed, "count", place_of("joining"))
@kernel(i8(State, i8, i8, i8, i8[::1]))
def add_joining(s, feature, seat, spread, entries):
    """Write the entry for a feature that meeples can join from Carcassonne; return how many.

    It encodes the stakes, whether the feature is almost complete, whether the count is in the
    quarter, and who would win the feature.
    """
    found = s.features[feature]
    quarter = QUARTER_OF[found.kind]
    if quarter == NO_QUARTER:
        return 0
    n_there = 0
    for other in range(s.rules.n_players):
        n_there += n_waiting(s, other, quarter)
    if n_there == 0:
        return 0
    is_near = found.kind != Kind.FIELD and found.n_open < 2
    index = (spread * N_QUARTERS + quarter) * 3 + at_stake(s, found.figure)
    index = (index * 2 + is_near) * 2 + (quarter == s.count)
    entries[0] = JOINING[0] + index * 3 + outcome_for(s, feature, seat)
    return 1
