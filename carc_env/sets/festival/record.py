"""Record field for the Festival."""

from __future__ import annotations

from carc_env.engine.core.fields import Field, Part

NO_FESTIVAL, MEEPLES, FIGURES = range(3)
"""Values of ``rules.festival``."""

PART = Part(rules=(Field("festival", "i1"),))  # figures that may be taken back (FES-03)
