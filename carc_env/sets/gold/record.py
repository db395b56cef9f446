"""Record fields for gold mines, and which tiles show one."""

from __future__ import annotations

import numpy as np

from carc_env.engine.compiler.python_ints import Numbers
from carc_env.engine.core.codes import MAX_PLAYERS
from carc_env.engine.core.fields import ABSENT, Field, Part
from carc_env.engine.core.sizes import n_with
from carc_env.engine.core.tiles import FORMS

IS_MINE = np.array([row.get("goldmine", False) for row in FORMS], np.bool_).view(Numbers)
"""Form -> whether it shows a gold mine (GOL-01)."""
INGOTS_PER_MINE = 2  # GOL-02
MAX_INGOTS = INGOTS_PER_MINE * n_with("goldmine")
"""Number of ingots in the box: just enough, since each mine provides two (GOL-01)."""
NO_PILE = ABSENT

_PILE = (
    Field("tile", "i2", most="tiles"),  # tile with the pile
    Field("ingots", "i1"),
    Field("claims", "i1"),  # seats that may take from it now, as bits (GOL-07)
)

PART = Part(
    game=(
        Field("n_piles", "i1", most=MAX_INGOTS),
        Field("piles", _PILE, (MAX_INGOTS,)),  # in the order of their tiles
    ),
    rules=(
        Field("gold", "i1"),  # 1: gold mines provide ingots (GOL-02)
        Field("asks_gold", "i1"),  # 1: entitled players choose a pile to take from (GOL-08)
        Field("gold_in_fiefs", "i1"),  # 1: castles take the ingots on their cells (GOL-15)
    ),
    events=MAX_PLAYERS,  # everybody's ingots, at the end
    marks=2 * MAX_INGOTS,
)
