"""A figure onto, or off, any place of the board: first a cell is chosen, then what happens there.

A cell is chosen like the place of a tile, with rotation 0. Then ``chosen_cell`` is set, and in
phase ``ELSEWHERE`` a figure goes to one of its spots, or something happens to the meeple on one.
"""

from carc_env.engine.compiler.jit import b1, i8, kernel, void
from carc_env.engine.core.board import cell_of_place, n_place_actions, place_action, tile_at
from carc_env.engine.core.codes import Figure, Phase
from carc_env.engine.core.features import feature_of, segment_at, tile_of
from carc_env.engine.core.figures import is_meeple
from carc_env.engine.core.state import NO_CELL, NO_FIGURE, State
from carc_env.engine.core.tiles import SEGMENT_SPOT
from carc_env.sets.tower.record import NO_TOWER


@kernel(b1(State, i8))
def chooses_cell(s, action):
    """Tell whether an action of the figure phase chooses a cell."""
    return action < n_place_actions(s)


@kernel(void(State, i8))
def choose_cell(s, action):
    """Note the cell that an action chooses; what happens there is asked next."""
    s.chosen_cell = cell_of_place(s, action)
    s.phase = Phase.ELSEWHERE


@kernel(void(State))
def forget_cell(s):
    """End what began with the choice of a cell."""
    s.chosen_cell = NO_CELL


@kernel(i8(State))
def chosen_tile(s):
    """Return the tile on the chosen cell."""
    return tile_at(s, s.chosen_cell)


@kernel(b1(State, i8))
def is_at_hand(s, kind):
    """Tell whether the decider has a figure of a kind, and may place it now (PHA-02)."""
    is_second = s.phase == Phase.SECOND or s.phase == Phase.SECOND_SPOT
    may_follow = not is_second or kind == Figure.PHANTOM
    return may_follow and s.players[s.decider].supply[kind] > 0


@kernel(i8(State, i8, i8, i8[::1]))
def add_cell(s, cell, n, actions):
    """Add the action that chooses a cell to n others, unless it is among them; return how many."""
    action = place_action(s, cell, 0)
    for k in range(n):
        if actions[k] == action:
            return n
    actions[n] = action
    return n + 1


@kernel(i8(State, i8))
def spot_of(s, segment):
    """Return the spot that names a segment on its tile."""
    placed = s.tiles[tile_of(s, segment)]
    return SEGMENT_SPOT[placed.design, placed.rotation, segment - placed.first_segment]


@kernel(i8(State, i8))
def meeple_at(s, spot):
    """Return the meeple on a spot of the chosen cell, or NO_FIGURE."""
    segment = segment_at(s, chosen_tile(s), spot)
    entry = s.features[feature_of(s, segment)].figure
    figure = entry
    while figure != NO_FIGURE:
        if s.figures[figure].segment == segment and is_meeple(figure):
            return figure
        figure = s.figures[figure].next
        if figure == entry:
            return NO_FIGURE
    return NO_FIGURE


@kernel(i8(State, i8))
def tower_at(s, cell):
    """Return the number of the tower on a cell, or NO_TOWER."""
    for tower in range(s.n_towers):
        if s.tiles[s.towers[tower].tile].cell == cell:
            return tower
    return NO_TOWER
