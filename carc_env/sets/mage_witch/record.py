"""Record fields for the mage and the witch, and which tiles call them."""

from __future__ import annotations

import numpy as np

from carc_env.engine.compiler.python_ints import Numbers
from carc_env.engine.core.codes import Phase
from carc_env.engine.core.fields import ABSENT, Field, Part
from carc_env.engine.core.tiles import FORMS

IS_MAGIC = np.array([row.get("magic", False) for row in FORMS], np.bool_).view(Numbers)
"""Form -> whether it shows the symbol that calls the mage or the witch (MW-01)."""
MAGE, WITCH = range(2)
"""Indices in ``magic``."""
N_MAGIC = len((MAGE, WITCH))
NOWHERE = ABSENT
"""Value in ``magic`` of a figure that is off the board."""
NOT_ASKED = 0
"""Value of ``magic_at`` if there is no question about the mage or the witch."""

PART = Part(
    game=(
        # Segment of the road or city on which each of them stands, or NOWHERE:
        Field("magic", "i2", (N_MAGIC,), most="segments", empty=NOWHERE),
        # Phase that continues after the question about them, or NOT_ASKED:
        Field("magic_at", "i1", most=int(Phase.FERRIES)),
    ),
    rules=(
        Field("mage_witch", "i1"),  # 1: they are in play (MW-01)
        Field("dragon_eats_magic", "i1"),  # 1: the dragon eats them (MW-19)
    ),
    marks=N_MAGIC,
    watched=N_MAGIC,
)
