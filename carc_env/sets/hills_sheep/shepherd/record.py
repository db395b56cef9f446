"""Where the shepherd can stand: on fields, but in no ring of figures."""

from __future__ import annotations

from carc_env.engine.core.codes import Figure, Kind
from carc_env.engine.core.fields import Part, Standing

PART = Part(figures=(Standing(Figure.SHEPHERD, (Kind.FIELD,), strength=0),))  # HS-25, HS-28
