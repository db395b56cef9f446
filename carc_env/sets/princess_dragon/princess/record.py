"""Record field for the princess."""

from __future__ import annotations

from carc_env.engine.core.fields import Field, Part

NO_PRINCESS, MAY_REMOVE, MUST_REMOVE = range(3)
"""Values of ``rules.princesses``."""

PART = Part(rules=(Field("princesses", "i1"),))  # what she can or must do (PD-51)
