"""Barns."""

from carc_env.engine.core.codes import Figure
from carc_env.systems.declaring import System

BARNS = System(
    name="barn",
    is_on=lambda rules: rules.barns,
    switches=("barns",),
    figures=(Figure.BARN,),
)
