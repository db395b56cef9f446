"""What The River II keeps in the record."""

from __future__ import annotations

from carc_env.engine.core.fields import ABSENT, Field, Part

PART = Part(
    # Segment of the pig-herd's field, or NO_SEGMENT before it lies:
    game=(Field("pig_herd", "i2", most="segments", empty=ABSENT),),
    rules=(
        Field("river_bars_abbeys", "i1"),  # 1: no abbey while the river is being laid (RIV2-15)
        Field("pig_herd", "i1"),  # 1: the pig-herd helps farmers (RIV2-10)
        Field("pig_herd_for_barns", "i1"),  # 1: and barns (HOUSE-05)
    ),
)
