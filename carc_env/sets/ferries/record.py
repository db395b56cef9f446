"""Record fields for ferries, and which tiles have lakes."""

from __future__ import annotations

import numpy as np

from carc_env.engine.compiler.python_ints import Numbers
from carc_env.engine.core.fields import ABSENT, Field, Part
from carc_env.engine.core.tiles import FORMS, ROWS

MOST_ROADS = max(len(row["roads"]) for row in ROWS if row.get("ferry"))
"""Maximum number of roads that end at a lake."""
IS_LAKE = np.array([row.get("ferry", False) for row in FORMS]).view(Numbers)
"""Form -> whether its roads end at a lake (FER-01)."""
MAX_LAKES = sum(max(row["n"].values()) for row in ROWS if row.get("ferry"))

SIDES = "NESW"
PAIRS = ("NE", "NS", "NW", "ES", "EW", "SW")
"""Pairs of sides that a ferry can join."""
N_PAIRS = len(PAIRS)
PAIR_SIDES = np.array([[SIDES.index(side) for side in pair] for pair in PAIRS]).view(Numbers)
"""[pair, end]: the two sides."""
N_ENDS = 2

NO_FERRY = ABSENT
NO_FERRIES, ALWAYS, WITH_THIEF = range(3)
"""When a new lake gets its ferry, ``rules.ferries`` (FER-04)."""

_LAKE = (
    Field("tile", "i2", most="tiles"),
    # The two sides that its ferry joins, or NO_FERRY
    Field("pair", "i1", most=N_PAIRS - 1, empty=NO_FERRY, least=NO_FERRY),
    # Its two sides before this placement moved it, or else NO_FERRY
    Field("before", "i1", most=N_PAIRS - 1, empty=NO_FERRY, least=NO_FERRY),
)

PART = Part(
    game=(
        Field("n_lakes", "i1", most=MAX_LAKES),
        Field("lakes", _LAKE, (MAX_LAKES,)),  # in the order in which they were placed
        # Lakes whose ferries were placed or moved in this placement, as bits, until scoring
        Field("ferried", "u1"),
    ),
    rules=(Field("ferries", "i1"),),  # NO_FERRIES, ALWAYS or WITH_THIEF
    marks=MAX_LAKES * (len(("lake", "ferried")) + N_ENDS),
    changes=MAX_LAKES * 2 * N_ENDS,
    watched=MAX_LAKES * MOST_ROADS,
)
