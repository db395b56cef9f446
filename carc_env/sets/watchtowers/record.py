"""The tiles that show a watchtower, and what it counts; the record has only its switch."""

from __future__ import annotations

import numpy as np

from carc_env.engine.compiler.python_ints import Numbers
from carc_env.engine.core.fields import ABSENT, Field, Part
from carc_env.engine.core.tiles import FORMS

COUNTED = ("meeple", "coat-of-arms", "monastery", "city", "road")
"""Things that a watchtower can count, as tile facts name them (WT-01)."""
MEEPLES, COATS, MONASTERIES, CITIES, ROADS = range(5)
"""Places in ``COUNTED``."""
NO_WATCHTOWER = ABSENT
_SHOWN = [row.get("watchtower") for row in FORMS]
COUNTS = np.array(
    [NO_WATCHTOWER if shown is None else COUNTED.index(shown[1]) for shown in _SHOWN], np.int8
).view(Numbers)
"""Form -> what its watchtower counts, or NO_WATCHTOWER."""
POINTS_EACH = np.array([0 if shown is None else shown[0] for shown in _SHOWN], np.int8).view(
    Numbers
)
"""Form -> the points of its watchtower for each of these."""

# A seat's points are one event, in the place of its builder, which scores nothing itself.
PART = Part(rules=(Field("watchtowers", "i1"),))  # 1: they score points (WT-03)
