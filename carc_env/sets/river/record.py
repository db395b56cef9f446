"""Record field for The River."""

from __future__ import annotations

from carc_env.engine.core.fields import Field, Part

PART = Part(rules=(Field("clear_ahead", "i1"),))  # 1: a river needs free cells ahead (RIV2-04)
