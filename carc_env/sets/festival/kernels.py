"""The Festival: take back one of your figures instead of placing one (docs/rules/festival.md).

The figure can come from anywhere. On a tile, its spot names it, but a shepherd may share that spot
with a farmer, and a meeple on a tower or in Carcassonne stands on no segment.
"""

from carc_env.engine.compiler.jit import b1, i8, kernel
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.answers import DONE
from carc_env.engine.core.codes import FIRST_CORNER, N_MEEPLES, N_QUARTERS, Block, Figure
from carc_env.engine.core.elsewhere import (
    add_cell,
    add_once,
    clear_top,
    place_of_one,
    spot_of,
    tower_at,
)
from carc_env.engine.core.features import cell_of
from carc_env.engine.core.figures import figure_kind, is_meeple, take_off
from carc_env.engine.core.moments import do_action, meeple_leaves, offer_cells, offer_spots
from carc_env.engine.core.state import (
    NO_CORNER,
    NO_SEGMENT,
    SLOTS_PER_SEAT,
    State,
)
from carc_env.engine.core.tiles import IS_FESTIVAL
from carc_env.sets.festival.record import FIGURES
from carc_env.sets.tower.record import NO_TOWER

RANK = 4
"""Rank after all other actions that affect figures on other tiles."""
N_KINDS_SHARING = int(Figure.BUILDER) + 1
"""Number of figure kinds that can share a spot: none that stand on fields (FLY-07)."""


@kernel(b1(State))
def is_at_festival(s):
    """Return whether the tile just placed shows a festival (FES-02)."""
    return IS_FESTIVAL[s.tiles[s.n_tiles - 1].design]


@kernel(b1(State, i8))
def may_come_back(s, figure):
    """Return whether a figure stands on a tile and is of a kind that may be taken back (FES-03)."""
    is_there = s.figures[figure].segment != NO_SEGMENT
    return is_there and (s.rules.festival == FIGURES or is_meeple(figure))


@kernel(b1(State, i8))
def has_company(s, figure):
    """Return whether a figure of another kind that may be taken back shares its spot (FLY-06).

    Both belong to the decider; pigs, barns and shepherds stand on fields, where nobody lands.
    """
    for other in range(s.decider * SLOTS_PER_SEAT, (s.decider + 1) * SLOTS_PER_SEAT):
        is_of_kind = figure_kind(other) == figure_kind(figure)
        is_there = s.figures[other].segment == s.figures[figure].segment
        if not is_of_kind and is_there and figure_kind(other) <= Figure.BUILDER:
            if may_come_back(s, other):
                return True
    return False


@kernel(i8(State, i8))
def action_for(s, figure):
    """Return the action that takes a figure back from the chosen cell."""
    if figure_kind(figure) == Figure.SHEPHERD:
        return s.rules.first_action[Block.RETURN_SHEPHERD]
    corner = s.figures[figure].corner
    if corner != NO_CORNER:
        return s.rules.first_action[Block.RETURN] + FIRST_CORNER + corner
    spot = spot_of(s, s.figures[figure].segment)
    place = place_of_one(s, figure_kind(figure), spot)
    if s.rules.shares_spots == 0 or place < 0 or not has_company(s, figure):
        return s.rules.first_action[Block.RETURN] + spot
    return s.rules.first_action[Block.RETURN_ONE] + place


@kernel(i8(State, i8, i8[::1]))
def offer_waiting(s, n, actions):
    """Add the decider's meeples in Carcassonne, by quarter and kind (FES-06)."""
    for kind in range(N_MEEPLES):
        for quarter in range(N_QUARTERS):
            if s.players[s.decider].waiting[quarter, kind] > 0:
                actions[n] = s.rules.first_action[Block.FETCH] + N_QUARTERS * kind + quarter
                n += 1
    return n


@at(offer_cells, "festival", RANK)
@kernel(i8(State, i8, i8[::1]))
def offer_return_cells(s, n, actions):
    """Add the cells with the decider's eligible figures, and their waiting meeples (FES-02)."""
    if not is_at_festival(s):
        return n
    for figure in range(s.decider * SLOTS_PER_SEAT, (s.decider + 1) * SLOTS_PER_SEAT):
        if may_come_back(s, figure):
            n = add_cell(s, cell_of(s, s.figures[figure].segment), n, actions)
    for tower in range(s.n_towers):
        if s.towers[tower].seat == s.decider:
            n = add_cell(s, s.tiles[s.towers[tower].tile].cell, n, actions)
    return offer_waiting(s, n, actions)


@kernel(b1(State, i8))
def stands_there(s, figure):
    """Return whether a figure on the chosen cell may be taken back."""
    return may_come_back(s, figure) and cell_of(s, s.figures[figure].segment) == s.chosen_cell


@at(offer_spots, "festival", RANK)
@kernel(i8(State, i8, i8[::1]))
def offer_returns(s, n, actions):
    """Add the decider's figures that can return from this cell (FES-03, FES-07, FES-08)."""
    if not is_at_festival(s):
        return n
    for figure in range(s.decider * SLOTS_PER_SEAT, (s.decider + 1) * SLOTS_PER_SEAT):
        if stands_there(s, figure):
            n = add_once(action_for(s, figure), n, actions)
    tower = tower_at(s, s.chosen_cell)
    if tower != NO_TOWER and s.towers[tower].seat == s.decider:
        actions[n] = s.rules.first_action[Block.RETURN_TOP]
        n += 1
    return n


@kernel(i8(State, i8))
def figure_for(s, action):
    """Return the decider's figure that an action takes back from the chosen cell."""
    figure = s.decider * SLOTS_PER_SEAT
    while not (stands_there(s, figure) and action_for(s, figure) == action):
        figure += 1
    return figure


@at(do_action, key=Block.RETURN)
@at(do_action, key=Block.RETURN_ONE)
@at(do_action, key=Block.RETURN_SHEPHERD)
@kernel(i8(State, i8))
def return_figure(s, action):
    """Take a figure back without any scoring (FES-07 to FES-11, FES-15).

    First note whether the tile extends the builder's feature (XW-02).
    """
    meeple_leaves(s)
    take_off(s, figure_for(s, action))
    return DONE


@at(do_action, key=Block.RETURN_TOP)
@kernel(i8(State, i8))
def return_top(s, action):
    """Take the decider's meeple back from the tower on the chosen cell, which reopens.

    See FES-07; the fairy is left alone (FES-15).
    """
    tower = tower_at(s, s.chosen_cell)
    s.players[s.decider].supply[s.towers[tower].figure] += 1
    clear_top(s, tower)
    return DONE


@at(do_action, key=Block.FETCH)
@kernel(i8(State, i8))
def fetch_meeple(s, action):
    """Take one of the decider's waiting meeples back from Carcassonne (FES-06)."""
    chosen = action - s.rules.first_action[Block.FETCH]
    kind, quarter = chosen // N_QUARTERS, chosen % N_QUARTERS
    s.players[s.decider].waiting[quarter, kind] -= 1
    s.players[s.decider].supply[kind] += 1
    return DONE
