"""Tiles under hills."""

from carc_env.engine.compiler.jit import b1, kernel
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import Problem
from carc_env.engine.core.moments import find_wrong
from carc_env.engine.core.state import State
from carc_env.engine.core.tiles import IS_HILL
from carc_env.sets.hills_sheep.hills.record import NO_HILLS


@at(find_wrong, key=Problem.HIDDEN)
@kernel(b1(State))
def has_wrong_hidden(s):
    """Check if a hill hides several tiles, or two hidden tiles share a bag position (HS-02)."""
    n_hills = 0
    for tile in range(s.n_tiles):
        n_hills += IS_HILL[s.tiles[tile].design]
    if not 0 <= s.n_hidden <= n_hills * (s.rules.hills != NO_HILLS):
        return True
    n_in_all = -1
    for slot in range(s.rules.n_designs):
        n_in_all += s.rules.slot_copies[slot]
    for k in range(s.n_hidden):
        if not s.n_bag <= s.hidden[k] < n_in_all:
            return True
        for other in range(k):
            if s.hidden[other] == s.hidden[k]:
                return True
    return False
