"""Record fields for corn circles."""

from __future__ import annotations

from carc_env.engine.core.fields import Field, Part

PART = Part(
    rules=(
        Field("crop_circles", "i1"),  # 1: corn circles are in play
        Field("must_sow", "i1"),  # 1: a seat that can add a meeple must do so (CRN-06)
    ),
)
