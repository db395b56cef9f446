"""Ingots on the board and in hand, and who may take them."""

from carc_env.engine.compiler.jit import b1, i8, kernel
from carc_env.engine.compiler.memory import room_for
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import Phase, Problem, Stock
from carc_env.engine.core.moments import find_wrong
from carc_env.engine.core.state import State
from carc_env.sets.gold.kernels import ROOM_AROUND, has_choice, offer_neighbours, pile_on
from carc_env.sets.gold.record import INGOTS_PER_MINE, IS_MINE, NO_PILE


@kernel(i8(State))
def most_ingots(s):
    """Return how many ingots the gold mines on the table have provided (GOL-02)."""
    n = 0
    if s.rules.gold != 0:
        for tile in range(s.n_tiles):
            n += INGOTS_PER_MINE * IS_MINE[s.tiles[tile].design]
    return n - (s.phase == Phase.INGOT)


@kernel(b1(State))
def has_wrong_mine(s):
    """Return whether there is no choice for the second ingot of the tile just placed (GOL-03)."""
    last = s.n_tiles - 1
    if not IS_MINE[s.tiles[last].design] or pile_on(s, last) == NO_PILE:
        return True
    return offer_neighbours(s, room_for(ROOM_AROUND)) < 2


@at(find_wrong, key=Problem.GOLD)
@kernel(b1(State))
def has_wrong_gold(s):
    """Return whether piles are out of order, or there are extra ingots or open claims (GOL-07)."""
    n, before = 0, -1
    may_claim = s.phase == Phase.CASTLE_CHOICE or s.phase == Phase.SHARE
    for k in range(s.n_piles):
        pile = s.piles[k]
        if pile.ingots < 1 or pile.tile <= before:
            return True
        if pile.claims >> s.rules.n_players != 0 or (pile.claims != 0 and not may_claim):
            return True
        n, before = n + pile.ingots, pile.tile
    for seat in range(s.rules.n_players):
        held = s.players[seat].stock[Stock.INGOT]
        if held < 0:
            return True
        n += held
    if n > most_ingots(s) or (s.phase == Phase.INGOT and has_wrong_mine(s)):
        return True
    is_asked = s.rules.asks_gold != 0 and has_choice(s, s.decider)
    return s.phase == Phase.SHARE and not is_asked
