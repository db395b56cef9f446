"""The abbot's switches in the record."""

from __future__ import annotations

from carc_env.engine.core.fields import Field, Part

PART = Part(
    rules=(
        Field("abbot_recall_completed", "i1"),  # 1: allowed (ABT-14)
        Field("abbot_recall_second_part", "i1"),  # 1: allowed (ABT-21)
    )
)
