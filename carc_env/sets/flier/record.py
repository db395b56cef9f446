"""Record fields for flying machines, and which tiles show one."""

from __future__ import annotations

import numpy as np

from carc_env.engine.compiler.python_ints import Numbers
from carc_env.engine.core.codes import N_MEEPLES, N_ROTATIONS
from carc_env.engine.core.fields import ABSENT, Field, Part
from carc_env.engine.core.tiles import FORMS

DIRECTIONS = ("N", "NE", "E", "SE", "S", "SW", "W", "NW")
ROW_STEPS, COLUMN_STEPS = (-1, -1, 0, 1, 1, 1, 0, -1), (0, 1, 1, 1, 0, -1, -1, -1)
"""Row and column steps of a flight from cell to cell, by direction."""
NO_MACHINE = ABSENT
NOBODY = ABSENT
"""Value of ``flies`` if no figure is to land."""
DISTANCES = (1, 2, 3)
"""Numbers on the die, with equal chances (FLY-01)."""


def _directions() -> Numbers:
    """Return [form, rotation]: the direction of flight, which turns with the tile (FLY-02)."""
    found = np.full((len(FORMS), N_ROTATIONS), NO_MACHINE, np.int8)
    for form, row in enumerate(FORMS):
        for rotation in range(N_ROTATIONS if "flier" in row else 0):
            quarter = len(DIRECTIONS) // N_ROTATIONS
            turned = DIRECTIONS.index(row["flier"]) + quarter * rotation
            found[form, rotation] = turned % len(DIRECTIONS)
    return found.view(Numbers)


DIRECTION = _directions()

PART = Part(
    # Kind of the figure that is flying and must land, or NOBODY:
    game=(Field("flies", "i1", most=N_MEEPLES - 1, empty=NOBODY),),
    rules=(
        Field("flier", "i1"),  # 1: machines carry meeples (FLY-03)
        Field("may_come_down", "i1"),  # 1: a meeple that can land may go home instead (FLY-09)
        Field("n_fliers", "i1"),  # number of meeple kinds that fly, the first ones (FLY-12)
    ),
)
