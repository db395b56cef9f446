"""Entries in the learned value function for the fairy."""

from carc_env.engine.compiler.jit import i8, kernel
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.figures import seat_of
from carc_env.engine.core.state import NO_FIGURE, State
from carc_env.search.tables import N_TIMES, Table, game_surveyed, place_of

TABLES = (Table("fairy", (2, N_TIMES), most=1),)
FAIRY = TABLES[0].first


@at(game_surveyed, "fairy", place_of("fairy"))
@kernel(i8(State, i8, i8, i8[::1]))
def add_fairy(s, seat, time, entries):
    """Write the entry for the meeple beside the fairy, if there is one; return how many."""
    if s.fairy_figure == NO_FIGURE:
        return 0
    entries[0] = FAIRY[0] + (seat_of(s.fairy_figure) != seat) * N_TIMES + time
    return 1
