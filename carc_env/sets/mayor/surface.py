"""Mayors."""

from carc_env.engine.core.codes import Figure
from carc_env.systems.declaring import Stance, System

MAYORS = System(
    name="mayor",
    is_on=lambda rules: rules.mayors,
    switches=("mayors",),
    figures={Figure.MAYOR: Stance("the city at a side")},
)
