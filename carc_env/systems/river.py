"""The River."""

from carc_env.engine.core.codes import Plane
from carc_env.engine.core.tiles import SIDES
from carc_env.systems.declaring import Planes, System

RIVER = System(
    name="river",
    is_on=lambda rules: rules.has_river,
    switches=(),
    planes=(
        Planes(Plane.RIVER, tuple(f"river {side}" for side in SIDES), "the river runs to the side"),
    ),
)
