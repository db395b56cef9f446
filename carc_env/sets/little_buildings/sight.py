"""Planes and globals that show little buildings."""

from numba import uint8

from carc_env.engine.compiler.jit import kernel, void
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import Plane, Stock
from carc_env.engine.core.moments import has
from carc_env.engine.core.state import State
from carc_env.engine.sight.marks import mark, row_of
from carc_env.engine.sight.moments import decision_marked
from carc_env.engine.sight.shown import Shown
from carc_env.sets.little_buildings.record import MAX_BUILT


@at(decision_marked, has(Stock.SHED))
@kernel(void(State, Shown, uint8[:, ::1]))
def mark_buildings(s, show, board):
    """Write which building stands on a tile."""
    plane = s.rules.first_plane[Plane.BUILDING]
    for k in range(s.n_built):
        mark(show, row_of(s, show, s.built[k].tile), plane, 1 + s.built[k].kind, board)


def most_marked(rules):
    """Return how many places can be marked under the given rules."""
    return MAX_BUILT * rules.little_buildings
