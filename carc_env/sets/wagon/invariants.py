"""Wagons that may move on, and the owner who is asked."""

from carc_env.engine.compiler.jit import b1, kernel
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import Figure, Phase, Problem
from carc_env.engine.core.moments import find_wrong
from carc_env.engine.core.seats import order_of
from carc_env.engine.core.state import NO_CELL, NO_SEGMENT, State


@at(find_wrong, key=Problem.TURN)
@kernel(b1(State))
def has_wrong_wagons(s):
    """Check if a waiting wagon is not in a supply, or owners are asked out of turn (WAG-11)."""
    phase, decider = s.phase, s.decider
    is_asked = phase in (Phase.WAGON, Phase.WAGON_SPOT)
    may_wait = Phase.CASTLE_CHOICE <= phase <= Phase.WAGON_SPOT
    for seat in range(s.rules.n_players):
        if s.players[seat].wagon_from == NO_SEGMENT:
            continue
        if not may_wait or s.players[seat].supply[Figure.WAGON] == 0:
            return True
        if is_asked and order_of(s, seat) < order_of(s, decider):
            return True
    if (phase == Phase.WAGON_SPOT) != (s.wagon_cell != NO_CELL):
        return True
    return is_asked and s.players[decider].wagon_from == NO_SEGMENT
