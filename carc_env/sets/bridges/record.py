"""Record fields of bridges."""

from __future__ import annotations

from carc_env.engine.core.fields import Field, Part

PART = Part(
    rules=(
        Field("one_bridge_a_turn", "i1"),  # 1: in all parts of a turn together (BRI-20)
        Field("late_bridges", "i1"),  # 1: a bridge may follow the figure (BRI-10)
    ),
)
