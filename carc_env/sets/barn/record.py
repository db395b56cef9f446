"""Where the barn can stand: on corners, not on segments."""

from __future__ import annotations

from carc_env.engine.core.codes import Figure
from carc_env.engine.core.fields import Part, Standing

PART = Part(figures=(Standing(Figure.BARN, (), strength=0),))  # BARN-01, BARN-03
