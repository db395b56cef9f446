"""The fairy: moved instead of placing a figure, and a point at the start of a turn (PD-30)."""

from carc_env.engine.compiler.jit import b1, i8, kernel, void
from carc_env.engine.core.board import tile_at
from carc_env.engine.core.codes import Block, Kind
from carc_env.engine.core.elsewhere import add_cell, meeple_at, spot_of, tower_at
from carc_env.engine.core.fairy import n_beside_fairy
from carc_env.engine.core.features import cell_of, kind_of
from carc_env.engine.core.figures import is_meeple, seat_of
from carc_env.engine.core.scoring import award_for
from carc_env.engine.core.state import (
    NO_CELL,
    NO_FIGURE,
    NO_SEGMENT,
    NO_TILE,
    NO_TOWER,
    SLOTS_PER_SEAT,
    State,
)


@kernel(b1(State, i8))
def may_come_to(s, figure):
    """Tell whether the fairy may move to a figure (PD-30, PD-32, PD-41, XPD-03, XPD-14)."""
    segment = s.figures[figure].segment
    if segment == NO_SEGMENT or not is_meeple(figure):
        return False
    if s.rules.fairy_in_castle == 0 and kind_of(s, segment) == Kind.CASTLE:
        return False
    if s.rules.fairy_on_tile != 0:
        return cell_of(s, segment) != s.fairy
    return figure != s.fairy_figure


@kernel(b1(State, i8))
def may_come_to_top(s, tower):
    """Tell whether the fairy may move to a meeple of the decider on a tower (PD-42)."""
    if s.rules.fairy_on_tower == 0 or s.towers[tower].seat != s.decider:
        return False
    is_there = s.tiles[s.towers[tower].tile].cell == s.fairy
    return not is_there or (s.rules.fairy_on_tile == 0 and s.fairy_top == 0)


@kernel(i8(State, i8, i8[::1]))
def offer_fairy_cells(s, n, actions):
    """Add the cells of the decider's meeples to which the fairy may move (PD-30)."""
    if s.rules.fairy == 0:
        return n
    for figure in range(s.decider * SLOTS_PER_SEAT, (s.decider + 1) * SLOTS_PER_SEAT):
        if may_come_to(s, figure):
            n = add_cell(s, cell_of(s, s.figures[figure].segment), n, actions)
    for tower in range(s.n_towers):
        if may_come_to_top(s, tower):
            n = add_cell(s, s.tiles[s.towers[tower].tile].cell, n, actions)
    return n


@kernel(i8(State, i8, i8[::1]))
def offer_fairy_spots(s, n, actions):
    """Add the decider's meeples on the chosen cell to which it may move.

    Where it stands on the tile that is one action, with the first of their spots, or the meeple on
    the tower if that is the only one (PD-31).
    """
    if s.rules.fairy == 0:
        return n
    n_before = n
    for figure in range(s.decider * SLOTS_PER_SEAT, (s.decider + 1) * SLOTS_PER_SEAT):
        if may_come_to(s, figure) and cell_of(s, s.figures[figure].segment) == s.chosen_cell:
            action = s.rules.first_action[Block.FAIRY] + spot_of(s, s.figures[figure].segment)
            if s.rules.fairy_on_tile != 0 and n > n_before:
                actions[n_before] = min(actions[n_before], action)
            else:
                actions[n] = action
                n += 1
    tower = tower_at(s, s.chosen_cell)
    is_alone = s.rules.fairy_on_tile == 0 or n == n_before
    if is_alone and tower != NO_TOWER and may_come_to_top(s, tower):
        actions[n] = s.rules.first_action[Block.FAIRY_TOP]
        n += 1
    return n


@kernel(void(State, i8))
def move_fairy(s, action):
    """Put the fairy on the chosen cell, beside the meeple that an action names (PD-31, PD-42)."""
    s.fairy = s.chosen_cell
    if s.rules.fairy_on_tile == 0:
        s.fairy_top = action == s.rules.first_action[Block.FAIRY_TOP]
        s.fairy_figure = NO_FIGURE
        if s.fairy_top == 0:
            s.fairy_figure = meeple_at(s, action - s.rules.first_action[Block.FAIRY])


@kernel(b1(State, i8))
def is_beside_top(s, seat):
    """Tell whether the fairy is beside a seat's meeple on a tower, or on its tile (PD-42)."""
    if s.rules.fairy_on_tower == 0 or (s.rules.fairy_on_tile == 0 and s.fairy_top == 0):
        return False
    tower = tower_at(s, s.fairy)
    return tower != NO_TOWER and s.towers[tower].seat == seat


@kernel(void(State))
def score_fairy_turn(s):
    """Give the turn player a point if the fairy is beside a meeple of theirs (PD-34, PD-35)."""
    n = n_beside_fairy(s, s.turn_player) + is_beside_top(s, s.turn_player)
    if n > 0:
        award_for(s, Kind.FAIRY, s.turn_player, n, NO_SEGMENT)


@kernel(b1(State))
def has_wrong_fairy(s):
    """It stands on a tile, and beside a meeple on it or beside nobody (PD-40)."""
    figure = s.fairy_figure
    if s.rules.fairy == 0 or s.fairy == NO_CELL:
        return s.fairy != NO_CELL or figure != NO_FIGURE or s.fairy_top != 0
    if tile_at(s, s.fairy) == NO_TILE:
        return True
    if s.fairy_top != 0:
        tower = tower_at(s, s.fairy)
        has_top = tower != NO_TOWER and s.towers[tower].figure != NO_FIGURE
        is_allowed = s.rules.fairy_on_tower != 0 and s.rules.fairy_on_tile == 0
        return not has_top or not is_allowed or figure != NO_FIGURE
    if figure == NO_FIGURE:
        return False
    segment = s.figures[figure].segment
    is_out = seat_of(figure) >= s.rules.n_players or s.rules.fairy_on_tile != 0
    return (
        is_out or segment == NO_SEGMENT or not is_meeple(figure) or cell_of(s, segment) != s.fairy
    )
