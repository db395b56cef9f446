"""Record fields for hills."""

from __future__ import annotations

from carc_env.engine.core.fields import Field, Part
from carc_env.engine.core.sizes import MAX_BAG, n_with

MAX_HILLS = n_with("hill")
"""Number of hill tiles in the game."""
NO_HILLS, ANY_HILL, MOST_HILLS = range(3)
"""Values of ``rules.hills``."""

PART = Part(
    game=(
        Field("n_hidden", "i2", most=MAX_HILLS),  # tiles under hills (HS-02)
        # Bag positions from which they were drawn:
        Field("hidden", "i2", (MAX_HILLS,), most=MAX_BAG - 1),
    ),
    rules=(
        Field("hills", "i1"),  # who wins ties on hills: ANY_HILL, MOST_HILLS; or NO_HILLS (HS-03)
        Field("vineyards", "i1"),  # 1: vineyards count for monasteries (HS-15)
    ),
)
