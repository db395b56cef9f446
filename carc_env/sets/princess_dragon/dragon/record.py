"""Record fields for the dragon."""

from __future__ import annotations

from carc_env.engine.core.fields import ABSENT, Field, Part

DRAGON_STEPS = 6
"""Maximum number of steps in a flight, for any number of players (PD-10)."""

PART = Part(
    game=(
        # Cell of the dragon, or NO_CELL before the first volcano (PD-02):
        Field("dragon", "i2", most="cells", empty=ABSENT),
        Field("n_flown", "i2", most=DRAGON_STEPS),  # number of cells in flown, 0 when not flying
        # Cells of its flight, including the first one:
        Field("flown", "i2", (DRAGON_STEPS + 1,), most="cells", empty=ABSENT),
    ),
    rules=(
        # 1: volcanoes summon it, and dragon tiles make it fly (PD-03, PD-09)
        Field("dragon", "i1"),
        Field("dragon_late", "i1"),  # 1: it flies after scoring (PD-09)
        # 1: no dragon tile is drawn before a volcano is on the board (PD-07)
        Field("withholds_dragons", "i1"),
        Field("wagon_safe", "i1"),  # 1: neither the dragon nor towers take wagons (HOUSE-03)
    ),
    marks=1 + DRAGON_STEPS + 1,  # where it is and where it has been
)
