"""The legal actions for the current decision, as a list and as a mask."""

from numba import int8

from carc_env.engine.compiler.jit import i8, kernel, void
from carc_env.engine.compiler.linking import shared
from carc_env.engine.core.answers import add_pass
from carc_env.engine.core.codes import MAX_PLAYERS, N_CORNERS, N_MEEPLES, Figure, Phase
from carc_env.engine.core.figures import MAY_STAND, offer_segments
from carc_env.engine.core.moments import (
    offer,
    offer_besides,
    offer_cells,
    offer_figure,
    offer_only,
    offer_place,
    offer_spots,
)
from carc_env.engine.core.placement import legal_places
from carc_env.engine.core.sizes import MAX_TILES
from carc_env.engine.core.state import MAX_FRONTIER, PARTS, State
from carc_env.engine.core.tiles import N_SITES, SEGMENT_KIND

MAX_LEGAL = 4 * MAX_FRONTIER
"""Buffer size for the legal actions of any decision."""
MAX_FIGURE_ACTIONS = (
    int(MAY_STAND[:, SEGMENT_KIND].sum((0, 2)).max())
    + N_CORNERS
    + N_SITES
    + MAX_TILES
    + MAX_PLAYERS * N_MEEPLES
    + len(("recall", "pass"))
    + sum(part.besides for part in PARTS)
)
"""Buffer size for the legal actions of the figure phase: every figure on every segment of the tile
with the most segments for it, a barn on each corner, bridges, cells, ransoms, the actions that
always come last, and whatever else sets offer in addition to the figure action."""


@kernel(i8(State, i8[::1]))
def offer_figures(s, actions):
    """Write the decider's figure actions, plus passing unless an action is forced (TURN-03)."""
    reaches_other_tiles = s.rules.acts_elsewhere != 0
    n_only = n = offer_only(s, actions) if reaches_other_tiles else 0
    if n_only == 0:
        n = offer_figure(s, offer_segments(s, Figure.MEEPLE, 0, actions), actions)
        if reaches_other_tiles:
            n = offer_cells(s, n, actions)
    n = offer_besides(s, n, actions)
    return n if n_only > 0 else add_pass(s, n, actions)


@kernel(i8(State, i8[::1]))
def offer_elsewhere(s, actions):
    """Write the actions that are possible on the chosen cell."""
    n = offer_only(s, actions)
    return n if n > 0 else offer_spots(s, 0, actions)


@shared(i8(State, i8[::1]))
def legal_actions(s, actions):
    """Write the legal actions and return how many there are; none when the game is over."""
    phase = s.phase
    if phase == Phase.PLACE_TILE:
        return offer_place(s, legal_places(s, actions), actions)
    if phase == Phase.FIGURE:
        return offer_figures(s, actions)
    if phase == Phase.ELSEWHERE:
        return offer_elsewhere(s, actions)
    return offer(s, phase, actions)


@kernel(void(i8[::1], i8, int8[::1]))
def write_mask(actions, n, mask):
    """Set the mask to 1 for the first n actions in the list and to 0 elsewhere."""
    mask[:] = 0
    for i in range(n):
        mask[actions[i]] = 1
