"""What shepherds keep in the record."""

from __future__ import annotations

from carc_env.engine.core.fields import ABSENT, Field, Part

NO_TOKEN = ABSENT

PART = Part(
    game=(
        # Outcome of chance that the last decision drew, or NO_TOKEN:
        Field("token", "i2", empty=NO_TOKEN, is_history=True),
        # Outcome that is drawn next, NO_TOKEN: at random
        Field("next_token", "i2", empty=NO_TOKEN),
    )
)
