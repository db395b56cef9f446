"""Moving a figure to or from any cell: first choose the cell, then what happens there.

A cell is chosen like the place of a tile, with rotation 0. Then ``chosen_cell`` is set, and in
phase ``ELSEWHERE`` a figure goes to one of the cell's spots, or something happens to the meeple on
one of them.
"""

from carc_env.engine.compiler.jit import b1, i8, kernel, void
from carc_env.engine.core.board import cell_of_place, n_place_actions, place_action, tile_at
from carc_env.engine.core.codes import N_MEEPLES, N_SPOTS, Block, Figure, Phase
from carc_env.engine.core.features import cell_of, tile_of
from carc_env.engine.core.fief import touches
from carc_env.engine.core.figures import (
    SPOT_PLACE,
    figure_kind,
    is_meeple,
    number_of,
    seat_of,
)
from carc_env.engine.core.moments import meeple_gone
from carc_env.engine.core.seats import places_between
from carc_env.engine.core.state import (
    NO_CELL,
    NO_FIGURE,
    NO_SEAT,
    NO_SEGMENT,
    NO_TILE,
    SLOTS_PER_SEAT,
    State,
)
from carc_env.engine.core.tiles import SEGMENT_SPOT
from carc_env.sets.russian_promos.record import N_TRAPS, NO_TRAP
from carc_env.sets.tower.record import NO_TOWER


@kernel(b1(State, i8))
def chooses_cell(s, action):
    """Return whether an action in the figure phase chooses a cell."""
    return action < n_place_actions(s)


@kernel(void(State, i8))
def choose_cell(s, action):
    """Record the cell that an action chooses; the next question is what happens there."""
    s.chosen_cell = cell_of_place(s, action)
    s.phase = Phase.ELSEWHERE


@kernel(void(State))
def forget_cell(s):
    """Reset the fields set by the choice of a cell."""
    s.chosen_cell = NO_CELL


@kernel(i8(State))
def chosen_tile(s):
    """Return the tile on the chosen cell."""
    return tile_at(s, s.chosen_cell)


@kernel(b1(State, i8))
def is_at_hand(s, kind):
    """Return whether the decider has a figure of a kind and may place it now (PHA-02)."""
    is_second = s.phase == Phase.SECOND or s.phase == Phase.SECOND_SPOT
    may_follow = not is_second or kind == Figure.PHANTOM
    return may_follow and s.players[s.decider].supply[kind] > 0


@kernel(i8(i8, i8, i8[::1]))
def add_once(action, n, actions):
    """Add an action to the first n unless it is already among them; return how many there are."""
    for k in range(n):
        if actions[k] == action:
            return n
    actions[n] = action
    return n + 1


@kernel(i8(State, i8, i8, i8[::1]))
def add_cell(s, cell, n, actions):
    """Add the action that chooses a cell unless it is already listed; return how many there are."""
    return add_once(place_action(s, cell, 0), n, actions)


@kernel(i8(State, i8))
def spot_of(s, segment):
    """Return the spot that names a segment on its tile."""
    placed = s.tiles[tile_of(s, segment)]
    return SEGMENT_SPOT[placed.design, placed.rotation, segment - placed.first_segment]


@kernel(b1(i8, i8))
def are_alike(figure, other):
    """Check whether two figures have the same kind and seat, so that no rule distinguishes them."""
    is_of_kind = figure_kind(figure) == figure_kind(other)
    return is_of_kind and seat_of(figure) == seat_of(other)


@kernel(b1(State, i8))
def shares_spot(s, figure):
    """Return whether meeples of other seats or kinds stand on a meeple's segment (FLY-06)."""
    segment = s.figures[figure].segment
    other = s.figures[figure].next
    while other != figure:
        is_there = s.figures[other].segment == segment and is_meeple(other)
        if is_there and not are_alike(figure, other):
            return True
        other = s.figures[other].next
    return False


