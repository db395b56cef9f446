"""Record fields for tunnels, and where tiles show their mouths."""

from __future__ import annotations

import numpy as np

from carc_env.engine.compiler.python_ints import Numbers
from carc_env.engine.core.codes import MAX_PLAYERS, Kind
from carc_env.engine.core.fields import ABSENT, Field, Part
from carc_env.engine.core.tiles import (
    FORMS,
    MAX_SEGMENTS_PER_TILE,
    N_DESIGNS,
    ROWS,
    SEGMENT_KIND,
)

IS_MOUTH = np.zeros((len(FORMS), MAX_SEGMENTS_PER_TILE), np.bool_).view(Numbers)
"""[form, segment]: whether the road ends at a tunnel mouth (TUN-01)."""
for _form, _row in enumerate(FORMS):
    _roads = np.flatnonzero(SEGMENT_KIND[_form] == Kind.ROAD)
    for _segment, _road in zip(_roads, _row.get("roads", ()), strict=False):
        IS_MOUTH[_form, _segment] = _road.get("mouth", False)

N_MOUTHS = np.array(IS_MOUTH[:N_DESIGNS].sum(1), np.int64)
"""Design -> number of mouths on it."""
MAX_MOUTHS = sum(
    int(N_MOUTHS[k]) * ("instead_of" in row or max(row["n"].values())) for k, row in enumerate(ROWS)
)
"""Number of mouths in a game, including tiles with a broken road (TUN-16)."""
TOKENS_PER_PAIR = 2
MAX_PAIRS = 3  # TUN-02
NO_MOUTH = ABSENT
NO_TOKEN = ABSENT

_MOUTH = (
    Field("segment", "i2", most="segments"),  # the road that ends there
    # Pair of the token there, the owner's seat times MAX_PAIRS plus its number; or NO_TOKEN
    Field("token", "i1", most=MAX_PLAYERS * MAX_PAIRS - 1, empty=NO_TOKEN, least=NO_TOKEN),
)

PART = Part(
    game=(
        Field("n_mouths", "i1", most=MAX_MOUTHS),
        Field("mouths", _MOUTH, (MAX_MOUTHS,)),  # in the order in which their tiles were placed
        Field("dug", "i1"),  # 1: a token was placed in this turn (TUN-04)
        Field("owed_dug", "i1"),  # dug of the turn that a bazaar interrupts
        # Mouth that received a token in this placement, until scoring; or NO_MOUTH
        Field("new_mouth", "i1", most="mouths", empty=NO_MOUTH),
    ),
    # pairs of tokens that the layout has for each mouth (TUN-02)
    rules=(Field("lays_pairs", "i1"),),
    marks=2 * MAX_MOUTHS,
    besides=MAX_MOUTHS * MAX_PAIRS,
    changes=1,
    watched=MAX_MOUTHS,
)
