"""Where the mayor can stand."""

from __future__ import annotations

from carc_env.engine.core.codes import Figure, Kind
from carc_env.engine.core.fields import Part, Standing

PART = Part(figures=(Standing(Figure.MAYOR, (Kind.CITY,)),))  # MAY-02
