"""The tiles that show a watchtower, and what it counts; the record has only its switch."""

from __future__ import annotations

import numpy as np

from carc_env.engine.compiler.python_ints import Numbers
from carc_env.engine.core.fields import ABSENT, Field, Part
from carc_env.engine.core.tiles import FORMS

COUNTED = ("meeple", "coat-of-arms", "monastery", "city", "road")
"""Items that a watchtower can count, as named in the tile facts (WT-01)."""
MEEPLES, COATS, MONASTERIES, CITIES, ROADS = range(5)
"""Indices in ``COUNTED``."""
NO_WATCHTOWER = ABSENT
_SHOWN = [row.get("watchtower") for row in FORMS]
COUNTS = np.array(
    [NO_WATCHTOWER if shown is None else COUNTED.index(shown[1]) for shown in _SHOWN], np.int8
).view(Numbers)
"""Form -> what its watchtower counts, or NO_WATCHTOWER."""
POINTS_EACH = np.array([0 if shown is None else shown[0] for shown in _SHOWN], np.int8).view(
    Numbers
)
"""Form -> the points that its watchtower gives per item."""

# A seat's points form one event, which takes up the builder's place since builders never score.
PART = Part(rules=(Field("watchtowers", "i1"),))  # 1: they score points (WT-03)
