"""Figures: moving them between the supply and the board, and who has the majority."""

import numpy as np

from carc_env.engine.compiler.jit import b1, i8, kernel, void
from carc_env.engine.compiler.python_ints import Numbers
from carc_env.engine.core.codes import (
    FIGURE_SPOTS,
    FIRST_FIGURE,
    FIRST_SHEEP,
    N_FIGURES,
    N_KINDS,
    N_MEEPLES,
    N_SHEEP,
    N_SPOTS,
    SHARED_SPOTS,
    Figure,
    Kind,
    Spot,
)
from carc_env.engine.core.features import feature_of, is_free, is_occupied, segment_at
from carc_env.engine.core.fields import Standing
from carc_env.engine.core.moments import bars_figures, break_tie, figure_removed, figure_scored
from carc_env.engine.core.state import (
    FIGURE_SLOTS,
    NO_CORNER,
    NO_FIGURE,
    NO_SEGMENT,
    PARTS,
    SLOTS_PER_SEAT,
    State,
)
from carc_env.engine.core.tiles import N_SEGMENTS, SEGMENT_KIND, SEGMENT_SPOT

STANDING: tuple[Standing, ...] = (
    Standing(Figure.MEEPLE, (Kind.FIELD, Kind.ROAD, Kind.CITY, Kind.MONASTERY)),  # GAR-01
    *(standing for part in PARTS for standing in part.figures),
)
"""The segments and strength of each figure kind, in the order of the set list."""
SUITABLE = {standing.figure: standing.suitable for standing in STANDING}
STRENGTH = np.zeros(N_FIGURES, np.int8).view(Numbers)
"""A figure's strength in a majority; a mayor's strength depends on the city."""
for _standing in STANDING:
    STRENGTH[_standing.figure] = _standing.strength

SHEPHERD_SLOT = FIGURE_SLOTS.index(Figure.SHEPHERD)

ANY = -1
"""Stands for any seat or any figure kind."""
NO_BARN = -2
"""Stands for any figure kind except a barn."""

N_PLACES = len(SHARED_SPOTS)
"""Number of spots for roads, cities, monasteries and gardens: the four sides and the centre."""

MAY_STAND = np.zeros((N_FIGURES, N_KINDS), np.bool_).view(Numbers)
SPOT_PLACE = np.full((N_FIGURES, len(Spot)), -1, np.int8).view(Numbers)
"""[figure, spot]: the spot's place in the figure's action block."""
PLACE_SPOT = np.full((N_FIGURES, N_SPOTS + 1), -1, np.int8).view(Numbers)
"""[figure, place]: the spot at that place; the inverse of ``SPOT_PLACE``."""
for _figure, _spots in FIGURE_SPOTS.items():
    MAY_STAND[_figure, list(SUITABLE.get(_figure, ()))] = True  # nowhere without its set
    # MON-03, MON-13: lying as well
    MAY_STAND[_figure, Kind.LINES] = MAY_STAND[_figure, Kind.MONASTERY]
    SPOT_PLACE[_figure, list(_spots)] = range(len(_spots))
    PLACE_SPOT[_figure, : len(_spots)] = _spots


@kernel(i8(State, i8, i8))
def number_of(s, whom, place):
    """Return the number of an action about the whom-th figure at a place that is not a field.

    Each figure has ``N_PLACES`` numbers, and one more if a meeple may lie down there (MON-03).
    """
    return (N_PLACES + s.rules.lays_lying) * whom + place


@kernel(i8(i8))
def seat_of(figure):
    """Return the seat that owns a figure."""
    return figure // SLOTS_PER_SEAT


@kernel(i8(i8))
def figure_kind(figure):
    """Return the kind of a figure."""
    return FIGURE_SLOTS[figure % SLOTS_PER_SEAT]


@kernel(b1(i8))
def is_meeple(figure):
    """Return whether a figure is a meeple of any kind, and not a builder, pig or barn."""
    return figure_kind(figure) < N_MEEPLES


@kernel(i8(State, i8, i8))
def in_supply(s, seat, kind):
    """Return one of the seat's figures that is not on the board, or NO_FIGURE."""
    for figure in range(seat * SLOTS_PER_SEAT, (seat + 1) * SLOTS_PER_SEAT):
        if figure_kind(figure) == kind and s.figures[figure].segment == NO_SEGMENT:
            return figure
    return NO_FIGURE


@kernel(void(State, i8))
def link(s, figure):
    """Link a figure that stands on a segment into its feature's ring."""
    feature = s.features[feature_of(s, s.figures[figure].segment)]
    entry = feature.figure
    if entry == NO_FIGURE:
        s.figures[figure].next = figure
        feature.figure = figure
    else:
        s.figures[figure].next = s.figures[entry].next
        s.figures[entry].next = figure


