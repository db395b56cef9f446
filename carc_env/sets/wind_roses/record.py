"""The tiles that show a wind rose or a quarter of one; the record has only the switches."""

from __future__ import annotations

import numpy as np

from carc_env.engine.compiler.python_ints import Numbers
from carc_env.engine.core.fields import ABSENT, Field, Part
from carc_env.engine.core.tiles import FORMS, SIDES

QUARTERS = ("NE", "SE", "SW", "NW")
"""Quarters of a rose, clockwise, beginning with the one clockwise of its north (WR-02)."""
NO_QUARTER = ABSENT
NO_ROSE, ORANGE, BLUE = range(3)
"""The rose that a tile shows; the blue one is in force as soon as it is placed (WR-03)."""


def _roses() -> list[int]:
    """Return form -> its rose; the orange one is on the set's start tile (WR-01)."""
    return [
        NO_ROSE if "rose_north" not in row else ORANGE if row.get("start") else BLUE
        for row in FORMS
    ]


def _quarter_of(row: dict[str, object]) -> int:
    shown = row.get("wind_rose")
    return QUARTERS.index(str(shown)) if shown in QUARTERS else NO_QUARTER


ROSE = np.array(_roses(), np.int8).view(Numbers)
NORTH = np.array([SIDES.index(row.get("rose_north", "N")) for row in FORMS], np.int8).view(Numbers)
"""Form -> the side to which the north of its rose points before the tile is rotated."""
QUARTER = np.array([_quarter_of(row) for row in FORMS], np.int8).view(Numbers)
"""Form -> the quarter in which it scores, or NO_QUARTER; it does not turn with the tile (WR-05)."""

PART = Part(
    rules=(
        Field("wind_roses", "i1"),  # 1: tiles in their quarter score points (WR-04)
        Field("rose_bars", "i1"),  # 1: those points bar the seat from Carcassonne (WR-07)
    ),
)
