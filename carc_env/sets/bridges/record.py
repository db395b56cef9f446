"""Record fields for bridges."""

from __future__ import annotations

from carc_env.engine.core.fields import Field, Part

PART = Part(
    rules=(
        Field("one_bridge_a_turn", "i1"),  # 1: one bridge per turn, not per part (BRI-20)
        Field("late_bridges", "i1"),  # 1: a bridge may follow the figure action (BRI-10)
    ),
)
