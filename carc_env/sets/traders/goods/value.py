"""Entries in the learned value function for trade goods."""

from carc_env.engine.compiler.jit import i8, kernel
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import FIRST_GOOD, N_GOODS
from carc_env.engine.core.state import State
from carc_env.search.tables import N_TIMES, Table, game_surveyed, place_of

TABLES = (Table("goods", (N_GOODS, N_TIMES, 9, 4), most=N_GOODS),)
GOODS = TABLES[0].first


@at(game_surveyed, "goods", place_of("goods"))
@kernel(i8(State, i8, i8, i8[::1]))
def add_goods(s, seat, time, entries):
    """Write the entries for trade goods: how far ahead the seat is, and how many are left."""
    for good in range(N_GOODS):
        own, rival, n_taken = s.players[seat].stock[FIRST_GOOD + good], 0, 0
        for other in range(s.rules.n_players):
            count = s.players[other].stock[FIRST_GOOD + good]
            n_taken += count
            if other != seat:
                rival = max(rival, count)
        lead = min(max(own - rival, -4), 4) + 4
        entries[good] = GOODS[0] + ((good * N_TIMES + time) * 9 + lead) * 4 + min(n_taken // 2, 3)
    return N_GOODS
