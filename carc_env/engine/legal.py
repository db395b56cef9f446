"""The legal actions of the current decision, as a list and as a mask."""

from numba import int8

from carc_env.engine import codes
from carc_env.engine._jit import i8, kernel, void
from carc_env.engine.expansions.abbot import legal_abbot
from carc_env.engine.figures import legal_meeples
from carc_env.engine.placement import legal_places
from carc_env.engine.state import MAX_FRONTIER, State

MAX_LEGAL = 4 * MAX_FRONTIER
"""Room for the legal actions of any decision."""
MAX_FIGURE_ACTIONS = 32
"""Room for the legal actions of the figure phase."""


@kernel(i8(State, i8[::1]))
def legal_actions(s, actions):
    """Write the legal actions and return how many there are; none when the game is over."""
    if i8(s.phase) == codes.PLACE_TILE:
        return legal_places(s, actions)
    if i8(s.phase) == codes.ACTION:
        n = legal_meeples(s, actions, 0)
        n = legal_abbot(s, actions, n)
        actions[n] = s.rules.pass_action
        return n + 1
    return 0


@kernel(void(i8[::1], i8, int8[::1]))
def write_mask(actions, n, mask):
    """Set the mask to 1 for the first n actions of the list and to 0 elsewhere."""
    mask[:] = 0
    for i in range(n):
        mask[actions[i]] = 1
