"""Record fields for the builder."""

from __future__ import annotations

from carc_env.engine.core.codes import Figure, Kind
from carc_env.engine.core.fields import Field, Part, Standing

PART = Part(
    # 1: this placement has extended the feature of the turn player's builder
    game=(Field("extends", "i1"),),
    figures=(Standing(Figure.BUILDER, (Kind.ROAD, Kind.CITY), strength=0),),  # TRA-05
)
