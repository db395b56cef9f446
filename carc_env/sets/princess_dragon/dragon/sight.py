"""Planes and globals that show the dragon and its flight."""

from numba import float32, uint8

from carc_env.engine.compiler.jit import i8, kernel, void
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import Plane
from carc_env.engine.core.state import State
from carc_env.engine.sight.marks import mark_cell
from carc_env.engine.sight.moments import decision_marked, numbers_written
from carc_env.engine.sight.shown import Shown
from carc_env.sets.princess_dragon.dragon.record import DRAGON_STEPS


@at(decision_marked, "dragon")
@kernel(void(State, Shown, uint8[:, ::1]))
def mark_dragon(s, show, board):
    """Write where the dragon is, and the cells that it has left in its flight."""
    plane = s.rules.first_plane[Plane.DRAGON]
    mark_cell(s, show, s.dragon, plane, board)
    for k in range(s.n_flown):
        mark_cell(s, show, s.flown[k], plane + 1, board)


@at(numbers_written, "dragon")
@kernel(i8(State, i8, float32[::1]))
def write_flight(s, seat, out):
    """Write how far the dragon has flown."""
    out[0] = max(s.n_flown - 1, 0) / DRAGON_STEPS
    return 1


def most_marked(rules):
    """Return how many places can be marked under the given rules."""
    return rules.dragon * (len(("dragon", "its start")) + DRAGON_STEPS)
