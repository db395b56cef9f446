"""The figure that flies, and where it may land."""

from carc_env.engine.compiler.jit import b1, kernel
from carc_env.engine.compiler.memory import room_for
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import Figure, Phase, Problem
from carc_env.engine.core.moments import find_wrong
from carc_env.engine.core.state import State
from carc_env.sets.flier.kernels import (
    ROOM_TO_LAND,
    cell_at,
    direction_of,
    is_second_flight,
    n_landings,
)
from carc_env.sets.flier.record import DISTANCES, NO_MACHINE, NOBODY


@kernel(b1(State))
def is_on_way(s):
    """Return whether the machine on the tile just placed leads to the chosen cell (FLY-04)."""
    for distance in DISTANCES:
        if cell_at(s, distance) == s.chosen_cell:
            return True
    return False


@at(find_wrong, key=Problem.TURN)
@kernel(b1(State))
def flies_wrongly(s):
    """Check if a flying figure was not available, or has no route or landing place (FLY-06)."""
    if s.phase != Phase.LANDING:
        return s.flies != NOBODY
    if s.rules.flier == 0 or not 0 <= s.flies < s.rules.n_fliers:
        return True
    if s.players[s.decider].supply[s.flies] == 0 or direction_of(s) == NO_MACHINE:
        return True
    if is_second_flight(s) and s.flies != Figure.PHANTOM:
        return True
    return not is_on_way(s) or n_landings(s, room_for(ROOM_TO_LAND)) == 0
