"""Record fields for abbeys."""

from __future__ import annotations

from carc_env.engine.core.fields import Field, Part

ONE_ROUND, UNTIL_BLOCKED, LOST = 0, 1, 2
"""Values of ``rules.abbey_endgame``."""

PART = Part(
    rules=(Field("abbey_endgame", "i1"),),  # ONE_ROUND, UNTIL_BLOCKED or LOST (ABB-20)
)
