"""Record fields for castles."""

from __future__ import annotations

from carc_env.engine.core.fields import ABSENT, Field, Part

MAX_CASTLES = 12
"""Number of castle tokens in the box (SET-04)."""
MOST_TOWNS = 4
"""Maximum number of towns that a tile can complete: one at each side."""

_CASTLE = (
    Field("segment", "i2", most="segments"),  # one of its two segments
    Field("points", "i2"),  # points that it has scored in the current scoring step
)

PART = Part(
    game=(
        # Segment of the town or castle that is decided on, or NO_SEGMENT:
        Field("town", "i2", most="segments", empty=ABSENT),
        Field("n_castles", "i2", most=MAX_CASTLES),
        Field("castles", _CASTLE, (MAX_CASTLES,)),  # in the order in which they were built
    ),
    rules=(
        # lowest cap shape (tiles.CAP) for half of a castle (CAS-02)
        Field("castle_cap", "i1"),
        Field("fief_in_row", "i1"),  # 1: the fief lies west and east of adjacent tiles (CAS-15)
        Field("asks_castles", "i1"),  # 1: lords choose what their castle scores (CAS-22)
    ),
    marks=2 * MAX_CASTLES + 2,  # and the town that is decided on
    watched=MOST_TOWNS,
)
