"""Tiles, abbeys, bridges, castle tokens and goods: nothing is lost or doubled."""

from carc_env.engine.compiler.jit import b1, i8, kernel
from carc_env.engine.core.codes import FIRST_GOOD, MAX_PLAYERS, N_GOODS, Kind, Stock
from carc_env.engine.core.features import feature_of, is_complete, kind_of
from carc_env.engine.core.state import NO_DESIGN, State
from carc_env.engine.core.tiles import ABBEY_DESIGN, GOOD, N_SEGMENTS, NO_AXIS, PRINTED
from carc_env.engine.problems.of_board import bridge_on


@kernel(b1(State))
def has_wrong_abbeys(s):
    """Every seat's abbeys are in hand or on the board (ABB-01, ABB-06)."""
    n = 0
    for seat in range(s.rules.n_players):
        in_hand = s.players[seat].stock[Stock.ABBEY]
        n += in_hand
        if not 0 <= in_hand <= s.rules.stock[Stock.ABBEY]:
            return True
    for tile in range(s.n_tiles):
        n += s.tiles[tile].design == ABBEY_DESIGN
    return n != s.rules.stock[Stock.ABBEY] * s.rules.n_players


@kernel(i8(State))
def n_on_offer(s):
    """How many tiles lie in the bazaar."""
    n = 0
    for lot in range(MAX_PLAYERS):
        n += s.bazaar.lots[lot].design != NO_DESIGN
    return n


@kernel(i8(State, i8))
def count_used(s, design):
    """How many tiles of a design are on the board, in hand or on offer."""
    n = int(s.hand == design)
    for tile in range(s.n_tiles):
        n += PRINTED[s.tiles[tile].design] == design
    for lot in range(MAX_PLAYERS):
        n += s.bazaar.lots[lot].design == design
    return n


@kernel(b1(State))
def has_wrong_tiles(s):
    """Bag and drawn tiles make up the set; what is on the board and in hand has been drawn."""
    n_in_all = 0
    for design in range(ABBEY_DESIGN):
        n_in_all += s.rules.copies[design]
    n_used_in_all = count_used(s, ABBEY_DESIGN)
    for design in range(ABBEY_DESIGN):
        if s.rules.copies[design] == 0:
            continue
        # The start tile is never in the bag and always on the board.
        n_copies = n_drawn = int(design == s.rules.start_design)
        for i in range(n_in_all - 1):
            n_copies += s.bag[i] == design
            n_drawn += s.bag[i] == design and i >= s.n_bag
        n_used = count_used(s, design)
        n_used_in_all += n_used
        if n_copies != s.rules.copies[design] or n_used > n_drawn:
            return True
    return n_used_in_all != s.n_tiles + (s.hand != NO_DESIGN) + n_on_offer(s)


@kernel(b1(State))
def has_wrong_stock(s):
    """Bridges in hand and on the board add up; nobody has more tokens than at the beginning."""
    n_bridges, n_tokens = 0, s.n_castles
    for seat in range(s.rules.n_players):
        n_bridges += s.players[seat].stock[Stock.BRIDGE]
        n_tokens += s.players[seat].stock[Stock.TOKEN]
        for stock in range(FIRST_GOOD):
            if not 0 <= s.players[seat].stock[stock] <= s.rules.stock[stock]:
                return True
    for tile in range(s.n_tiles):
        n_bridges += bridge_on(s, tile) != NO_AXIS
    return (
        n_bridges != s.rules.stock[Stock.BRIDGE] * s.rules.n_players
        or n_tokens > s.rules.stock[Stock.TOKEN] * s.rules.n_players
    )


@kernel(b1(State))
def has_wrong_goods(s):
    """Nobody has tokens for symbols that are in no complete city (TRA-01, TRA-03)."""
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
