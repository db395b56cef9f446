"""Record fields for sieges."""

from __future__ import annotations

from carc_env.engine.core.fields import Field, Part

PART = Part(
    rules=(
        Field("siege", "i1"),  # 1: cities are besieged
        Field("siege_without_pigs", "i1"),  # 1: the extra points of pigs are not doubled (SIE-06)
        Field("escapes_anywhere", "i1"),  # 1: any tile of the city can lead to monasteries (SIE-10)
        Field("escapes_last", "i1"),  # 1: knights escape at the end of the whole turn (SIE-15)
    ),
)
