"""Figures and castles: where they stand, and what should have been scored already."""

from carc_env.engine.compiler.jit import b1, i8, kernel
from carc_env.engine.compiler.memory import room_for
from carc_env.engine.core.codes import (
    LAST_BEFORE_SCORING,
    N_FIGURES,
    N_MEEPLES,
    Figure,
    Kind,
    Phase,
)
from carc_env.engine.core.features import (
    MAX_TOUCHED,
    feature_of,
    is_complete,
    kind_of,
    tile_of,
    touched_features,
)
from carc_env.engine.core.figures import (
    ANY,
    MAY_STAND,
    NO_BARN,
    SUITABLE,
    figure_kind,
    find_figure,
    is_lord_of,
    is_meeple,
    seat_of,
    strength,
)
from carc_env.engine.core.moments import figures_away, waits_for_scoring
from carc_env.engine.core.state import (
    FIGURE_SLOTS,
    MAX_FIGURES,
    NO_FIGURE,
    NO_SEGMENT,
    SLOTS_PER_SEAT,
    State,
)
from carc_env.sets.barn.kernels import corner_field

LORDS = tuple(kind for kind in tuple(Figure)[:N_MEEPLES] if Kind.CITY in SUITABLE.get(kind, ()))
"""Figure kinds that can stand in a castle (docs/rules/figures.md)."""


@kernel(b1(State, i8))
def is_abandoned(s, figure):
    """Check whether a builder or pig has no meeple of its owner on its feature (TRA-06, TRA-16)."""
    kind, seat = figure_kind(figure), seat_of(figure)
    feature = feature_of(s, s.figures[figure].segment)
    if kind == Figure.PIG:
        return strength(s, feature, seat) == 0
    if kind != Figure.BUILDER:
        return False
    for other in range(seat * SLOTS_PER_SEAT, (seat + 1) * SLOTS_PER_SEAT):
        segment = s.figures[other].segment
        if other != figure and segment != NO_SEGMENT and feature_of(s, segment) == feature:
            return False
    return True


@kernel(b1(State, i8))
def is_misplaced(s, figure):
    """Return whether a figure on the board is not in its feature's ring or not allowed there."""
    segment = s.figures[figure].segment
    if segment >= s.n_segments:
        return True
    if figure_kind(figure) == Figure.BARN:
        tile = s.tiles[tile_of(s, segment)]
        corner = s.figures[figure].corner
        if corner < 0 or corner_field(s, tile.cell, corner) != segment:
            return True  # BARN-03
    elif kind_of(s, segment) == Kind.CASTLE:
        if figure_kind(figure) not in LORDS:
            return True
    elif not MAY_STAND[figure_kind(figure), kind_of(s, segment)]:
        return True  # GAR-01, ABT-03, MAY-02, WAG-02, TRA-05, TRA-12
    if is_abandoned(s, figure):
        return True
    if figure_kind(figure) == Figure.SHEPHERD:
        return False  # it is in no ring
    if is_meeple(figure) and is_lord_of(s, figure, feature_of(s, segment)):
        return kind_of(s, segment) != Kind.CITY  # castles/invariants.py checks these
    entry = s.features[feature_of(s, segment)].figure
    if entry == NO_FIGURE:
        return True
    other = entry
    for _ in range(MAX_FIGURES):
        if other == figure:
            return False
        other = s.figures[other].next
        if other == NO_FIGURE:
            return True
    return True


@kernel(b1(State, i8))
def has_wrong_supply(s, seat):
    """Return whether a seat's figures in supply, on the board and elsewhere do not add up."""
    for kind in range(N_FIGURES):
        n_out = 0
        for slot in range(SLOTS_PER_SEAT):
            is_out = s.figures[seat * SLOTS_PER_SEAT + slot].segment != NO_SEGMENT
            n_out += FIGURE_SLOTS[slot] == kind and is_out
        n_out += figures_away(s, seat, kind)
        if n_out + s.players[seat].supply[kind] != s.rules.owned[kind]:
            return True
    return False


@kernel(b1(State))
def has_wrong_figures(s):
    """Return whether any figure is lost, duplicated, or stands where it is not allowed."""
    for seat in range(s.rules.n_players):
        if has_wrong_supply(s, seat):
            return True
    for figure in range(MAX_FIGURES):
        if s.figures[figure].segment != NO_SEGMENT:
            if seat_of(figure) >= s.rules.n_players or is_misplaced(s, figure):
                return True
    return False


@kernel(b1(State, i8))
def is_to_be_scored(s, feature):
    """Return whether the tile just placed touches a feature that has not been scored yet."""
    if not Phase.FIGURE <= s.phase <= LAST_BEFORE_SCORING:
        return False
    touched = room_for(MAX_TOUCHED)
    for k in range(touched_features(s, s.n_tiles - 1, touched)):
        if touched[k] == feature:
            return True
    return False


@kernel(i8(State))
def unscored_figure(s):
    """Return a figure that should have been scored and sent home, or NO_FIGURE.

    Complete features keep no figures, and fields with a barn keep no farmers. The exceptions are
    features that the tile just placed has completed or joined, until they are scored in that turn
    (BASE-18, BARN-12).
    """
    for figure in range(MAX_FIGURES):
        segment = s.figures[figure].segment
        if segment == NO_SEGMENT:
            continue
        feature = feature_of(s, segment)
        has_barn = find_figure(s, feature, ANY, Figure.BARN) != NO_FIGURE
        has_farmer = has_barn and find_figure(s, feature, ANY, NO_BARN) != NO_FIGURE
        is_due = is_complete(s, feature) or has_farmer
        if is_due and not is_to_be_scored(s, feature) and waits_for_scoring(s, feature) == 0:
            return figure
    return NO_FIGURE
