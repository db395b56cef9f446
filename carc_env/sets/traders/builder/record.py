"""What the builder keeps in the record."""

from __future__ import annotations

from carc_env.engine.core.fields import ABSENT, Field, Part

PART = Part(
    game=(
        # Tile of the first part in the second of a turn, else NO_TILE:
        Field("first_part", "i2", most="tiles", empty=ABSENT),
        Field("extends", "i1"),  # 1: this placement extended the turn player's builder's feature
    )
)
