"""What labyrinths keep in the record, and which tiles show a maze."""

from __future__ import annotations

from typing import Any

import numpy as np

from carc_env.engine.compiler.python_ints import Numbers
from carc_env.engine.core.fields import ABSENT, Field, Part
from carc_env.engine.core.tiles import FORMS, ROWS


def _maze(row: dict[str, Any]) -> int:
    """The segment of a row that is a maze, ``NO_MAZE`` without one: cities come first."""
    mazes = [k for k, road in enumerate(row.get("roads", ())) if road.get("maze")]
    return len(row.get("cities", ())) + mazes[0] if mazes else NO_MAZE


NO_MAZE = ABSENT
MAZE = np.array([_maze(row) for row in FORMS]).view(Numbers)
"""Form -> which of its segments is a maze (LAB-01), ``NO_MAZE`` for none."""
MAX_MAZES = sum(max(row["n"].values()) for row in ROWS if _maze(row) != NO_MAZE)

PART = Part(
    game=(
        # Segments of the mazes that lie, in the order in which they were placed, else NO_MAZE:
        Field("mazes", "i2", (MAX_MAZES,), most="segments", empty=NO_MAZE),
        # Meeples on the road of each that was completed, from the scoring until castles have
        # scored, too (LAB-07):
        Field("thieves", "u1", (MAX_MAZES,)),
    ),
    rules=(
        Field("labyrinth", "i1"),  # 1: arms of a labyrinth are occupied on their own (LAB-05)
        Field("maze_bonus", "i1"),  # 1: meeples bring points behind all else (LAB-07)
        Field("maze_bonus_first", "i1"),  # 1: before the witch halves them (MW-12)
    ),
    watched=MAX_MAZES,
)
