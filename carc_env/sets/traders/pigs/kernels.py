"""Pigs and pig-herds: cities beside a field are worth more.

See docs/rules/traders.md and docs/rules/river-2.md.
"""

from carc_env.engine.compiler.jit import i8, kernel, void
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
from carc_env.sets.river2.record import N_HERDS


@at(offer_figure, owns(Figure.PIG), key=Figure.PIG)
@kernel(i8(State, i8, i8[::1]))
def offer_pig(s, n, actions):
    """Add the fields with the decider's farmers that the pig may join (TRA-12)."""
    return offer_segments(s, Figure.PIG, n, actions)


@at(points_of_city, owns(Figure.PIG))
@kernel(i8(State, i8, i8))
def points_of_pig(s, field, seat):
    """Return 1 if a seat's pig is in a field (TRA-13)."""
    return find_figure(s, field, seat, Figure.PIG) != NO_FIGURE


@at(tile_laid, "pig_herd")
@kernel(void(State, i8))
def note_pig_herd(s, tile):
    """Record the field with the pig-herd on a new tile (RIV2-10, RUS-14)."""
    j, k = PIG_HERD[s.tiles[tile].design], 0
    if j < 0:
        return
    while s.pig_herd[k] != NO_SEGMENT:
        k += 1
    s.pig_herd[k] = s.tiles[tile].first_segment + j


@kernel(i8(State, i8))
def has_pig_herd(s, field):
    """Return 1 if a field contains one or more pig-herds (RIV2-10)."""
    for k in range(N_HERDS):
        if s.pig_herd[k] != NO_SEGMENT and feature_of(s, s.pig_herd[k]) == field:
            return 1
    return 0


@at(points_of_city, "pig_herd")
@kernel(i8(State, i8, i8))
def points_of_pig_herd(s, field, _):
    """Return 1 for a pig-herd in a field, for any seat that leads there (XPH-02)."""
    return has_pig_herd(s, field)


@at(points_of_city_for_barns, "pig_herd_for_barns")
@kernel(i8(State, i8))
def points_of_pig_herd_for_barns(s, field):
    """Return 1 for a pig-herd in a barn's field: a house rule (XPH-01, HOUSE-05)."""
    return has_pig_herd(s, field)
