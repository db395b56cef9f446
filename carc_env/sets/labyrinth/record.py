"""Record fields of labyrinths."""

from __future__ import annotations

from carc_env.engine.core.fields import ABSENT, Field, Part
from carc_env.engine.core.tiles import MAZE, ROWS

NO_MAZE = ABSENT
MAX_MAZES = sum(max(row["n"].values()) for k, row in enumerate(ROWS) if MAZE[k] != NO_MAZE)

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
        Field("maze_bonus", "i1"),  # 1: meeples score points after everything else (LAB-07)
        Field("maze_bonus_first", "i1"),  # 1: before the witch halves them (MW-12)
    ),
    watched=MAX_MAZES,
)
