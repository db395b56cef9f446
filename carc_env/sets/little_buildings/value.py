"""Entries in the learned value function for little buildings: what players have left."""

import numpy as np

from carc_env.engine.compiler.jit import i8, kernel
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import MAX_PLAYERS, Stock
from carc_env.engine.core.moments import has
from carc_env.engine.core.state import State
from carc_env.search.tables import N_TIMES, Table, game_surveyed, place_of
from carc_env.sets.little_buildings.record import N_BUILDINGS

N_LEFT = 19
"""Number of point totals that a seat's unbuilt buildings can add: 0 to 18 (three of each kind)."""
PRICE = 0.4
"""Initial value of each such point, before learning."""

_time, _n = np.ogrid[:N_TIMES, :N_LEFT]
_price = PRICE * _n * (_time + 0.5) / N_TIMES
TABLES = (
    Table("unbuilt", (2, N_TIMES, N_LEFT), most=MAX_PLAYERS, start=np.array([_price, -_price])),
)
(UNBUILT,) = (table.first for table in TABLES)


@at(game_surveyed, has(Stock.SHED), place_of("unbuilt"))
@kernel(i8(State, i8, i8, i8[::1]))
def add_unbuilt(s, seat, time, entries):
    """Write the entries for the points that each seat's buildings in hand can add."""
    for other in range(s.rules.n_players):
        n = 0
        for kind in range(N_BUILDINGS):
            n += s.rules.building_points[kind] * s.players[other].stock[Stock.SHED + kind]
        entries[other] = UNBUILT[0] + ((other != seat) * N_TIMES + time) * N_LEFT + n
    return s.rules.n_players
