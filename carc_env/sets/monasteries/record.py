"""Record fields for special monasteries."""

from __future__ import annotations

from carc_env.engine.core.fields import Field, Part
from carc_env.engine.core.sizes import n_with

N_SPECIAL = n_with("special_monastery")
"""Number of special monasteries that a game can have."""

PART = Part(
    game=(
        # Monasteries whose monks were scored in this placement while others lie there, as bits in
        # tile order: castles can still score them (XGM-05)
        Field("monks_scored", "i1", most=(1 << N_SPECIAL) - 1),
    ),
    rules=(
        Field("special_monasteries", "i1"),  # 1: meeples can lie on some monasteries (MON-03)
        Field("lays_lying", "i1"),  # 1: the layout's blocks of spots include lying down
        Field("lying_abbots_stay", "i1"),  # 1: abbots lying there cannot be recalled (XGM-04)
    ),
    watched=N_SPECIAL,
)
