"""When the figure action may have barred the phantom."""

from carc_env.engine.compiler.jit import b1, kernel
from carc_env.engine.compiler.memory import room_for
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import Figure, Phase, Problem
from carc_env.engine.core.moments import find_wrong
from carc_env.engine.core.state import State
from carc_env.sets.mage_witch.record import NOT_ASKED
from carc_env.sets.phantom.kernels import MAX_PLACES, offer_places
from carc_env.sets.phantom.record import MACHINE_USED, NOTHING_USED, PRINCESS_USED


@at(find_wrong, key=Problem.TURN)
@kernel(b1(State))
def has_wrong_use(s):
    """Return whether the figure action's use is still noted when it no longer matters (PHA-08)."""
    phase = s.phase if s.magic_at == NOT_ASKED else s.magic_at
    is_second = phase == Phase.SECOND or phase == Phase.SECOND_SPOT
    if is_second and s.players[s.decider].supply[Figure.PHANTOM] == 0:
        return True
    if s.phase == Phase.SECOND and offer_places(s, room_for(MAX_PLACES)) == 0:
        return True
    if s.used == NOTHING_USED:
        return False
    may_count = phase == Phase.BRIDGE or (is_second and s.used != PRINCESS_USED)
    may_count |= phase == Phase.LANDING and s.used == MACHINE_USED
    return s.rules.owned[Figure.PHANTOM] == 0 or not may_count
