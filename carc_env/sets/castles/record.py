"""Record fields of castles."""

from __future__ import annotations

from carc_env.engine.core.fields import ABSENT, Field, Part

MAX_CASTLES = 12
"""Castle tokens in the box (SET-04)."""
MOST_TOWNS = 4
"""Most towns that a tile can complete: one at each side."""

_CASTLE = (
    Field("segment", "i2", most="segments"),  # one of its two
    Field("points", "i2"),  # points that it has taken in the current scoring
)

PART = Part(
    game=(
        # Segment of the town or castle that is decided on, or NO_SEGMENT:
        Field("town", "i2", most="segments", empty=ABSENT),
        Field("n_castles", "i2", most=MAX_CASTLES),
        Field("castles", _CASTLE, (MAX_CASTLES,)),  # in order of age
    ),
    rules=(
        # the minimum for half of a castle, see tiles.CAP (CAS-02)
        Field("castle_cap", "i1"),
        Field("fief_in_row", "i1"),  # 1: the fief lies west and east of tiles side by side (CAS-15)
        Field("asks_castles", "i1"),  # 1: lords choose the feature that their castle takes (CAS-22)
    ),
    marks=2 * MAX_CASTLES + 2,  # and the town that is decided on
    watched=MOST_TOWNS,
)
