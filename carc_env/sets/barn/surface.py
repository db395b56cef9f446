"""Barns."""

from carc_env.engine.core.codes import Figure
from carc_env.systems.declaring import Stance, System

BARNS = System(
    name="barn",
    is_on=lambda rules: rules.barns,
    switches=("barns",),
    figures={
        Figure.BARN: Stance(
            "a corner, `NE SE SW NW`",
            values="1 to 4",
            shows="a barn: its corner, from 1 for NE clockwise to 4 for NW",
        )
    },
)
