"""Record fields for the abbot, and where the abbot can stand."""

from __future__ import annotations

from carc_env.engine.core.codes import Figure, Kind
from carc_env.engine.core.fields import Field, Part, Standing

PART = Part(
    rules=(
        Field("abbot_recall_completed", "i1"),  # 1: allowed (ABT-14)
        Field("abbot_recall_second_part", "i1"),  # 1: allowed (ABT-21)
    ),
    figures=(Standing(Figure.ABBOT, (Kind.MONASTERY, Kind.GARDEN)),),  # ABT-03
)
