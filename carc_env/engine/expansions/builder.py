"""The builder: whoever extends his road or city places a second tile (RULES section 4).

Where he may stand is in ``figures.is_open_to``; that the second part follows is in ``rounds.py``.
"""

from carc_env.engine import codes
from carc_env.engine._jit import b1, i8, kernel, void
from carc_env.engine.features import feature_of
from carc_env.engine.state import FIGURE_SLOTS, NO_SEGMENT, NO_TILE, SLOTS_PER_SEAT, State
from carc_env.engine.tiles import ABBEY_DESIGN, N_SEGMENTS

BUILDER_SLOT = FIGURE_SLOTS.index(codes.BUILDER)


@kernel(i8(State))
def working_builder(s):
    """Return the segment of the turn player's builder, if an extension of its feature counts.

    It does not in the second part of a turn, nor where he was placed in this part (TRA-08).
    """
    segment = i8(s.figures[i8(s.turn_player) * SLOTS_PER_SEAT + BUILDER_SLOT].segment)
    if segment == NO_SEGMENT or i8(s.first_part) != NO_TILE:
        return NO_SEGMENT
    is_new = i8(s.segments[segment].tile) == i8(s.n_tiles) - 1
    return NO_SEGMENT if is_new else segment


@kernel(void(State))
def note_extension(s):
    """Note whether the tile just placed is part of the builder's road or city (TRA-07, TRA-10)."""
    builder = working_builder(s)
    if builder == NO_SEGMENT:
        return
    tile = s.tiles[i8(s.n_tiles) - 1]
    first = i8(tile.first_segment)
    for segment in range(first, first + i8(N_SEGMENTS[i8(tile.design)])):
        if feature_of(s, segment) == feature_of(s, builder):
            s.extends = 1


@kernel(void(State, i8))
def note_bridge(s, bridge):
    """Note whether a bridge beside the tile just placed extends the builder's road (BRI-23)."""
    builder = working_builder(s)
    is_abbey = i8(s.tiles[i8(s.n_tiles) - 1].design) == ABBEY_DESIGN  # ABB-18
    if i8(s.rules.bridge_triggers) == 0 or builder == NO_SEGMENT or is_abbey:
        return
    if feature_of(s, bridge) == feature_of(s, builder):
        s.extends = 1


@kernel(b1(State))
def takes_extension(s):
    """Tell whether the placement that ends brings a second part, and forget it (TRA-07, TRA-09)."""
    is_extended = i8(s.extends) != 0
    s.extends = 0
    return is_extended
