"""The options that the figure action leaves for the phantom, and where the phantom can stand."""

from __future__ import annotations

from carc_env.engine.core.codes import Figure, Kind
from carc_env.engine.core.fields import Field, Part, Standing

NOTHING_USED, PORTAL_USED, PRINCESS_USED, MACHINE_USED = range(4)

PART = Part(
    # How this placement's figure action was used, until the second figure is decided:
    game=(Field("used", "i1", most=MACHINE_USED),),
    # PHA-05, PHA-12: same as for a normal meeple
    figures=(Standing(Figure.PHANTOM, (Kind.FIELD, Kind.ROAD, Kind.CITY, Kind.MONASTERY)),),
)
