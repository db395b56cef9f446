"""Abbey tiles: placed in holes instead of a drawn tile, they close edges (docs/rules/abbey.md)."""

from carc_env.engine.compiler.jit import b1, i8, kernel, void
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.answers import add_pass
from carc_env.engine.core.board import N_SIDES, cell_of_place, place_action
from carc_env.engine.core.codes import Phase, Stock
from carc_env.engine.core.features import (
    close_sides,
    feature_of,
    fill_surroundings,
    segment_beside,
    shared_beside,
)
from carc_env.engine.core.moments import offer
from carc_env.engine.core.placement import LOWEST_BITS, occupy_cell, required_sides
from carc_env.engine.core.rivals import is_barred
from carc_env.engine.core.state import NO_SEGMENT, State
from carc_env.engine.core.tiles import ABBEY_DESIGN, IS_RIVER


@kernel(b1(State, i8))
def is_hole(s, f):
    """Return whether a frontier cell in view has tiles on all four sides (ABB-03)."""
    return required_sides(s.frontier[f].edges) == LOWEST_BITS


@kernel(b1(State, i8))
def takes_abbey(s, f):
    """Check whether an abbey can go on a frontier cell: a hole not barred by a shrine (CULT-14)."""
    if not is_hole(s, f):
        return False
    return s.rules.rivals == 0 or not is_barred(s, ABBEY_DESIGN, s.frontier[f].cell)


@kernel(b1(State))
def waits_for_river(s):
    """Return whether abbeys are barred until the river is complete (RIV2-15)."""
    return s.rules.river_bars_abbeys != 0 and s.n_bag > 0 and IS_RIVER[s.bag[s.n_bag - 1]]


@kernel(b1(State))
def can_place_abbey(s):
    """Return whether the turn player has an abbey and a hole to fill (ABB-02, ABB-05, ABB-06)."""
    if s.players[s.turn_player].stock[Stock.ABBEY] == 0 or waits_for_river(s):
        return False
    for f in range(s.n_frontier):
        if takes_abbey(s, f):
            return True
    return False


@at(offer, key=Phase.DRAW_OR_ABBEY)
@kernel(i8(State, i8[::1]))
def offer_holes(s, actions):
    """Write the actions that place the abbey, in rotation 0, and the draw action (ABB-04)."""
    n = 0
    for f in range(s.n_frontier):
        if takes_abbey(s, f):
            actions[n] = place_action(s, s.frontier[f].cell, 0)
            n += 1
    return add_pass(s, n, actions)


@kernel(void(State, i8))
def lay_abbey(s, cell):
    """Put an abbey in a hole: a monastery that closes its neighbours' open edges (ABB-07 to 11)."""
    tile = occupy_cell(s, ABBEY_DESIGN, 0, cell)
    for side in range(N_SIDES):
        segment = segment_beside(s, cell, side)
        if segment != NO_SEGMENT:
            close_sides(s, feature_of(s, segment), 1)
        segment = shared_beside(s, cell, side)
        if segment != NO_SEGMENT:
            close_sides(s, feature_of(s, segment), 1)
    fill_surroundings(s, tile)


@kernel(void(State, i8))
def place_abbey(s, action):
    """Place the turn player's abbey."""
    s.players[s.turn_player].stock[Stock.ABBEY] -= 1
    lay_abbey(s, cell_of_place(s, action))
