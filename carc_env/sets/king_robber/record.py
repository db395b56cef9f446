"""Record field for King and Robber."""

from __future__ import annotations

from carc_env.engine.core.codes import N_MARKERS
from carc_env.engine.core.fields import Field, Part

NO_MARKERS, PER_FEATURE, TEN_EACH, FIFTEEN_FORTY, RUNNING = range(5)
"""Values of ``rules.king_robber``."""

PART = Part(
    rules=(Field("king_robber", "i1"),),  # how they score (KR-16), or NO_MARKERS
    events=N_MARKERS,  # each marker has one holder
)
