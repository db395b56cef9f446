"""The options that the figure action leaves to the phantom, and the phantom's place."""

from __future__ import annotations

from carc_env.engine.core.codes import Figure, Kind
from carc_env.engine.core.fields import Field, Part, Standing

NOTHING_USED, PORTAL_USED, PRINCESS_USED, MACHINE_USED = range(4)

PART = Part(
    # The use of this placement's figure action, until the second figure is decided on:
    game=(Field("used", "i1", most=MACHINE_USED),),
    # PHA-05, PHA-12: as a normal meeple
    figures=(Standing(Figure.PHANTOM, (Kind.FIELD, Kind.ROAD, Kind.CITY, Kind.MONASTERY)),),
)
