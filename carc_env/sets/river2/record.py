"""Record fields for The River II."""

from __future__ import annotations

from carc_env.engine.core.fields import ABSENT, Field, Part
from carc_env.engine.core.tiles import ROWS

N_HERDS = sum(any(field.get("pig_herd") for field in row["fields"]) for row in ROWS)
"""Number of tiles with a pig-herd: one of each."""

PART = Part(
    # Segments of the fields with pig-herds, in tile order, or NO_SEGMENT:
    game=(Field("pig_herd", "i2", (N_HERDS,), most="segments", empty=ABSENT),),
    rules=(
        Field("river_bars_abbeys", "i1"),  # 1: no abbey until the river is complete (RIV2-15)
        Field("pig_herd", "i1"),  # 1: the pig-herd helps farmers (RIV2-10)
        Field("pig_herd_for_barns", "i1"),  # 1: and it helps barns (HOUSE-05)
    ),
)
