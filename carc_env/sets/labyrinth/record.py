"""Record fields for labyrinths."""

from __future__ import annotations

from carc_env.engine.core.fields import ABSENT, Field, Part
from carc_env.engine.core.tiles import MAZE, ROWS

NO_MAZE = ABSENT
MAX_MAZES = sum(max(row["n"].values()) for k, row in enumerate(ROWS) if MAZE[k] != NO_MAZE)

PART = Part(
    game=(
        # Segments of the mazes on the board, in the order in which they were placed, else NO_MAZE:
        Field("mazes", "i2", (MAX_MAZES,), most="segments", empty=NO_MAZE),
        # Number of meeples on the completed road of each maze, from its scoring until castles
        # have scored as well (LAB-07):
        Field("thieves", "u1", (MAX_MAZES,)),
    ),
    rules=(
        Field("labyrinth", "i1"),  # 1: arms of a labyrinth are occupied separately (LAB-05)
        Field("maze_bonus", "i1"),  # 1: meeples score points after everything else (LAB-07)
        Field("maze_bonus_first", "i1"),  # 1: before the witch halves them (MW-12)
    ),
    watched=MAX_MAZES,
)
