"""What the figure action leaves to the phantom, and where it stands."""

from __future__ import annotations

from carc_env.engine.core.codes import Figure, Kind
from carc_env.engine.core.fields import Field, Part, Standing

NOTHING_USED, PORTAL_USED, PRINCESS_USED, MACHINE_USED = range(4)

PART = Part(
    # What the figure action of this placement used, until the second figure is decided on:
    game=(Field("used", "i1", most=MACHINE_USED),),
    # PHA-05, PHA-12: as a normal meeple
    figures=(Standing(Figure.PHANTOM, (Kind.FIELD, Kind.ROAD, Kind.CITY, Kind.MONASTERY)),),
)
