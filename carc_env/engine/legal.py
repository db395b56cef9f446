"""The legal actions of the current decision, as a list and as a mask."""

from numba import int8

from carc_env.engine import codes
from carc_env.engine._jit import i8, kernel, void
from carc_env.engine.expansions.abbey import offer_holes
from carc_env.engine.expansions.abbot import offer_abbot
from carc_env.engine.expansions.barn import offer_barn
from carc_env.engine.expansions.mayor import offer_mayor
from carc_env.engine.expansions.wagon import offer_linked_spots, offer_targets
from carc_env.engine.figures import offer_free_segments
from carc_env.engine.placement import legal_places
from carc_env.engine.state import MAX_FRONTIER, State

MAX_LEGAL = 4 * MAX_FRONTIER
"""Room for the legal actions of any decision."""
MAX_FIGURE_ACTIONS = 64
"""Room for the legal actions of the figure phase."""


@kernel(i8(State, i8[::1]))
def offer_figures(s, actions):
    """Write the figure actions of the decider on the tile just placed (TURN-03)."""
    n = offer_free_segments(s, codes.MEEPLE, 0, actions)
    n = offer_abbot(s, n, actions)
    n = offer_mayor(s, n, actions)
    n = offer_free_segments(s, codes.WAGON, n, actions)  # WAG-02
    return offer_barn(s, n, actions)


@kernel(i8(State, i8[::1]))
def legal_actions(s, actions):
    """Write the legal actions and return how many there are; none when the game is over."""
    phase = i8(s.phase)
    if phase == codes.PLACE_TILE:
        return legal_places(s, actions)
    if phase == codes.WAGON_SPOT:
        return offer_linked_spots(s, actions)
    if phase == codes.ACTION:
        n = offer_figures(s, actions)
    elif phase == codes.DRAW_OR_ABBEY:
        n = offer_holes(s, actions)
    elif phase == codes.WAGON_MOVE:
        n = offer_targets(s, actions)
    else:
        return 0
    actions[n] = s.rules.pass_action
    return n + 1


@kernel(void(i8[::1], i8, int8[::1]))
def write_mask(actions, n, mask):
    """Set the mask to 1 for the first n actions of the list and to 0 elsewhere."""
    mask[:] = 0
    for i in range(n):
        mask[actions[i]] = 1
