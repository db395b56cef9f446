"""Rivals among buildings."""

from carc_env.engine.compiler.jit import b1, kernel
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import Problem
from carc_env.engine.core.moments import find_wrong
from carc_env.engine.core.rivals import building_at, n_rivals
from carc_env.engine.core.state import State
from carc_env.engine.core.tiles import NO_BUILDING


@at(find_wrong, key=Problem.RIVALS)
@kernel(b1(State))
def has_wrong_rivals(s):
    """Return whether a building has two rivals (CULT-03, CULT-04)."""
    if s.rules.rivals == 0:
        return False
    for tile in range(s.n_tiles):
        cell = s.tiles[tile].cell
        building = building_at(s, cell)
        if building != NO_BUILDING and n_rivals(s, building, cell) > 1:
            return True
    return False
