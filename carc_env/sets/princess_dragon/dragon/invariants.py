"""The dragon, its flight, and the figures that it eats."""

from carc_env.engine.compiler.jit import b1, kernel
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.board import N_SIDES, STEP, tile_at
from carc_env.engine.core.codes import Phase, Problem
from carc_env.engine.core.moments import find_wrong
from carc_env.engine.core.seats import seat_at
from carc_env.engine.core.state import NO_CELL, NO_TILE, SLOTS_PER_SEAT, State
from carc_env.sets.princess_dragon.dragon.kernels import is_eaten
from carc_env.sets.princess_dragon.dragon.record import DRAGON_STEPS


@kernel(b1(State))
def has_wrong_flight(s):
    """Check if a flight's cells do not lead to the dragon, each visited once (PD-10, PD-11)."""
    if (s.phase == Phase.FLIGHT) != (s.n_flown > 0) or s.n_flown > DRAGON_STEPS:
        return True
    for k in range(s.n_flown):
        for j in range(k):
            if s.flown[j] == s.flown[k]:
                return True
        is_near = k == 0
        for side in range(N_SIDES):
            is_near |= k > 0 and s.flown[k] == s.flown[k - 1] + STEP[side]
        if not is_near or tile_at(s, s.flown[k]) == NO_TILE:
            return True
    if s.n_flown == 0:
        return False
    order = seat_at(s, s.turn_player, (s.n_flown - 1) % s.rules.n_players)
    return s.flown[s.n_flown - 1] != s.dragon or s.decider != order


@at(find_wrong, key=Problem.DRAGON)
@kernel(b1(State))
def has_wrong_dragon(s):
    """Return whether the dragon is on no tile, or with a figure that it eats (PD-06, PD-21)."""
    if s.rules.dragon == 0 or s.dragon == NO_CELL:
        return s.dragon != NO_CELL or s.n_flown != 0
    tile = tile_at(s, s.dragon)
    if tile == NO_TILE or has_wrong_flight(s):
        return True
    for figure in range(SLOTS_PER_SEAT * s.rules.n_players):
        if is_eaten(s, figure, tile):
            return True
    return False
