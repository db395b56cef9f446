"""What shows castles and towns."""

from numba import uint8

from carc_env.engine.compiler.jit import kernel, void
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import Plane, Stock
from carc_env.engine.core.moments import has
from carc_env.engine.core.state import NO_SEGMENT, State
from carc_env.engine.sight.marks import MAX_BYTE, mark, row_of_segment
from carc_env.engine.sight.moments import decision_marked
from carc_env.engine.sight.shown import Shown


@at(decision_marked, has(Stock.TOKEN))
@kernel(void(State, Shown, uint8[:, ::1]))
def mark_castles(s, show, board):
    """Write where castles stand and what they have just taken, and what is decided on."""
    plane = s.rules.first_plane[Plane.CASTLE]
    for k in range(s.n_castles):
        shown = min(1 + s.castles[k].points, MAX_BYTE)
        segment = s.castles[k].segment
        mark(show, row_of_segment(s, show, segment), plane, shown, board)
        mark(show, row_of_segment(s, show, s.segments[segment].next), plane, shown, board)
    town = s.town
    if town != NO_SEGMENT:
        mark(show, row_of_segment(s, show, town), plane + 1, 1, board)
        mark(show, row_of_segment(s, show, s.segments[town].next), plane + 1, 1, board)


def most_marked(rules):
    """How many places this can mark."""
    return 2 * rules.tokens_each * rules.n_players
