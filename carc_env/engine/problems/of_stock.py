"""Tiles and stock: none of the tiles and items that players hold are lost or duplicated."""

from carc_env.engine.compiler.jit import b1, i8, kernel
from carc_env.engine.core.codes import FIRST_GOOD
from carc_env.engine.core.moments import tiles_beside
from carc_env.engine.core.state import NO_DESIGN, State
from carc_env.engine.core.tiles import ABBEY_DESIGN, PRINTED


@kernel(i8(State, i8))
def count_used(s, design):
    """Return the number of a design's tiles on the board, in hand or kept by a set."""
    n = (s.hand == design) + tiles_beside(s, design)
    for tile in range(s.n_tiles):
        n += PRINTED[s.tiles[tile].design] == design
    return n


@kernel(b1(State))
def has_wrong_tiles(s):
    """Return whether bag and drawn tiles do not match the set, or a tile in use was never drawn."""
    n_in_all = 0
    for slot in range(s.rules.n_designs):
        n_in_all += s.rules.slot_copies[slot]
    n_used_in_all = count_used(s, ABBEY_DESIGN)
    n_beside = tiles_beside(s, ABBEY_DESIGN)
    for design in range(ABBEY_DESIGN):
        n_beside += tiles_beside(s, design)
        slot = s.rules.design_slot[design]
        if slot < 0:
            continue
        # A game's start tiles are never in the bag and always on the board.
        n_copies = 0
        for k in range(s.rules.n_start):
            n_copies += s.rules.start[k].design == design
        n_drawn = n_copies
        for i in range(n_in_all - s.rules.n_start):
            n_copies += s.bag[i] == design
            n_drawn += s.bag[i] == design and i >= s.n_bag
        n_used = count_used(s, design)
        n_used_in_all += n_used
        if n_copies != s.rules.slot_copies[slot] or n_used > n_drawn:
            return True
    return n_used_in_all != s.n_tiles + (s.hand != NO_DESIGN) + n_beside


@kernel(b1(State))
def has_wrong_stock(s):
    """Return whether a seat has more of anything than initially, except what players collect."""
    for seat in range(s.rules.n_players):
        for stock in range(FIRST_GOOD):
            if not 0 <= s.players[seat].stock[stock] <= s.rules.stock[stock]:
                return True
    return False
