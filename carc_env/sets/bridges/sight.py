"""Planes and globals that show bridges."""

from numba import float32, uint8

from carc_env.engine.compiler.jit import i8, kernel, void
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import Plane, Stock
from carc_env.engine.core.moments import has
from carc_env.engine.core.state import State
from carc_env.engine.core.tiles import BRIDGE_AXIS, NO_AXIS
from carc_env.engine.sight.moments import numbers_written, tile_painted


@at(tile_painted, has(Stock.BRIDGE))
@kernel(void(State, i8, i8, uint8[::1]))
def paint_bridge(s, design, rotation, row):
    """Write the direction in which a bridge crosses a tile."""
    axis = BRIDGE_AXIS[design, rotation]
    if axis != NO_AXIS:
        row[s.rules.first_plane[Plane.BRIDGE] + axis] = 1


@at(numbers_written, has(Stock.BRIDGE))
@kernel(i8(State, i8, float32[::1]))
def write_bridged(s, seat, out):
    """Write whether a bridge was built in this turn."""
    out[0] = s.has_bridged
    return 1


def most_on_tile(form):
    """Return how many planes a tile of this form can fill."""
    return int(BRIDGE_AXIS[form, 0] != NO_AXIS)
