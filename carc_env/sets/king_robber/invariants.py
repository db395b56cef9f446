"""Holders of the markers."""

from carc_env.engine.compiler.jit import b1, kernel
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import Problem, Stock
from carc_env.engine.core.moments import find_wrong
from carc_env.engine.core.state import State
from carc_env.sets.king_robber.kernels import kind_for
from carc_env.sets.king_robber.record import NO_MARKERS


@at(find_wrong, key=Problem.STOCK)
@kernel(b1(State))
def has_wrong_markers(s):
    """Return whether a marker has several holders, or has one before it can have any (KR-17).

    Ferries can reopen complete roads.
    """
    for marker in range(Stock.KING, Stock.ROBBER + 1):
        n_completed = s.completed[kind_for(marker)].n_features
        was_completed = n_completed > 0 or (marker == Stock.ROBBER and s.n_lakes > 0)  # FER-21
        is_out = s.rules.king_robber != NO_MARKERS and was_completed
        n = 0
        for seat in range(s.rules.n_players):
            held = s.players[seat].stock[marker]
            if held < 0:
                return True
            n += held
        if n > is_out:
            return True
    return False
