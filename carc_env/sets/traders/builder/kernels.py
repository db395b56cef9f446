"""The builder: extending its road or city grants a second tile (docs/rules/traders.md).

``figures.is_open_to`` defines where it may stand; ``rounds.py`` starts the second part.
"""

from carc_env.engine.compiler.jit import b1, i8, kernel, void
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import Figure
from carc_env.engine.core.features import feature_of, tile_of
from carc_env.engine.core.figures import offer_segments
from carc_env.engine.core.moments import features_join, meeple_leaves, offer_figure, owns
from carc_env.engine.core.state import FIGURE_SLOTS, NO_SEGMENT, NO_TILE, SLOTS_PER_SEAT, State
from carc_env.engine.core.tiles import N_SEGMENTS
from carc_env.sets.tunnel.record import NO_MOUTH

BUILDER_SLOT = FIGURE_SLOTS.index(Figure.BUILDER)


@at(offer_figure, owns(Figure.BUILDER), key=Figure.BUILDER)
@kernel(i8(State, i8, i8[::1]))
def offer_builder(s, n, actions):
    """Add the decider's occupied roads and cities that the builder may join (TRA-05)."""
    return offer_segments(s, Figure.BUILDER, n, actions)


@at(meeple_leaves, owns(Figure.BUILDER))  # XW-02: the builder can go home afterwards
@at(features_join, owns(Figure.BUILDER))  # TUN-12, FER-14
@kernel(void(State))
def note_extension(s):
    """Note whether the tile just placed is part of the builder's road or city (TRA-07, TRA-10).

    It does not count in the second part of a turn, or if the builder was placed with it (TRA-08). A
    bridge needs free ends, so it lengthens no road that the tile is not part of (BRI-06, BRI-23).
    Roads joined by tokens and ferries were noted before (TUN-12, FER-14).
    """
    if s.new_mouth != NO_MOUTH or s.ferried != 0:
        return
    builder = s.figures[s.turn_player * SLOTS_PER_SEAT + BUILDER_SLOT].segment
    if builder == NO_SEGMENT or s.first_part != NO_TILE:
        return
    last = s.n_tiles - 1
    if tile_of(s, builder) == last:
        return
    first = s.tiles[last].first_segment
    for segment in range(first, first + N_SEGMENTS[s.tiles[last].design]):
        if feature_of(s, segment) == feature_of(s, builder):
            s.extends = 1


@kernel(b1(State))
def takes_extension(s):
    """Return whether the ending placement grants a second part, and reset that (TRA-07, TRA-09)."""
    is_extended = s.extends != 0
    s.extends = 0
    return is_extended
