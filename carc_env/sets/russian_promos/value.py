"""Entries in the learned value function for the Russian promos: figures in traps, and huts."""

import numpy as np

from carc_env.engine.compiler.jit import i8, kernel
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import MAX_PLAYERS, Kind
from carc_env.engine.core.elsewhere import n_trapped
from carc_env.engine.core.scoring import is_hut
from carc_env.engine.core.state import State
from carc_env.search.tables import (
    N_RELATIONS,
    N_TIMES,
    Table,
    feature_surveyed,
    game_surveyed,
    place_of,
)
from carc_env.sets.russian_promos.record import N_TRAPS

MOST_TRAPPED = 3
"""Highest number of a seat's meeples in a trap that is distinguished."""
LOSS = 0.7
"""Points that a hut is expected to lose for each empty cell, before learning.

A hut is worth its empty cells at present, and most of them will be filled by the end.
"""

_time, _n_empty = np.ogrid[:N_TIMES, :9]
_loss = LOSS * _n_empty * (_time + 0.5) / N_TIMES
TABLES = (
    Table(
        "hut",
        (N_RELATIONS, N_TIMES, 9),
        most=1,
        start=np.array([-_loss, -_loss, 0 * _loss, _loss, _loss]),
    ),
    Table("trapped", (2, N_TIMES, N_TRAPS, MOST_TRAPPED), most=MAX_PLAYERS * N_TRAPS),
)
HUT, TRAPPED = (table.first for table in TABLES)


@at(feature_surveyed, "russian_promos", place_of("hut"))
@kernel(i8(State, i8, i8, i8, i8[::1]))
def add_hut(s, feature, seat, spread, entries):
    """Write the entry for an occupied hut; return how many (RUS-02)."""
    found = s.features[feature]
    if found.kind != Kind.MONASTERY or not is_hut(s, feature):
        return 0
    entries[0] = HUT[0] + spread * 9 + found.n_open
    return 1


@at(game_surveyed, "russian_promos", place_of("trapped"))
@kernel(i8(State, i8, i8, i8[::1]))
def add_trapped(s, seat, time, entries):
    """Write an entry for each seat and trap: how many of the seat's meeples it holds (RUS-11)."""
    n = 0
    for other in range(s.rules.n_players):
        for trap in range(N_TRAPS):
            n_there = min(n_trapped(s, trap, other), MOST_TRAPPED)
            if n_there > 0:
                index = ((other != seat) * N_TIMES + time) * N_TRAPS + trap
                entries[n] = TRAPPED[0] + index * MOST_TRAPPED + n_there - 1
                n += 1
    return n
