"""The fairy: where it stands, and whom it brings points (PD-30 to PD-45)."""

from carc_env.engine.compiler.jit import b1, i8, kernel
from carc_env.engine.core.board import tile_at
from carc_env.engine.core.features import tile_of
from carc_env.engine.core.figures import is_meeple, seat_of
from carc_env.engine.core.state import (
    NO_CELL,
    NO_FIGURE,
    NO_SEGMENT,
    NO_TILE,
    SLOTS_PER_SEAT,
    State,
)

POINTS_FOR_A_FEATURE = 3  # PD-36


@kernel(i8(State))
def fairy_tile(s):
    """Return the tile that the fairy stands on, or NO_TILE."""
    return NO_TILE if s.fairy == NO_CELL else tile_at(s, s.fairy)


@kernel(b1(State, i8))
def is_beside_fairy(s, figure):
    """Tell whether the fairy stands beside a figure, or a meeple on its tile (PD-31)."""
    if s.rules.fairy_on_tile == 0:
        return figure == s.fairy_figure
    segment = s.figures[figure].segment
    if segment == NO_SEGMENT or not is_meeple(figure):
        return False
    return tile_of(s, segment) == fairy_tile(s)


@kernel(i8(State, i8))
def n_beside_fairy(s, seat):
    """Return how many meeples of a seat the fairy stands beside (PD-34, PD-35)."""
    if s.fairy == NO_CELL:
        return 0
    n = 0
    for figure in range(seat * SLOTS_PER_SEAT, (seat + 1) * SLOTS_PER_SEAT):
        n += is_beside_fairy(s, figure)
    return n


@kernel(b1(State, i8, i8))
def has_fairy(s, feature, seat):
    """Tell whether the fairy stands beside a seat's meeple on a feature (PD-36)."""
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
