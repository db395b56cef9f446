"""Which inns and cathedrals count."""

from __future__ import annotations

from carc_env.engine.core.fields import Field, Part

NO_INNS, RIVER_INNS, ALL_INNS = range(3)
"""Values of ``rules.inns``; the inn of The River II may count alone (RIV2-09)."""

PART = Part(rules=(Field("inns", "i1"),))  # which inns and cathedrals count (INN-02)
