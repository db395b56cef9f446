"""The legal actions of the current decision, as a list and as a mask."""

from numba import int8

from carc_env.engine.compiler.jit import i8, kernel, void
from carc_env.engine.compiler.linking import shared
from carc_env.engine.core.codes import (
    MAX_PLAYERS,
    N_CORNERS,
    N_MEEPLES,
    Block,
    Figure,
    Phase,
    Stock,
)
from carc_env.engine.core.figures import MAY_STAND, offer_segments
from carc_env.engine.core.placement import legal_places
from carc_env.engine.core.sizes import MAX_TILES
from carc_env.engine.core.state import MAX_FRONTIER, State
from carc_env.engine.core.tiles import SEGMENT_KIND
from carc_env.sets.abbey.kernels import offer_holes
from carc_env.sets.abbot.kernels import can_recall_abbot, offer_abbot
from carc_env.sets.barn.kernels import offer_barn
from carc_env.sets.bazaars.kernels import offer_in_bazaar
from carc_env.sets.bridges.kernels import N_SITES, offer_bridged_places, offer_bridges
from carc_env.sets.castles.kernels import offer_castle, offer_takes
from carc_env.sets.hills_sheep.shepherd.kernels import offer_flock, offer_shepherd
from carc_env.sets.mayor.kernels import offer_mayor
from carc_env.sets.princess_dragon.dragon.kernels import is_at_last_tile, offer_steps
from carc_env.sets.princess_dragon.fairy.kernels import offer_fairy_cells, offer_fairy_spots
from carc_env.sets.princess_dragon.portal.kernels import offer_portal_cells, offer_portal_spots
from carc_env.sets.princess_dragon.princess.kernels import (
    must_remove,
    offer_knight_cells,
    offer_knight_spots,
)
from carc_env.sets.tower.kernels import (
    offer_captives,
    offer_cells_in_range,
    offer_exchange,
    offer_on_tower,
    offer_ransom,
    offer_tower_cells,
)
from carc_env.sets.tower.record import NO_TOWER
from carc_env.sets.wagon.kernels import offer_spots, offer_targets

MAX_LEGAL = 4 * MAX_FRONTIER
"""Room for the legal actions of any decision."""
MAX_FIGURE_ACTIONS = (
    int(MAY_STAND[:, SEGMENT_KIND].sum((0, 2)).max())
    + N_CORNERS
    + N_SITES
    + MAX_TILES
    + MAX_PLAYERS * N_MEEPLES
    + len(("recall", "pass"))
)
"""Room for the legal actions of the figure phase: every figure on every segment of the tile that
has most for them, a barn on its corners, bridges, cells, ransoms, and what is always named last."""


@kernel(i8(State, i8[::1]))
def offer_on_volcano(s, actions):
    """Write the figure actions on a volcano: a barn or a recall (PD-03 to PD-05, XPD-02)."""
    n = 0
    if s.rules.owned[Figure.ABBOT] > 0 and can_recall_abbot(s):
        actions[n] = s.rules.first_action[Block.RECALL]
        n += 1
    return offer_barn(s, n, actions)


@kernel(i8(State, i8[::1]), inline=True)
def offer_on_last_tile(s, actions):
    """Write the figure actions of the decider on the tile just placed (TURN-03)."""
    if s.rules.dragon != 0 and is_at_last_tile(s):
        return offer_on_volcano(s, actions)
    n = offer_segments(s, Figure.MEEPLE, 0, actions)
    n = offer_segments(s, Figure.LARGE, n, actions)  # INN-01
    n = offer_abbot(s, n, actions)
    n = offer_mayor(s, n, actions)
    n = offer_segments(s, Figure.WAGON, n, actions)  # WAG-02
    n = offer_segments(s, Figure.BUILDER, n, actions)  # TRA-05
    n = offer_segments(s, Figure.PIG, n, actions)  # TRA-12
    n = offer_barn(s, n, actions)
    return offer_shepherd(s, n, actions)  # HS-25


@kernel(i8(State, i8, i8[::1]))
def offer_cells(s, n, actions):
    """Add the cells where a figure can be put, or something can happen to one."""
    n = offer_portal_cells(s, n, actions)
    n = offer_fairy_cells(s, n, actions)
    n = offer_tower_cells(s, n, actions)
    return offer_knight_cells(s, n, actions)


@kernel(i8(State, i8[::1]))
def offer_elsewhere(s, actions):
    """Write what can be done on the chosen cell."""
    if s.tower != NO_TOWER:
        return offer_captives(s, actions)
    if must_remove(s):
        return offer_knight_spots(s, 0, actions)
    n = offer_portal_spots(s, 0, actions)
    n = offer_fairy_spots(s, n, actions)
    n = offer_on_tower(s, n, actions)
    return offer_knight_spots(s, n, actions)


@kernel(i8(State, i8[::1]))
def offer_figures(s, actions):
    """Write the figure actions of the decider, and bridges; a princess may forbid all others."""
    if must_remove(s):
        n = offer_knight_cells(s, 0, actions)
    else:
        n = offer_on_last_tile(s, actions)
        if s.rules.acts_elsewhere != 0:
            n = offer_cells(s, n, actions)
    if s.rules.stock[Stock.FLOOR] > 0:
        n = offer_ransom(s, n, actions)
    return offer_bridges(s, n, actions) if s.rules.stock[Stock.BRIDGE] > 0 else n


@kernel(i8(State, i8[::1]))
def offer_places(s, actions):
    """Write the placements of the tile in hand; if all need a bridge, it may go aside (BRI-09)."""
    n_plain = n = legal_places(s, actions)
    if s.rules.stock[Stock.BRIDGE] > 0:
        n = offer_bridged_places(s, n_plain, actions)
        if n_plain == 0 and n > 0:
            actions[n] = s.rules.first_action[Block.PASS]
            n += 1
    return offer_ransom(s, n, actions) if s.rules.early_ransom != 0 else n


@kernel(i8(State, i8[::1]))
def offer_or_pass(s, actions):
    """Write the choices of a decision in which the decider may pass."""
    phase = s.phase
    if phase == Phase.FIGURE:
        n = offer_figures(s, actions)
        if must_remove(s):
            return n
    elif phase == Phase.CAPTURE:
        n = offer_cells_in_range(s, actions)
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
    if phase == Phase.ELSEWHERE:
        return offer_elsewhere(s, actions)
    if phase == Phase.EXCHANGE:
        return offer_exchange(s, actions)
    if phase == Phase.FLIGHT:
        return offer_steps(s, actions)
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
