"""Record field for magic portals."""

from __future__ import annotations

from carc_env.engine.core.fields import Field, Part

PART = Part(rules=(Field("portals", "i1"),))  # 1: magic portals lead to other tiles (PD-65)
