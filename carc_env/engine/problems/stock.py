"""Tiles, abbeys, bridges, castle tokens and goods: nothing is lost or doubled."""

from carc_env.engine import codes
from carc_env.engine._jit import b1, i8, kernel
from carc_env.engine.codes import MAX_PLAYERS
from carc_env.engine.features import feature_of, is_complete, kind_of
from carc_env.engine.problems.board import bridge_on
from carc_env.engine.state import NO_DESIGN, State
from carc_env.engine.tiles import ABBEY_DESIGN, GOOD, N_SEGMENTS, NO_AXIS, PRINTED


@kernel(b1(State))
def has_wrong_abbeys(s):
    """Every seat's abbeys are in hand or on the board (ABB-01, ABB-06)."""
    n = 0
    for seat in range(i8(s.rules.n_players)):
        in_hand = i8(s.players[seat].abbeys)
        n += in_hand
        if not 0 <= in_hand <= i8(s.rules.abbeys):
            return True
    for tile in range(i8(s.n_tiles)):
        n += i8(s.tiles[tile].design) == ABBEY_DESIGN
    return n != i8(s.rules.abbeys) * i8(s.rules.n_players)


@kernel(i8(State))
def n_on_offer(s):
    """How many tiles lie in the bazaar."""
    n = 0
    for lot in range(MAX_PLAYERS):
        n += i8(s.bazaar.lots[lot].design) != NO_DESIGN
    return n


@kernel(i8(State, i8))
def count_used(s, design):
    """How many tiles of a design are on the board, in hand or on offer."""
    n = int(i8(s.hand) == design)
    for tile in range(i8(s.n_tiles)):
        n += i8(PRINTED[i8(s.tiles[tile].design)]) == design
    for lot in range(MAX_PLAYERS):
        n += i8(s.bazaar.lots[lot].design) == design
    return n


@kernel(b1(State))
def has_wrong_tiles(s):
    """Bag and drawn tiles make up the set; what is on the board and in hand has been drawn."""
    n_in_all = 0
    for design in range(ABBEY_DESIGN):
        n_in_all += i8(s.rules.copies[design])
    n_used_in_all = count_used(s, ABBEY_DESIGN)
    for design in range(ABBEY_DESIGN):
        if i8(s.rules.copies[design]) == 0:
            continue
        # The start tile is never in the bag and always on the board.
        n_copies = n_drawn = int(design == i8(s.rules.start_design))
        for i in range(n_in_all - 1):
            n_copies += i8(s.bag[i]) == design
            n_drawn += i8(s.bag[i]) == design and i >= i8(s.n_bag)
        n_used = count_used(s, design)
        n_used_in_all += n_used
        if n_copies != i8(s.rules.copies[design]) or n_used > n_drawn:
            return True
    return n_used_in_all != i8(s.n_tiles) + (i8(s.hand) != NO_DESIGN) + n_on_offer(s)


@kernel(b1(State))
def has_wrong_stock(s):
    """Bridges in hand and on the board add up; nobody has more tokens than he began with."""
    n_bridges, n_tokens = 0, i8(s.n_castles)
    for seat in range(i8(s.rules.n_players)):
        bridges, tokens = i8(s.players[seat].bridges), i8(s.players[seat].tokens)
        n_bridges += bridges
        n_tokens += tokens
        if not 0 <= bridges <= i8(s.rules.bridges) or not 0 <= tokens <= i8(s.rules.tokens):
            return True
    for tile in range(i8(s.n_tiles)):
        n_bridges += bridge_on(s, tile) != NO_AXIS
    return n_bridges != i8(s.rules.bridges) * i8(s.rules.n_players) or n_tokens > i8(
        s.rules.tokens
    ) * i8(s.rules.n_players)


@kernel(b1(State))
def has_wrong_goods(s):
    """Nobody has tokens for symbols that are in no complete city (TRA-01, TRA-03)."""
    for good in range(codes.N_GOODS):
        n_tokens, n_symbols = 0, 0
        for seat in range(i8(s.rules.n_players)):
            n = i8(s.players[seat].goods[good])
            if n < 0:
                return True
            n_tokens += n
        for tile in range(i8(s.n_tiles)):
            placed = s.tiles[tile]
            first = i8(placed.first_segment)
            for j in range(i8(N_SEGMENTS[i8(placed.design)])):
                if i8(GOOD[i8(placed.design), j]) == good:
                    city = feature_of(s, first + j)
                    n_symbols += kind_of(s, city) == codes.CITY and is_complete(s, city)
        if n_tokens > n_symbols * i8(s.rules.goods):
            return True
    return False
