"""Tunnel mouths, the tokens on them, and when a token was placed."""

from carc_env.engine.compiler.jit import b1, i8, kernel
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import Phase, Problem, Stock
from carc_env.engine.core.moments import find_wrong
from carc_env.engine.core.state import NO_TILE, State
from carc_env.engine.core.tiles import N_SEGMENTS
from carc_env.sets.tunnel.kernels import n_laid, n_pairs
from carc_env.sets.tunnel.record import (
    IS_MOUTH,
    MAX_PAIRS,
    NO_MOUTH,
    NO_TOKEN,
    TOKENS_PER_PAIR,
)


@kernel(b1(State))
def has_wrong_mouths(s):
    """Return whether mouths are missing from the list, or not in tile order (TUN-01)."""
    n = 0
    for tile in range(s.n_tiles):
        design, first = s.tiles[tile].design, s.tiles[tile].first_segment
        for j in range(N_SEGMENTS[design]):
            if IS_MOUTH[design, j]:
                if n == s.n_mouths or s.mouths[n].segment != first + j:
                    return True
                n += 1
    return n != s.n_mouths


@kernel(i8(State, i8))
def n_laid_by(s, seat):
    """Return how many of a seat's tokens are on mouths."""
    n = 0
    for pair in range(n_pairs(s)):
        n += n_laid(s, seat * MAX_PAIRS + pair)
    return n


@kernel(b1(State))
def has_wrong_tokens(s):
    """Return whether a token is lost or duplicated, or pairs begin out of order (TUN-02)."""
    n_known, n_lying = 0, 0
    for seat in range(s.rules.n_players):
        before = TOKENS_PER_PAIR
        for pair in range(n_pairs(s)):
            n = n_laid(s, seat * MAX_PAIRS + pair)
            if n > TOKENS_PER_PAIR or (n > 0 and before == 0):
                return True
            n_known, before = n_known + n, n
        if n_laid_by(s, seat) + s.players[seat].stock[Stock.TUNNEL] != s.rules.stock[Stock.TUNNEL]:
            return True
    for k in range(s.n_mouths):
        n_lying += s.mouths[k].token != NO_TOKEN
    return n_known != n_lying


@kernel(b1(State))
def has_dug_here(s):
    """Return whether a token from this placement is still to be scored."""
    is_late = s.phase == Phase.FLIGHT and s.rules.dragon_late != 0
    return Phase.FIGURE <= s.phase < Phase.WAGON and not is_late


@kernel(b1(State))
def has_wrong_turn(s):
    """Return whether this turn's token is missing, or came at a wrong time (TUN-04)."""
    if s.new_mouth != NO_MOUTH:
        token = s.mouths[s.new_mouth].token
        is_own = token != NO_TOKEN and token // MAX_PAIRS == s.turn_player
        if s.dug == 0 or not has_dug_here(s) or not is_own:
            return True
    is_second = s.first_part != NO_TILE
    if s.dug != 0:
        if n_laid_by(s, s.turn_player) == 0 or s.phase == Phase.GAME_OVER:
            return True
        begins = s.phase < Phase.FIGURE or s.phase == Phase.INGOT
        if (begins or has_dug_here(s)) and s.new_mouth == NO_MOUTH and not is_second:
            return True
    if s.owed_dug != 0:
        is_owed = s.bazaar.owed_part != NO_TILE
        return not is_owed or n_laid_by(s, s.bazaar.resumes) == 0
    return False


@at(find_wrong, key=Problem.TUNNELS)
@kernel(b1(State))
def has_wrong_tunnels(s):
    """Return whether mouths, tokens and the notes about this turn are inconsistent."""
    if s.rules.stock[Stock.TUNNEL] == 0:
        return s.n_mouths != 0 or s.dug != 0 or s.owed_dug != 0 or s.new_mouth != NO_MOUTH
    return has_wrong_mouths(s) or has_wrong_tokens(s) or has_wrong_turn(s)
