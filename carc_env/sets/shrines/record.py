"""Record field for shrines."""

from __future__ import annotations

from carc_env.engine.core.fields import Field, Part

PART = Part(
    rules=(Field("losers_move", "i1"),)  # 1: a wagon that loses a challenge may move on (CULT-19)
)
