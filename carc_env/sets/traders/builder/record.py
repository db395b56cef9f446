"""What the builder keeps in the record."""

from __future__ import annotations

from carc_env.engine.core.codes import Figure, Kind
from carc_env.engine.core.fields import ABSENT, Field, Part, Standing

PART = Part(
    game=(
        # Tile of the first part in the second of a turn, else NO_TILE:
        Field("first_part", "i2", most="tiles", empty=ABSENT),
        Field("extends", "i1"),  # 1: this placement extended the turn player's builder's feature
    ),
    figures=(Standing(Figure.BUILDER, (Kind.ROAD, Kind.CITY), strength=0),),  # TRA-05
)
