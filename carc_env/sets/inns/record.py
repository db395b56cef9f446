"""Which inns and cathedrals count, and the large meeple."""

from __future__ import annotations

from carc_env.engine.core.codes import Figure, Kind
from carc_env.engine.core.fields import Field, Part, Standing

NO_INNS, RIVER_INNS, ALL_INNS = range(3)
"""Values of ``rules.inns``; the inn in The River II may count alone (RIV2-09)."""

PART = Part(
    rules=(Field("inns", "i1"),),  # which inns and cathedrals count (INN-02)
    figures=(  # INN-01
        Standing(Figure.LARGE, (Kind.FIELD, Kind.ROAD, Kind.CITY, Kind.MONASTERY), strength=2),
    ),
)
