"""Record fields for the fairy."""

from __future__ import annotations

from carc_env.engine.core.codes import MAX_PLAYERS
from carc_env.engine.core.fields import ABSENT, Field, Part
from carc_env.engine.core.tiles import MAX_SEGMENTS_PER_TILE

PART = Part(
    game=(
        Field("fairy", "i2", most="cells", empty=ABSENT),  # its cell, or NO_CELL
        # The meeple beside it, or NO_FIGURE:
        Field("fairy_figure", "i1", most="figures", empty=ABSENT),
        # 1: beside the meeple on the tower of its cell; 1 + seat: beside one in the trap there
        Field("fairy_top", "i1", most=MAX_PLAYERS),
    ),
    rules=(
        Field("fairy", "i1"),  # 1: the fairy is in play (PD-30)
        Field("fairy_on_tile", "i1"),  # 1: it stands on a tile, not beside a meeple (PD-31)
        Field("fairy_in_castle", "i1"),  # 1: it may stand beside a lord (XPD-14)
        Field("fairy_on_tower", "i1"),  # 1: it may stand beside a meeple on a tower (PD-42)
    ),
    # For the features on the tile where it stands (PD-36), and for the next player (PD-34):
    events=MAX_PLAYERS * MAX_SEGMENTS_PER_TILE + 1,
    marks=1,
)
