"""The list of mazes, and the meeples that stood on their roads."""

from carc_env.engine.compiler.jit import b1, kernel
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import Phase, Problem
from carc_env.engine.core.features import feature_of, is_complete
from carc_env.engine.core.moments import find_wrong
from carc_env.engine.core.state import State
from carc_env.engine.core.tiles import MAZE
from carc_env.sets.labyrinth.record import MAX_MAZES, NO_MAZE


@kernel(b1(State))
def has_wrong_mazes(s):
    """Return whether mazes are missing from the list, or not in tile order (LAB-01)."""
    n = 0
    for tile in range(s.n_tiles):
        j = MAZE[s.tiles[tile].design]
        if s.rules.labyrinth != 0 and j != NO_MAZE:
            if n == MAX_MAZES or s.mazes[n] != s.tiles[tile].first_segment + j:
                return True
            n += 1
    for k in range(n, MAX_MAZES):
        if s.mazes[k] != NO_MAZE:
            return True
    return False


@kernel(b1(State))
def has_wrong_thieves(s):
    """Return whether thieves are counted at any time other than while castles score (LAB-07)."""
    is_scored = s.phase == Phase.CASTLE_CHOICE or s.phase == Phase.SHARE
    for k in range(MAX_MAZES):
        if s.thieves[k] > 0:
            if not is_scored or s.mazes[k] == NO_MAZE:
                return True
            if not is_complete(s, feature_of(s, s.mazes[k])):
                return True
    return False


@at(find_wrong, key=Problem.LABYRINTHS)
@kernel(b1(State))
def has_wrong_labyrinths(s):
    """Return whether the mazes or the meeples that were on their roads are wrong."""
    return has_wrong_mazes(s) or has_wrong_thieves(s)
