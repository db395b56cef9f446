"""Record fields for corn circles."""

from __future__ import annotations

from carc_env.engine.core.fields import Field, Part

PART = Part(
    rules=(
        Field("crop_circles", "i1"),  # 1: corn circles are in play
        # 1: the layout's blocks of shared spots include fields (CRN-07)
        Field("lays_fields", "i1"),
        Field("must_sow", "i1"),  # 1: a seat that can add a meeple must do so (CRN-06)
    ),
)
