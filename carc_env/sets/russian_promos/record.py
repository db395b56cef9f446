"""Record fields for the Russian promos, and which tiles have traps."""

from __future__ import annotations

import numpy as np

from carc_env.engine.compiler.python_ints import Numbers
from carc_env.engine.core.codes import N_MEEPLES, Figure
from carc_env.engine.core.fields import ABSENT, Field, Part
from carc_env.engine.core.tiles import FORMS

TRAPS = ("tree", "water")
"""The tree of Solovei Razboynik and the water of Vodyanoy."""
TREE, WATER = range(len(TRAPS))
N_TRAPS = len(TRAPS)
NO_TRAP = ABSENT
TRAP = np.array(
    [TRAPS.index(row["trap"]) if "trap" in row else NO_TRAP for row in FORMS], np.int8
).view(Numbers)
"""Form -> the trap on it, or NO_TRAP (RUS-01)."""
N_CAUGHT = N_MEEPLES + 1
"""Number of figure kinds that traps can hold: meeples and, in the tree, builders (RUS-08, RUS-09).
"""
CAUGHT = (
    (Figure.MEEPLE, Figure.LARGE, Figure.WAGON, Figure.PHANTOM, Figure.BUILDER),
    (Figure.MEEPLE, Figure.LARGE, Figure.ABBOT, Figure.MAYOR, Figure.WAGON, Figure.PHANTOM),
)
"""Figures that each trap catches: those on roads (RUS-08), and all meeples (RUS-09)."""
IS_CAUGHT = np.zeros((N_TRAPS, N_CAUGHT), np.bool_).view(Numbers)
"""[trap, kind]: whether the trap catches such figures."""
for _trap, _figures in enumerate(CAUGHT):
    IS_CAUGHT[_trap, list(_figures)] = True
MOST_OF_A_KIND = 7
"""Maximum number of meeples of one kind that a seat has."""
NO_PROMOS, NEAREST, ALL = range(3)
"""Figures that the tree takes: values of ``rules.russian_promos`` (RUS-07)."""

PART = Part(
    game=(
        # Tile of each trap, or NO_TILE before it is placed:
        Field("traps", "i2", (N_TRAPS,), most="tiles", empty=ABSENT),
        # Number of figures on the tree's road beyond the nearest ones, which stay (RUS-07):
        Field("spared", "i1"),
    ),
    player=(
        # Number of figures in each trap, by kind (RUS-11):
        Field("trapped", "i1", (N_TRAPS, N_CAUGHT), most=MOST_OF_A_KIND),
    ),
    rules=(
        Field("russian_promos", "i1"),  # NO_PROMOS, NEAREST or ALL
        Field("score_floor", "i1"),  # 1: a score cannot fall below 0 (RUS-13)
    ),
    besides=N_TRAPS * N_CAUGHT,
)
