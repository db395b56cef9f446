"""Planes and globals that show the second part of a turn."""

from numba import float32

from carc_env.engine.compiler.jit import i8, kernel
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import Figure
from carc_env.engine.core.moments import owns
from carc_env.engine.core.state import NO_TILE, State
from carc_env.engine.sight.moments import numbers_written


@at(numbers_written, owns(Figure.BUILDER))
@kernel(i8(State, i8, float32[::1]))
def write_parts(s, seat, out):
    """Write whether this is the second part of a turn, and whether one follows."""
    out[0] = s.first_part != NO_TILE
    out[1] = s.extends
    return 2
