"""Bridges in hand and on the board, and when one was built."""

from carc_env.engine.compiler.jit import b1, kernel
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import LAST_OF_PLACEMENT, Phase, Problem, Stock
from carc_env.engine.core.moments import find_wrong
from carc_env.engine.core.state import NO_TILE, State
from carc_env.engine.core.tiles import BRIDGE_AXIS, NO_AXIS


@at(find_wrong, key=Problem.STOCK)
@kernel(b1(State))
def has_lost_bridges(s):
    """Return whether a bridge is neither in hand nor on the board (BRI-01)."""
    n = 0
    for seat in range(s.rules.n_players):
        n += s.players[seat].stock[Stock.BRIDGE]
    for tile in range(s.n_tiles):
        n += BRIDGE_AXIS[s.tiles[tile].design, s.tiles[tile].rotation] != NO_AXIS
    return n != s.rules.stock[Stock.BRIDGE] * s.rules.n_players


@kernel(b1(State))
def may_have_bridged(s):
    """Check whether this placement's or this turn's bridge can already have been built (BRI-20)."""
    phase = s.phase
    if Phase.FIGURE <= phase <= Phase.FLOCK:
        return True
    is_later = Phase.FLIGHT <= phase <= LAST_OF_PLACEMENT or s.first_part != NO_TILE
    return is_later and s.rules.one_bridge_a_turn != 0


@at(find_wrong, key=Problem.TURN)
@kernel(b1(State))
def has_wrong_bridged(s):
    """Check whether this turn's bridge was not in hand, or was built too early (BRI-03, BRI-20)."""
    in_hand = s.players[s.turn_player].stock[Stock.BRIDGE]
    if s.has_bridged != 0 and not may_have_bridged(s):
        return True
    return s.has_bridged > s.rules.stock[Stock.BRIDGE] - in_hand