@kernel(i8(State, i8, i8, i8))
def deploy(s, seat, kind, segment):
    """Put a figure from the seat's supply on a segment and return it."""
    figure = in_supply(s, seat, kind)
    s.figures[figure].segment = segment
    link(s, figure)
    s.players[seat].supply[kind] -= 1
    return figure


@kernel(i8(State, i8, i8, i8))
def segment_named(s, tile, block, action):
    """Return the segment on which an action puts the figure of its block."""
    place = action - s.rules.first_action[block]
    return segment_at(s, tile, PLACE_SPOT[block - FIRST_FIGURE, place])


@kernel(void(State, i8))
def unlink(s, figure):
    """Take a figure out of its feature's ring; it still stands there."""
    feature = s.features[feature_of(s, s.figures[figure].segment)]
    following = s.figures[figure].next
    before = figure
    while s.figures[before].next != figure:
        before = s.figures[before].next
    s.figures[before].next = following
    feature.figure = NO_FIGURE if following == figure else following
    s.figures[figure].next = NO_FIGURE


@kernel(void(State, i8))
def remove(s, figure):
    """Return a single figure to its owner; other figures on its feature stay."""
    unlink(s, figure)
    figure_removed(s, figure)
    s.figures[figure].segment = NO_SEGMENT
    s.figures[figure].corner = NO_CORNER
    s.players[seat_of(figure)].supply[figure_kind(figure)] += 1


@kernel(b1(State, i8, i8))
def is_lord_of(s, figure, town):
    """Return whether a figure is waiting to become lord of a town that others score first (CAS-37).

    Such a lord stands in the town but is in no ring, so it does not count in a majority.
    """
    segment = s.figures[figure].segment
    if segment == NO_SEGMENT or s.figures[figure].next != NO_FIGURE:
        return False
    return feature_of(s, segment) == town


@kernel(i8(State, i8))
def lords_of(s, town):
    """Return as bits the seats whose meeples wait to be lords of a town; 0 for other features."""
    lords = 0
    if s.features[town].kind == Kind.CITY and s.features[town].n_open == 0:
        for figure in range(SLOTS_PER_SEAT * s.rules.n_players):
            lords |= is_lord_of(s, figure, town) << seat_of(figure)
    return lords


@kernel(b1(i8, i8))
def is_of_kind(figure, kind):
    """Return whether a figure is of the given kind, which can be ANY or NO_BARN."""
    own = figure_kind(figure)
    return kind == own or kind == ANY or (kind == NO_BARN and own != Figure.BARN)


@kernel(i8(State, i8, i8, i8))
def find_figure(s, feature, seat, kind):
    """Return a figure on the feature, by kind and by seat (or ANY), or NO_FIGURE."""
    entry = s.features[feature].figure
    figure = entry
    while figure != NO_FIGURE:
        if (seat == ANY or seat_of(figure) == seat) and is_of_kind(figure, kind):
            return figure
        figure = s.figures[figure].next
        if figure == entry:
            return NO_FIGURE
    return NO_FIGURE


@kernel(i8(State, i8, i8))
def scored_kind(s, feature, seat):
    """Return the kind of a seat's figures that score a feature; NO_FIGURE if there are several.

    Figures without strength do not score, except a barn that lies there alone.
    """
    if feature == NO_SEGMENT:
        return NO_FIGURE
    found, entry = NO_FIGURE, s.features[feature].figure
    figure = entry
    while figure != NO_FIGURE:
        kind = figure_kind(figure)
        if seat_of(figure) == seat and STRENGTH[kind] > 0:
            if found != NO_FIGURE and found != kind:
                return NO_FIGURE
            found = kind
        figure = s.figures[figure].next
        if figure == entry:
            break
    if found == NO_FIGURE and find_figure(s, feature, seat, Figure.BARN) != NO_FIGURE:
        found = Figure.BARN
    return found


@kernel(b1(State, i8, i8))
def has_figure(s, feature, seat):
    """Return whether a seat has any figure on the feature."""
    return find_figure(s, feature, seat, ANY) != NO_FIGURE


@kernel(void(State, i8))
def score_home(s, figure):
    """Return a figure to its owner after its feature was scored (BASE-18)."""
    figure_scored(s, figure)
    remove(s, figure)


@kernel(void(State, i8, i8, i8))
def send_all_home(s, feature, seat, kind):
    """Send home the scored figures of a kind and of a seat, or ANY (WAG-04)."""
    figure = find_figure(s, feature, seat, kind)
    while figure != NO_FIGURE:
        score_home(s, figure)
        figure = find_figure(s, feature, seat, kind)


@kernel(void(State, i8))
def send_home(s, feature):
    """Return all figures on a scored feature to their owners (BASE-18); barns stay (BARN-09)."""
    send_all_home(s, feature, ANY, NO_BARN)


@kernel(void(State, i8, i8, i8))
def remove_all(s, feature, seat, kind):
    """Without scoring, return the figures of a kind and of a seat (or ANY) to their owners."""
    figure = find_figure(s, feature, seat, kind)
    while figure != NO_FIGURE:
        remove(s, figure)
        figure = find_figure(s, feature, seat, kind)


