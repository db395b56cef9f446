"""Planes and globals that show flying machines, and the meeple that must land."""

from numba import float32, uint8

from carc_env.engine.compiler.jit import i8, kernel, void
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import Plane
from carc_env.engine.core.state import State
from carc_env.engine.sight.moments import numbers_written, tile_painted
from carc_env.sets.flier.record import COLUMN_STEPS, DIRECTION, NO_MACHINE, ROW_STEPS

NO_STEP = 2
"""Plane value for no step: 1 less is a step up or left, 1 more a step down or right."""


@at(tile_painted, "flier")
@kernel(void(State, i8, i8, uint8[::1]))
def paint_machine(s, design, rotation, row):
    """Write the row step and column step of a flight from the tile."""
    plane, direction = s.rules.first_plane[Plane.FLIER], DIRECTION[design, rotation]
    if direction == NO_MACHINE:
        row[plane], row[plane + 1] = 0, 0
        return
    row[plane], row[plane + 1] = (
        NO_STEP + ROW_STEPS[direction],
        NO_STEP + COLUMN_STEPS[direction],
    )


@at(numbers_written, "flier")
@kernel(i8(State, i8, float32[::1]))
def write_flier(s, seat, out):
    """Write the kind of meeple that must land."""
    n = 0
    for kind in range(s.rules.n_fliers):
        if s.rules.owned[kind] > 0:
            out[n] = s.flies == kind
            n += 1
    return n


def most_on_tile(form):
    """Return how many planes a tile of this form can fill."""
    return 2 * (DIRECTION[form, 0] != NO_MACHINE)
