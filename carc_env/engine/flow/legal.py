"""The legal actions of the current decision, as a list and as a mask."""

from numba import int8

from carc_env.engine.compiler.jit import i8, kernel, void
from carc_env.engine.compiler.linking import shared
from carc_env.engine.core.codes import N_CORNERS, Block, Figure, Phase, Stock
from carc_env.engine.core.figures import MAY_STAND, offer_segments
from carc_env.engine.core.placement import legal_places
from carc_env.engine.core.state import MAX_FRONTIER, State
from carc_env.engine.core.tiles import SEGMENT_KIND
from carc_env.engine.expansions.abbey import offer_holes
from carc_env.engine.expansions.abbot import offer_abbot
from carc_env.engine.expansions.barn import offer_barn
from carc_env.engine.expansions.bazaars import offer_in_bazaar
from carc_env.engine.expansions.bridges import N_SITES, offer_bridged_places, offer_bridges
from carc_env.engine.expansions.castles import offer_castle, offer_takes
from carc_env.engine.expansions.mayor import offer_mayor
from carc_env.engine.expansions.shepherd import offer_flock, offer_shepherd
from carc_env.engine.expansions.wagon import offer_spots, offer_targets

MAX_LEGAL = 4 * MAX_FRONTIER
"""Room for the legal actions of any decision."""
MAX_FIGURE_ACTIONS = (
    int(MAY_STAND[:, SEGMENT_KIND].sum((0, 2)).max())
    + N_CORNERS
    + N_SITES
    + len(("recall", "pass"))
)
"""Room for the legal actions of the figure phase: every figure on every segment of the tile that
has most for them, a barn on its corners, bridges, and what is always named last."""


@kernel(i8(State, i8[::1]))
def offer_figures(s, actions):
    """Write the figure actions of the decider on the tile just placed, and bridges (TURN-03)."""
    n = offer_segments(s, Figure.MEEPLE, 0, actions)
    n = offer_segments(s, Figure.LARGE, n, actions)  # INN-01
    n = offer_abbot(s, n, actions)
    n = offer_mayor(s, n, actions)
    n = offer_segments(s, Figure.WAGON, n, actions)  # WAG-02
    n = offer_segments(s, Figure.BUILDER, n, actions)  # TRA-05
    n = offer_segments(s, Figure.PIG, n, actions)  # TRA-12
    n = offer_barn(s, n, actions)
    n = offer_shepherd(s, n, actions)  # HS-25
    return offer_bridges(s, n, actions) if s.rules.stock[Stock.BRIDGE] > 0 else n


@kernel(i8(State, i8[::1]))
def offer_places(s, actions):
    """Write the placements of the tile in hand; if all need a bridge, it may go aside (BRI-09)."""
    n_plain = legal_places(s, actions)
    if s.rules.stock[Stock.BRIDGE] == 0:
        return n_plain
    n = offer_bridged_places(s, n_plain, actions)
    if n_plain == 0 and n > 0:
        actions[n] = s.rules.first_action[Block.PASS]
        n += 1
    return n


@kernel(i8(State, i8[::1]))
def offer_or_pass(s, actions):
    """Write the choices of a decision in which the decider may pass."""
    phase = s.phase
    if phase == Phase.FIGURE:
        n = offer_figures(s, actions)
    elif phase == Phase.DRAW_OR_ABBEY:
        n = offer_holes(s, actions)
    elif phase == Phase.BRIDGE:
        n = offer_bridges(s, 0, actions)
    else:
        n = offer_targets(s, actions)
    actions[n] = s.rules.first_action[Block.PASS]
    return n + 1


@shared(i8(State, i8[::1]))
def legal_actions(s, actions):
    """Write the legal actions and return how many there are; none when the game is over."""
    phase = s.phase
    if phase == Phase.PLACE_TILE:
        return offer_places(s, actions)
    if phase == Phase.WAGON_SPOT:
        return offer_spots(s, actions)
    if phase == Phase.FLOCK:
        return offer_flock(s, actions)
    if phase == Phase.CASTLE:
        return offer_castle(s, actions)
    if phase == Phase.CASTLE_CHOICE:
        return offer_takes(s, actions)
    if Phase.BAZAAR_PICK <= phase <= Phase.BAZAAR_DEAL:
        return offer_in_bazaar(s, actions)
    if phase == Phase.GAME_OVER:
        return 0
    return offer_or_pass(s, actions)


@kernel(void(i8[::1], i8, int8[::1]))
def write_mask(actions, n, mask):
    """Set the mask to 1 for the first n actions of the list and to 0 elsewhere."""
    mask[:] = 0
    for i in range(n):
        mask[actions[i]] = 1
