"""Record fields for Darmstadt."""

from __future__ import annotations

from carc_env.engine.core.codes import MAX_PLAYERS
from carc_env.engine.core.fields import Field, Part
from carc_env.engine.core.sizes import n_with

PART = Part(
    rules=(
        Field("darmstadt", "i1"),  # 1: churches and the Darmstadtium score extra points
        Field("church_consoles", "i1"),  # 1: scoring a church bars its seat from Carcassonne
    ),
    events=n_with("church") * MAX_PLAYERS,
)
