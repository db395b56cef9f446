"""Entries in the learned value function for corn circles: who has affected meeples."""

from carc_env.engine.compiler.jit import i8, kernel
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import Phase
from carc_env.engine.core.state import SLOTS_PER_SEAT, State
from carc_env.search.tables import N_TIMES, Table, game_surveyed, place_of
from carc_env.sets.corn_circles.kernels import is_called

MOST_CALLED = 3
"""Highest number of affected meeples that is distinguished."""
N_CALLED = MOST_CALLED + 1
"""Number of counts that are distinguished."""

TABLES = (Table("circle", (2, N_TIMES, N_CALLED, N_CALLED), most=1),)
(PENDING,) = (table.first for table in TABLES)


@at(game_surveyed, "crop_circles", place_of("circle"))
@kernel(i8(State, i8, i8, i8[::1]))
def add_circle(s, seat, time, entries):
    """Write the entry for a pending choice: who makes it, and how many meeples it affects.

    The two counts are the seat's own and the highest among its opponents. Return how many entries
    were written.
    """
    if s.phase != Phase.CIRCLE:
        return 0
    own, rival = 0, 0
    for other in range(s.rules.n_players):
        n = 0
        for figure in range(SLOTS_PER_SEAT * other, SLOTS_PER_SEAT * (other + 1)):
            n += is_called(s, figure)
        if other == seat:
            own = min(n, MOST_CALLED)
        else:
            rival = max(rival, min(n, MOST_CALLED))
    index = ((s.turn_player != seat) * N_TIMES + time) * N_CALLED + own
    entries[0] = PENDING[0] + index * N_CALLED + rival
    return 1
