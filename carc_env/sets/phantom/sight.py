"""Globals that show that the figure action has barred the phantom."""

from numba import float32

from carc_env.engine.compiler.jit import i8, kernel
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import Figure
from carc_env.engine.core.moments import owns
from carc_env.engine.core.state import State
from carc_env.engine.sight.moments import numbers_written
from carc_env.sets.phantom.record import MACHINE_USED, PORTAL_USED, PRINCESS_USED
from carc_env.sets.princess_dragon.princess.record import NO_PRINCESS


@at(numbers_written, owns(Figure.PHANTOM))
@kernel(i8(State, i8, float32[::1]))
def write_used(s, seat, out):
    """Write which of the portal, princess and flying machine were used, if in the rules."""
    n = 0
    if s.rules.portals != 0:
        out[n] = s.used == PORTAL_USED
        n += 1
    if s.rules.princesses != NO_PRINCESS:
        out[n] = s.used == PRINCESS_USED
        n += 1
    if s.rules.flier != 0:
        out[n] = s.used == MACHINE_USED
        n += 1
    return n
