"""The fairy: moves instead of placing a figure, and scores at the start of a turn (PD-30)."""

from carc_env.engine.compiler.jit import b1, i8, kernel, void
from carc_env.engine.compiler.memory import room_for
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.answers import DONE
from carc_env.engine.core.board import tile_at
from carc_env.engine.core.codes import Block, Figure, Kind, Phase
from carc_env.engine.core.elsewhere import (
    add_cell,
    add_once,
    chosen_tile,
    n_trapped,
    spot_of,
    tower_at,
    trap_at,
)
from carc_env.engine.core.features import cell_of, kind_of, segment_at, tile_of
from carc_env.engine.core.figures import PLACE_SPOT, SPOT_PLACE, is_meeple, seat_of
from carc_env.engine.core.moments import (
    do_action,
    end_projected,
    feature_scored,
    figure_removed,
    meeple_gone,
    offer_cells,
    offer_spots,
    turn_begins,
)
from carc_env.engine.core.scoring import award_for, occupied_features
from carc_env.engine.core.state import (
    MAX_FIGURES,
    NO_CELL,
    NO_FIGURE,
    NO_SEGMENT,
    NO_TILE,
    SLOTS_PER_SEAT,
    State,
)
from carc_env.sets.russian_promos.record import N_TRAPS, NO_TRAP
from carc_env.sets.tower.record import NO_TOWER

POINTS_FOR_A_FEATURE = 3  # PD-36


@kernel(i8(State))
def fairy_tile(s):
    """Return the tile that the fairy stands on, or NO_TILE."""
    return NO_TILE if s.fairy == NO_CELL else tile_at(s, s.fairy)


@kernel(b1(State, i8))
def is_beside_fairy(s, figure):
    """Return whether the fairy is beside a figure, or on the tile of a meeple (PD-31)."""
    if s.rules.fairy_on_tile == 0:
        return figure == s.fairy_figure
    segment = s.figures[figure].segment
    if segment == NO_SEGMENT or not is_meeple(figure):
        return False
    return tile_of(s, segment) == fairy_tile(s)


@kernel(i8(State, i8))
def n_beside_fairy(s, seat):
    """Return how many of a seat's meeples the fairy is beside (PD-34, PD-35)."""
    if s.fairy == NO_CELL:
        return 0
    n = 0
    for figure in range(seat * SLOTS_PER_SEAT, (seat + 1) * SLOTS_PER_SEAT):
        n += is_beside_fairy(s, figure)
    return n


@kernel(b1(State, i8, i8))
def has_fairy(s, feature, seat):
    """Return whether the fairy is beside one of a seat's meeples on a feature (PD-36)."""
    if s.fairy == NO_CELL:
        return False
    entry = s.features[feature].figure
    figure = entry
    while figure != NO_FIGURE:
        if seat_of(figure) == seat and is_beside_fairy(s, figure):
            return True
        figure = s.figures[figure].next
        if figure == entry:
            return False
    return False


@kernel(b1(State, i8))
def is_beside_own(s, figure):
    """Return whether the fairy is beside a figure, or another one of its owner's on the same spot.

    It does not matter which of them it is: if one goes, the fairy stays beside another (FLY-22).
    """
    other = s.fairy_figure
    if other == NO_FIGURE or seat_of(other) != seat_of(figure):
        return False
    return s.figures[other].segment == s.figures[figure].segment


@kernel(i8(State, i8))
def own_meeple_at(s, spot):
    """Return the decider's first meeple on a spot of the chosen cell."""
    segment, figure = segment_at(s, chosen_tile(s), spot), s.decider * SLOTS_PER_SEAT
    while s.figures[figure].segment != segment or not is_meeple(figure):
        figure += 1
    return figure


@kernel(b1(State, i8))
def may_come_to(s, figure):
    """Return whether the fairy may move to a figure (PD-30, PD-32, PD-41, XPD-03, XPD-14)."""
    segment = s.figures[figure].segment
    if segment == NO_SEGMENT or not is_meeple(figure):
        return False
    if s.rules.fairy_in_castle == 0 and kind_of(s, segment) == Kind.CASTLE:
        return False
    if s.rules.fairy_on_tile != 0:
        return cell_of(s, segment) != s.fairy
    return not is_beside_own(s, figure)


