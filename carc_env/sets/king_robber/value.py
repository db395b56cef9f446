"""Entries in the learned value function for King and Robber."""

from carc_env.engine.compiler.jit import i8, kernel
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import N_MARKERS, Stock
from carc_env.engine.core.state import State
from carc_env.search.tables import N_TIMES, Table, game_surveyed, place_of

TABLES = (Table("markers", (N_MARKERS, 3, N_TIMES, 6), most=N_MARKERS),)
MARKERS = TABLES[0].first


@at(game_surveyed, "king_robber", place_of("markers"))
@kernel(i8(State, i8, i8, i8[::1]))
def add_markers(s, seat, time, entries):
    """Write the entries for King and Robber: who has them."""
    for k in range(N_MARKERS):
        holder = 2
        for other in range(s.rules.n_players):
            if s.players[other].stock[Stock.KING + k] != 0:
                holder = other != seat
        entries[k] = MARKERS[0] + ((k * 3 + holder) * N_TIMES + time) * 6
    return N_MARKERS