@kernel(i8(State, i8, i8))
def place_of_one(s, whom, spot):
    """Return the place within a block that identifies one of several figures on a spot.

    It is -1 on fields, where figures can share a spot only because of corn circles (FLY-07,
    CRN-07).
    """
    if s.rules.lays_fields != 0:
        n = N_SPOTS + s.rules.lays_lying
        return n * whom + SPOT_PLACE[Figure.MEEPLE, spot]
    place = SPOT_PLACE[Figure.WAGON, spot]
    return place if place < 0 else number_of(s, whom, place)


@kernel(i8(State, i8))
def removal_of(s, figure):
    """Return the action that takes a meeple off the chosen cell, by its spot if that is unique.

    Otherwise, the action identifies it by owner (clockwise from the decider), kind and spot.
    """
    spot, first = spot_of(s, s.figures[figure].segment), s.rules.first_action
    owner = places_between(s, s.decider, seat_of(figure))
    place = place_of_one(s, N_MEEPLES * owner + figure_kind(figure), spot)
    if s.rules.shares_spots == 0 or place < 0 or not shares_spot(s, figure):
        return first[Block.REMOVE] + SPOT_PLACE[Figure.MEEPLE, spot]
    return first[Block.REMOVE_ONE] + place


@kernel(i8(State, i8, i8, i8[::1]))
def add_removal(s, figure, n, actions):
    """Add the action that takes a meeple off the chosen cell; identical meeples share an action."""
    return add_once(removal_of(s, figure), n, actions)


@kernel(i8(State, i8))
def meeple_for(s, action):
    """Return the meeple that an action takes off the chosen cell."""
    figure = 0
    while True:
        segment = s.figures[figure].segment
        if segment != NO_SEGMENT and is_meeple(figure) and cell_of(s, segment) == s.chosen_cell:
            if removal_of(s, figure) == action:
                return figure
        figure += 1


@kernel(i8(State, i8))
def tower_at(s, cell):
    """Return the number of the tower on a cell, or NO_TOWER."""
    for tower in range(s.n_towers):
        if s.tiles[s.towers[tower].tile].cell == cell:
            return tower
    return NO_TOWER


@kernel(i8(State, i8))
def trap_at(s, cell):
    """Return the trap on a cell, or NO_TRAP."""
    for trap in range(N_TRAPS):
        if s.traps[trap] != NO_TILE and s.tiles[s.traps[trap]].cell == cell:
            return trap
    return NO_TRAP


@kernel(i8(State, i8, i8))
def n_trapped(s, trap, seat):
    """Return the number of a seat's meeples in a trap."""
    n = 0
    for kind in range(N_MEEPLES):
        n += s.players[seat].trapped[trap, kind]
    return n


@kernel(void(State, i8, i8[::1]))
def count_around(s, cell, counts):
    """Count each seat's meeples in a 3 x 3 block, including towers and traps (DAR-07, WT-06)."""
    for seat in range(s.rules.n_players):
        counts[seat] = 0
    for figure in range(SLOTS_PER_SEAT * s.rules.n_players):
        segment = s.figures[figure].segment
        if segment != NO_SEGMENT and is_meeple(figure):
            counts[seat_of(figure)] += touches(cell, cell_of(s, segment))
    for k in range(s.n_towers):
        tower = s.towers[k]
        if tower.seat != NO_SEAT:
            counts[tower.seat] += touches(cell, s.tiles[tower.tile].cell)
    for trap in range(N_TRAPS):
        if s.traps[trap] != NO_TILE and touches(cell, s.tiles[s.traps[trap]].cell):
            for seat in range(s.rules.n_players):
                counts[seat] += n_trapped(s, trap, seat)


@kernel(void(State, i8, i8, i8))
def let_go(s, seat, trap, kind):
    """Return a trapped figure to its owner."""
    s.players[seat].trapped[trap, kind] -= 1
    s.players[seat].supply[kind] += 1
    meeple_gone(s, seat, s.tiles[s.traps[trap]].cell)


@kernel(void(State, i8))
def clear_top(s, tower):
    """Take the meeple off a tower, which is then open again (TOW-22)."""
    top = s.towers[tower]
    seat = top.seat
    top.seat, top.figure = NO_SEAT, NO_FIGURE
    meeple_gone(s, seat, s.tiles[top.tile].cell)
