"""What shepherds keep in the record."""

from __future__ import annotations

from carc_env.engine.core.fields import ABSENT, Field, Part

NO_TOKEN = ABSENT

PART = Part(
    game=(
        # Kind of sheep token that the last decision drew, or NO_TOKEN:
        Field("token", "i2", empty=NO_TOKEN, is_history=True),
        # Kind of sheep token that is drawn next, NO_TOKEN: at random
        Field("next_token", "i2", empty=NO_TOKEN),
    )
)
