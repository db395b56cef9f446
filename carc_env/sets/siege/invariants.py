"""Which player is asked whether a knight escapes."""

from carc_env.engine.compiler.jit import b1, kernel
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import Phase, Problem
from carc_env.engine.core.moments import find_wrong
from carc_env.engine.core.state import State


@at(find_wrong, key=Problem.TURN)
@kernel(b1(State))
def asks_wrongly(s):
    """Return whether a seat other than the turn player is asked, or there is no siege (SIE-09)."""
    asks = s.phase == Phase.ESCAPE or s.phase == Phase.ESCAPE_SPOT
    return asks and (s.rules.siege == 0 or s.decider != s.turn_player)
