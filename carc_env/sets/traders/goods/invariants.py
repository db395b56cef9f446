"""Goods tokens and the symbols that they were given for."""

from carc_env.engine.compiler.jit import b1, kernel
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import FIRST_GOOD, N_GOODS, Kind, Problem
from carc_env.engine.core.features import feature_of, is_complete, kind_of
from carc_env.engine.core.moments import find_wrong
from carc_env.engine.core.state import State
from carc_env.engine.core.tiles import GOOD, N_SEGMENTS


@at(find_wrong, key=Problem.STOCK)
@kernel(b1(State))
def has_wrong_goods(s):
    """Check whether seats have tokens for symbols that are in no complete city (TRA-01, TRA-03)."""
    for good in range(N_GOODS):
        n_tokens, n_symbols = 0, 0
        for seat in range(s.rules.n_players):
            n = s.players[seat].stock[FIRST_GOOD + good]
            if n < 0:
                return True
            n_tokens += n
        for tile in range(s.n_tiles):
            placed = s.tiles[tile]
            first = placed.first_segment
            for j in range(N_SEGMENTS[placed.design]):
                if GOOD[placed.design, j] == good:
                    city = feature_of(s, first + j)
                    n_symbols += kind_of(s, city) == Kind.CITY and is_complete(s, city)
        if n_tokens > n_symbols * s.rules.goods:
            return True
    return False
