"""Record fields of The River II."""

from __future__ import annotations

from carc_env.engine.core.fields import ABSENT, Field, Part
from carc_env.engine.core.tiles import ROWS

N_HERDS = sum(any(field.get("pig_herd") for field in row["fields"]) for row in ROWS)
"""Tiles with a pig-herd: there is one of each."""

PART = Part(
    # Segments of the fields of pig-herds, in the order of their tiles, or NO_SEGMENT:
    game=(Field("pig_herd", "i2", (N_HERDS,), most="segments", empty=ABSENT),),
    rules=(
        Field("river_bars_abbeys", "i1"),  # 1: no abbey while the river is being laid (RIV2-15)
        Field("pig_herd", "i1"),  # 1: the pig-herd helps farmers (RIV2-10)
        Field("pig_herd_for_barns", "i1"),  # 1: and barns (HOUSE-05)
    ),
)
