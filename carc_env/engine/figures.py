"""Figures: from the supply to the board and back, and who has the majority."""

from carc_env.engine import codes
from carc_env.engine._jit import i8, kernel, void
from carc_env.engine.features import feature_of, is_occupied
from carc_env.engine.state import (
    FIGURE_SLOTS,
    NO_FIGURE,
    NO_SEGMENT,
    SLOTS_PER_SEAT,
    State,
)
from carc_env.engine.tiles import N_SEGMENTS, SEGMENT_KIND, SEGMENT_SPOT


@kernel(i8(i8))
def seat_of(figure):
    """Return the seat that owns a figure."""
    return figure // SLOTS_PER_SEAT


@kernel(i8(i8))
def figure_kind(figure):
    """Return the kind of a figure."""
    return FIGURE_SLOTS[figure % SLOTS_PER_SEAT]


@kernel(i8(State, i8[::1], i8))
def legal_meeples(s, actions, n):
    """Add the actions that put a normal meeple on the tile just placed (BASE-06, BASE-09)."""
    if i8(s.players[i8(s.decider)].supply[codes.MEEPLE]) == 0:
        return n
    tile = s.tiles[i8(s.n_tiles) - 1]
    design, rotation, first = i8(tile.design), i8(tile.rotation), i8(tile.first_segment)
    for j in range(i8(N_SEGMENTS[design])):
        takes_meeples = i8(SEGMENT_KIND[design, j]) != codes.GARDEN  # GAR-01
        if takes_meeples and not is_occupied(s, feature_of(s, first + j)):
            actions[n] = i8(s.rules.meeple_block) + i8(SEGMENT_SPOT[design, rotation, j])
            n += 1
    return n


@kernel(i8(State, i8, i8))
def in_supply(s, seat, kind):
    """Return a figure of the seat that is not on the board, or NO_FIGURE."""
    for figure in range(seat * SLOTS_PER_SEAT, (seat + 1) * SLOTS_PER_SEAT):
        if figure_kind(figure) == kind and i8(s.figures[figure].segment) == NO_SEGMENT:
            return figure
    return NO_FIGURE


@kernel(void(State, i8, i8, i8))
def deploy(s, seat, kind, segment):
    """Put a figure from the seat's supply on a segment; the supply must hold one."""
    figure = in_supply(s, seat, kind)
    feature = s.features[feature_of(s, segment)]
    entry = i8(feature.figure)
    s.figures[figure].segment = segment
    if entry == NO_FIGURE:
        s.figures[figure].next = figure
        feature.figure = figure
    else:
        s.figures[figure].next = s.figures[entry].next
        s.figures[entry].next = figure
    s.players[seat].supply[kind] -= 1


@kernel(void(State, i8))
def send_home(s, feature):
    """Return all figures of a feature to their owners (BASE-18)."""
    figure = i8(s.features[feature].figure)
    s.features[feature].figure = NO_FIGURE
    while figure != NO_FIGURE and i8(s.figures[figure].segment) != NO_SEGMENT:
        following = i8(s.figures[figure].next)
        s.figures[figure].segment = NO_SEGMENT
        s.figures[figure].next = NO_FIGURE
        s.players[seat_of(figure)].supply[figure_kind(figure)] += 1
        figure = following


@kernel(void(State, i8))
def remove(s, figure):
    """Return a single figure to its owner; others on its feature stay."""
    feature = s.features[feature_of(s, i8(s.figures[figure].segment))]
    following = i8(s.figures[figure].next)
    before = figure
    while i8(s.figures[before].next) != figure:
        before = i8(s.figures[before].next)
    s.figures[before].next = following
    feature.figure = NO_FIGURE if following == figure else following
    s.figures[figure].segment = NO_SEGMENT
    s.figures[figure].next = NO_FIGURE
    s.players[seat_of(figure)].supply[figure_kind(figure)] += 1


@kernel(i8(State, i8, i8))
def strength(s, feature, seat):
    """Return the total strength of a seat's figures on a feature (BASE-16, ABT-17)."""
    entry = i8(s.features[feature].figure)
    if entry == NO_FIGURE:
        return 0
    total = 0
    figure = entry
    while True:
        total += seat_of(figure) == seat
        figure = i8(s.figures[figure].next)
        if figure == entry:
            return total


@kernel(i8(State, i8))
def majority(s, feature):
    """Return the strength that the seats with the majority have; 0 on an unoccupied feature."""
    best = 0
    for seat in range(i8(s.rules.n_players)):
        best = max(best, strength(s, feature, seat))
    return best