@kernel(b1(State, i8))
def may_come_to_top(s, tower):
    """Return whether the fairy may move to the decider's meeple on a tower (PD-42)."""
    if s.rules.fairy_on_tower == 0 or s.towers[tower].seat != s.decider:
        return False
    is_there = s.tiles[s.towers[tower].tile].cell == s.fairy
    return not is_there or (s.rules.fairy_on_tile == 0 and s.fairy_top == 0)


@kernel(b1(State, i8))
def may_come_to_trap(s, trap):
    """Return whether the fairy may move to one of the decider's meeples in a trap (RUS-15)."""
    if s.traps[trap] == NO_TILE or n_trapped(s, trap, s.decider) == 0:
        return False
    is_there = s.tiles[s.traps[trap]].cell == s.fairy
    return not is_there or (s.rules.fairy_on_tile == 0 and s.fairy_top != 1 + s.decider)


@at(offer_cells, "fairy", key=1)
@kernel(i8(State, i8, i8[::1]))
def offer_fairy_cells(s, n, actions):
    """Add the cells of the decider's meeples to which the fairy may move (PD-30)."""
    for figure in range(s.decider * SLOTS_PER_SEAT, (s.decider + 1) * SLOTS_PER_SEAT):
        if may_come_to(s, figure):
            n = add_cell(s, cell_of(s, s.figures[figure].segment), n, actions)
    for tower in range(s.n_towers):
        if may_come_to_top(s, tower):
            n = add_cell(s, s.tiles[s.towers[tower].tile].cell, n, actions)
    for trap in range(N_TRAPS):
        if may_come_to_trap(s, trap):
            n = add_cell(s, s.tiles[s.traps[trap]].cell, n, actions)
    return n


@at(offer_spots, "fairy", key=1)
@kernel(i8(State, i8, i8[::1]))
def offer_fairy_spots(s, n, actions):
    """Add the decider's meeples on the chosen cell to which the fairy may move.

    If the fairy goes to tiles, that is a single action: it names the first of their spots or, if
    there is no such meeple, the one on the tower or in the trap (PD-31).
    """
    n_before = n
    for figure in range(s.decider * SLOTS_PER_SEAT, (s.decider + 1) * SLOTS_PER_SEAT):
        if may_come_to(s, figure) and cell_of(s, s.figures[figure].segment) == s.chosen_cell:
            spot = spot_of(s, s.figures[figure].segment)
            action = s.rules.first_action[Block.FAIRY] + SPOT_PLACE[Figure.MEEPLE, spot]
            if s.rules.fairy_on_tile != 0 and n > n_before:
                actions[n_before] = min(actions[n_before], action)
            else:
                n = add_once(action, n, actions)
    tower = tower_at(s, s.chosen_cell)
    is_alone = s.rules.fairy_on_tile == 0 or n == n_before
    if is_alone and tower != NO_TOWER and may_come_to_top(s, tower):
        actions[n] = s.rules.first_action[Block.FAIRY_TOP]
        n += 1
    trap = trap_at(s, s.chosen_cell)
    if is_alone and trap != NO_TRAP and may_come_to_trap(s, trap):
        actions[n] = s.rules.first_action[Block.FAIRY_TRAP]
        n += 1
    return n


@at(do_action, key=Block.FAIRY)
@at(do_action, key=Block.FAIRY_TOP)
@at(do_action, key=Block.FAIRY_TRAP)
@kernel(i8(State, i8))
def move_fairy(s, action):
    """Put the fairy on the chosen cell, beside the meeple that an action names (PD-31, PD-42)."""
    s.fairy = s.chosen_cell
    if s.rules.fairy_on_tile == 0:
        s.fairy_top = action == s.rules.first_action[Block.FAIRY_TOP]
        if action == s.rules.first_action[Block.FAIRY_TRAP]:
            s.fairy_top = 1 + s.decider
        s.fairy_figure = NO_FIGURE
        if s.fairy_top == 0:
            place = action - s.rules.first_action[Block.FAIRY]
            s.fairy_figure = own_meeple_at(s, PLACE_SPOT[Figure.MEEPLE, place])
    return DONE


