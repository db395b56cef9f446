"""Monks of special monasteries who were scored while other meeples lie there."""

from carc_env.engine.compiler.jit import b1, kernel
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import Phase, Problem
from carc_env.engine.core.features import is_complete, is_occupied
from carc_env.engine.core.moments import find_wrong
from carc_env.engine.core.state import State
from carc_env.engine.core.tiles import CENTRE, LINES


@at(find_wrong, key=Problem.CASTLES)
@kernel(b1(State))
def has_wrong_monks(s):
    """Return whether monks are wrongly noted as scored while others lie there (XGM-05)."""
    if s.monks_scored == 0:
        return False
    if s.n_castles == 0 or (s.phase != Phase.CASTLE_CHOICE and s.phase != Phase.SHARE):
        return True
    left = s.monks_scored
    for tile in range(s.n_tiles):
        placed = s.tiles[tile]
        if LINES[placed.design] < 0:
            continue
        centre = placed.first_segment + CENTRE[placed.design]
        has_monk = is_occupied(s, centre) or not is_complete(s, centre)
        if left & 1 and (
            has_monk or not is_occupied(s, placed.first_segment + LINES[placed.design])
        ):
            return True
        left >>= 1
    return left != 0
