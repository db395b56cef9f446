"""Which seat is asked about a corn circle, and when."""

from carc_env.engine.compiler.jit import b1, kernel
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import Kind, Phase, Problem
from carc_env.engine.core.moments import find_wrong
from carc_env.engine.core.state import State
from carc_env.sets.corn_circles.kernels import kind_of_circle


@at(find_wrong, key=Problem.TURN)
@kernel(b1(State))
def asks_wrongly(s):
    """Return whether a question concerns a circle that is not on the tile just placed (CRN-03)."""
    if not Phase.CIRCLE <= s.phase <= Phase.REAP_SPOT:
        return False
    if s.rules.crop_circles == 0 or kind_of_circle(s) == Kind.NOTHING:
        return True
    return s.phase == Phase.CIRCLE and s.decider != s.turn_player