@kernel(b1(State, i8))
def is_beside_top(s, seat):
    """Return whether the fairy is beside a seat's meeple on a tower, or on its tile (PD-42)."""
    if s.rules.fairy_on_tower == 0 or (s.rules.fairy_on_tile == 0 and s.fairy_top == 0):
        return False
    tower = tower_at(s, s.fairy)
    return tower != NO_TOWER and s.towers[tower].seat == seat


@kernel(i8(State, i8))
def n_beside_trapped(s, seat):
    """Return how many of a seat's meeples in a trap the fairy is beside (RUS-15)."""
    trap = trap_at(s, s.fairy)
    if trap == NO_TRAP or (s.rules.fairy_on_tile == 0 and s.fairy_top != 1 + seat):
        return 0
    n = n_trapped(s, trap, seat)
    return n if s.rules.fairy_on_tile != 0 else min(n, 1)


@at(figure_removed, "fairy")
@kernel(void(State, i8))
def leave_fairy(s, figure):
    """Leave the fairy alone when the meeple beside it goes (PD-40).

    The fairy may find another of the same seat's meeples on that spot.
    """
    if figure != s.fairy_figure:
        return
    s.fairy_figure = NO_FIGURE
    first = seat_of(figure) * SLOTS_PER_SEAT
    for other in range(first, first + SLOTS_PER_SEAT):
        is_there = s.figures[other].segment == s.figures[figure].segment
        if other != figure and is_there and is_meeple(other):
            s.fairy_figure = other


@at(feature_scored, "fairy")
@kernel(void(State, i8))
def score_fairy(s, feature):
    """Give the owner of the meeple beside the fairy its points for a feature (PD-36 to PD-38).

    A castle gives these points only when it is scored, if at all (PD-39, XPD-14).
    """
    if s.fairy == NO_CELL:
        return
    kind = s.features[feature].kind
    if kind == Kind.LINES:
        return  # MON-15
    is_castle = kind == Kind.CASTLE
    if is_castle and (s.rules.fairy_in_castle == 0 or s.phase == Phase.GAME_OVER):
        return
    for seat in range(s.rules.n_players):
        if has_fairy(s, feature, seat):
            award_for(s, Kind.FAIRY, seat, POINTS_FOR_A_FEATURE, feature)


@at(end_projected, "fairy")
@kernel(void(State, i8[::1]))
def add_fairy(s, points):
    """Add the fairy's points at the end, for each feature with meeples beside it (PD-37)."""
    if s.fairy == NO_CELL:
        return
    features = room_for(MAX_FIGURES)
    for k in range(occupied_features(s, features)):
        kind = s.features[features[k]].kind
        if kind != Kind.CASTLE and kind != Kind.LINES:  # PD-39, MON-15
            for seat in range(s.rules.n_players):
                if has_fairy(s, features[k], seat):
                    points[seat] += POINTS_FOR_A_FEATURE


@at(turn_begins, "fairy")
@kernel(void(State))
def score_fairy_turn(s):
    """Give the turn player a point if the fairy is beside one of their meeples (PD-34, PD-35)."""
    if s.fairy == NO_CELL:
        return
    n = n_beside_fairy(s, s.turn_player) + is_beside_top(s, s.turn_player)
    n += n_beside_trapped(s, s.turn_player)
    if n > 0:
        award_for(s, Kind.FAIRY, s.turn_player, n, NO_SEGMENT)


@at(meeple_gone, "fairy")
@kernel(void(State, i8, i8))
def stay_alone(s, seat, cell):
    """Leave the fairy alone if the meeple beside it was on a tower or in a trap (PD-40, FES-15)."""
    if cell == s.fairy:
        trap = trap_at(s, cell)
        if trap == NO_TRAP or (s.fairy_top == 1 + seat and n_trapped(s, trap, seat) == 0):
            s.fairy_top = 0