@kernel(b1(State, i8, i8))
def has_meeple(s, feature, seat):
    """Return whether a seat, or ANY, has a meeple of any kind on the feature."""
    entry = s.features[feature].figure
    figure = entry
    while figure != NO_FIGURE:
        if seat in (ANY, seat_of(figure)) and is_meeple(figure):
            return True
        figure = s.figures[figure].next
        if figure == entry:
            return False
    return False


@kernel(void(State, i8))
def leave_flock(s, seat):
    """Send a seat's shepherd home and put the sheep back into the bag (HS-30, HS-31)."""
    s.figures[seat * SLOTS_PER_SEAT + SHEPHERD_SLOT].segment = NO_SEGMENT
    s.players[seat].supply[Figure.SHEPHERD] += 1
    for stock in range(FIRST_SHEEP, FIRST_SHEEP + N_SHEEP):
        s.players[seat].stock[stock] = 0


@kernel(void(State, i8))
def take_off(s, figure):
    """Return a figure without scoring; a builder or pig does not stay alone (TRA-06, TRA-16).

    A shepherd leaves his sheep (PD-15).
    """
    if figure_kind(figure) == Figure.SHEPHERD:
        leave_flock(s, seat_of(figure))
        return
    feature, seat = feature_of(s, s.figures[figure].segment), seat_of(figure)
    remove(s, figure)
    if not has_meeple(s, feature, seat):
        remove_all(s, feature, seat, Figure.BUILDER)
        remove_all(s, feature, seat, Figure.PIG)


@kernel(i8(State, i8, i8))
def figure_strength(s, figure, feature):
    """Return a figure's strength in a majority (docs/rules/figures.md)."""
    kind = figure_kind(figure)
    if kind == Figure.MAYOR:
        is_city = s.features[feature].kind == Kind.CITY
        return s.features[feature].shields if is_city else 0  # MAY-05, CAS-31
    return STRENGTH[kind]


@kernel(i8(State, i8, i8))
def strength(s, feature, seat):
    """Return the total strength of a seat's figures on a feature (BASE-16, ABT-17)."""
    entry = s.features[feature].figure
    if entry == NO_FIGURE:
        return 0
    total = 0
    figure = entry
    while True:
        if seat_of(figure) == seat:
            total += figure_strength(s, figure, feature)
        figure = s.figures[figure].next
        if figure == entry:
            return total


@kernel(i8(State, i8))
def majority(s, feature):
    """Return the strength of the seats with the majority, or 0 if nobody has one."""
    best = 0
    for seat in range(s.rules.n_players):
        best = max(best, strength(s, feature, seat))
    return best


@kernel(i8(State, i8))
def leaders(s, feature):
    """Return as bits the seats with the majority; all tied seats score (BASE-16, BASE-17).

    Sets can break ties. A strength of 0 is no majority (MAY-09 to MAY-11, BARN-01).
    """
    if not is_occupied(s, feature):
        return 0
    best, found = 1, 0
    for seat in range(s.rules.n_players):
        own = strength(s, feature, seat)
        if own > best:
            best, found = own, 0
        if own == best:
            found |= 1 << seat
    if found & (found - 1) != 0:
        return break_tie(s, feature, found)
    return found


@kernel(b1(State, i8, i8))
def is_open_to(s, kind, segment):
    """Return whether the decider may put a figure of a kind on a segment on which it can stand."""
    if kind == Figure.BUILDER:
        return has_figure(s, feature_of(s, segment), s.decider)  # TRA-05, MAY-15
    if kind == Figure.PIG:
        return strength(s, feature_of(s, segment), s.decider) > 0  # TRA-12, TRA-16
    return is_free(s, segment)  # BASE-06, MON-07


@kernel(i8(State, i8, i8, i8[::1]))
def offer_open_segments(s, kind, n, actions):
    """Add the actions that put one of the decider's figures on segments of the tile just placed.

    For each figure kind, ``MAY_STAND`` lists the segments: the table in docs/rules/figures.md.
    """
    tile = s.tiles[s.n_tiles - 1]
    design, rotation, first = tile.design, tile.rotation, tile.first_segment
    for j in range(N_SEGMENTS[design]):
        suits = MAY_STAND[kind, SEGMENT_KIND[design, j]]
        if suits and is_open_to(s, kind, first + j):
            place = SPOT_PLACE[kind, SEGMENT_SPOT[design, rotation, j]]
            actions[n] = s.rules.first_action[FIRST_FIGURE + kind] + place
            n += 1
    return n


@kernel(i8(State, i8, i8, i8[::1]), inline=True)
def offer_segments(s, kind, n, actions):
    """Add the actions of :func:`offer_open_segments` if such a figure is left (BASE-09)."""
    if s.players[s.decider].supply[kind] == 0 or bars_figures(s) > 0:
        return n
    return offer_open_segments(s, kind, n, actions)
