"""Abbeys in hand and on the board."""

from carc_env.engine.compiler.jit import b1, kernel
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import Phase, Problem, Stock
from carc_env.engine.core.moments import find_wrong
from carc_env.engine.core.state import NO_DESIGN, NO_ROUND, NO_TILE, State
from carc_env.engine.core.tiles import ABBEY_DESIGN


@at(find_wrong, key=Problem.TILES)
@kernel(b1(State))
def has_wrong_abbeys(s):
    """Return whether a seat's abbey is neither in hand nor on the board (ABB-01, ABB-06)."""
    n = 0
    for seat in range(s.rules.n_players):
        in_hand = s.players[seat].stock[Stock.ABBEY]
        n += in_hand
        if not 0 <= in_hand <= s.rules.stock[Stock.ABBEY]:
            return True
    for tile in range(s.n_tiles):
        n += s.tiles[tile].design == ABBEY_DESIGN
    return n != s.rules.stock[Stock.ABBEY] * s.rules.n_players


@at(find_wrong, key=Problem.TURN)
@kernel(b1(State))
def has_wrong_rounds(s):
    """Check if a seat that may place an abbey has none, or the last round is early (ABB-20)."""
    phase = s.phase
    if phase == Phase.DRAW_OR_ABBEY and s.players[s.turn_player].stock[Stock.ABBEY] == 0:
        return True
    if s.last_round == NO_ROUND or phase == Phase.GAME_OVER:
        return False
    is_played = s.rules.stock[Stock.ABBEY] > 0 and s.n_bag == 0
    is_plain = s.hand == NO_DESIGN and s.first_part == NO_TILE and s.extends == 0
    return not (is_played and is_plain and 0 <= s.last_round < s.rules.n_players)
