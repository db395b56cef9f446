"""Planes and globals that show the fairy."""

from numba import uint8

from carc_env.engine.compiler.jit import kernel, void
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.board import tile_at
from carc_env.engine.core.codes import N_SPOTS, Plane
from carc_env.engine.core.elsewhere import spot_of, trap_at
from carc_env.engine.core.seats import places_between
from carc_env.engine.core.state import NO_CELL, NO_FIGURE, State
from carc_env.engine.sight.marks import mark, row_of
from carc_env.engine.sight.moments import decision_marked
from carc_env.engine.sight.shown import Shown
from carc_env.sets.russian_promos.record import NO_TRAP


@at(decision_marked, "fairy")
@kernel(void(State, Shown, uint8[:, ::1]))
def mark_fairy(s, show, board):
    """Write where the fairy is: 1, or 2 plus the spot of the meeple beside it.

    The values after the spots stand for the tower, and for the trap with a meeple of the observer
    or of each other seat.
    """
    if s.fairy == NO_CELL:
        return
    shown = 1 if s.fairy_top == 0 else 2 + N_SPOTS
    if s.fairy_figure != NO_FIGURE:
        shown = 2 + spot_of(s, s.figures[s.fairy_figure].segment)
    elif s.fairy_top != 0 and trap_at(s, s.fairy) != NO_TRAP:
        shown = 3 + N_SPOTS + places_between(s, show.seat, s.fairy_top - 1)
    row = row_of(s, show, tile_at(s, s.fairy))
    mark(show, row, s.rules.first_plane[Plane.FAIRY], shown, board)


def most_marked(rules):
    """Return how many places can be marked under the given rules."""
    return int(rules.fairy)
