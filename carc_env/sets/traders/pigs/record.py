"""Where the pig can stand."""

from __future__ import annotations

from carc_env.engine.core.codes import Figure, Kind
from carc_env.engine.core.fields import Part, Standing

PART = Part(figures=(Standing(Figure.PIG, (Kind.FIELD,), strength=0),))  # TRA-12
