"""Pigs, and the pig-herd of The River II: cities beside a field are worth more.

The pages are docs/rules/traders.md and docs/rules/river-2.md.
"""

from carc_env.engine.compiler.jit import b1, i8, kernel, void
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import Figure
from carc_env.engine.core.features import feature_of
from carc_env.engine.core.figures import find_figure, offer_segments
from carc_env.engine.core.moments import (
    offer_figure,
    owns,
    points_of_city,
    points_of_city_for_barns,
    tile_laid,
)
from carc_env.engine.core.state import NO_FIGURE, NO_SEGMENT, State
from carc_env.engine.core.tiles import PIG_HERD


@at(offer_figure, owns(Figure.PIG), key=Figure.PIG)
@kernel(i8(State, i8, i8[::1]))
def offer_pig(s, n, actions):
    """Add the fields of the decider's farmers that the pig may join (TRA-12)."""
    return offer_segments(s, Figure.PIG, n, actions)


@at(points_of_city, owns(Figure.PIG))
@kernel(i8(State, i8, i8))
def points_of_pig(s, field, seat):
    """Return 1 if a seat's pig lies in a field (TRA-13)."""
    return find_figure(s, field, seat, Figure.PIG) != NO_FIGURE


@at(tile_laid, "pig_herd")
@kernel(void(State, i8))
def note_pig_herd(s, tile):
    """Note the field of a new tile in which the pig-herd lies (RIV2-10)."""
    j = PIG_HERD[s.tiles[tile].design]
    if j >= 0:
        s.pig_herd = s.tiles[tile].first_segment + j


@kernel(b1(State, i8))
def has_pig_herd(s, field):
    """Tell whether the pig-herd lies in a field (RIV2-10)."""
    return s.pig_herd != NO_SEGMENT and feature_of(s, s.pig_herd) == field


@at(points_of_city, "pig_herd")
@kernel(i8(State, i8, i8))
def points_of_pig_herd(s, field, _):
    """Return 1 for whoever leads in the field of the pig-herd (XPH-02)."""
    return has_pig_herd(s, field)


@at(points_of_city_for_barns, "pig_herd_for_barns")
@kernel(i8(State, i8))
def points_of_pig_herd_for_barns(s, field):
    """Return 1 for barns in the field of the pig-herd: a house rule (XPH-01, HOUSE-05)."""
    return has_pig_herd(s, field)
