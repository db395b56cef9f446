"""Entries in the learned value function for ingots: in hand, and on occupied features."""

import numpy as np

from carc_env.engine.compiler.jit import i8, kernel
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import MAX_PLAYERS, Stock
from carc_env.engine.core.state import State
from carc_env.search.tables import (
    N_RELATIONS,
    N_TIMES,
    Table,
    feature_surveyed,
    game_surveyed,
    place_of,
)
from carc_env.sets.gold.kernels import ingots_of

N_OWNED = 12
"""Number of ingot counts for a seat, including every step; the last stands for all larger ones."""
N_LYING = 4
"""Number of ingot counts for a feature, from one; the last stands for all larger ones."""
NEAR = 2
"""Number of open sides or empty neighbours at which a feature counts as almost complete."""
INGOT_PRICE = 0.8
"""Points that an ingot is worth to the feature's leader, before learning."""
_leads = np.array([1.0, 1.0, 0.2, -1.0, -1.0])[:, None, None, None]  # alone, ahead, tied, ...
_time = np.arange(N_TIMES)[:, None, None] > 0

TABLES = (
    Table("ingots", (2, N_TIMES, N_OWNED), most=MAX_PLAYERS),
    Table(
        "lying",
        (N_RELATIONS, N_TIMES, 2, N_LYING),
        start=INGOT_PRICE * _leads * _time * np.arange(1, N_LYING + 1),
    ),
)
INGOTS, LYING = (table.first for table in TABLES)


@at(game_surveyed, "gold", place_of("ingots"))
@kernel(i8(State, i8, i8, i8[::1]))
def add_owned(s, seat, time, entries):
    """Write the entries for all seats' ingots."""
    for other in range(s.rules.n_players):
        index = (other != seat) * N_TIMES + time
        held = min(s.players[other].stock[Stock.INGOT], N_OWNED - 1)
        entries[other] = INGOTS[0] + index * N_OWNED + held
    return s.rules.n_players


@at(feature_surveyed, "gold", place_of("lying"))
@kernel(i8(State, i8, i8, i8, i8[::1]))
def add_lying(s, feature, seat, spread, entries):
    """Write the entry for a feature that provides ingots; return how many."""
    n = ingots_of(s, feature)
    if n == 0:
        return 0
    is_near = s.features[feature].n_open <= NEAR
    entries[0] = LYING[0] + (spread * 2 + is_near) * N_LYING + min(n, N_LYING) - 1
    return 1
