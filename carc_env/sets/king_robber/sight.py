"""Globals that show the sizes that the largest city and the longest road must exceed."""

from numba import float32

from carc_env.engine.compiler.jit import i8, kernel
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import Kind
from carc_env.engine.core.state import State
from carc_env.engine.sight.moments import numbers_written


@at(numbers_written, "king_robber")
@kernel(i8(State, i8, float32[::1]))
def write_largest(s, seat, out):
    """Write the sizes of the largest complete city and the longest complete road."""
    out[0] = s.completed[Kind.CITY].largest / 10
    out[1] = s.completed[Kind.ROAD].largest / 10
    return 2
