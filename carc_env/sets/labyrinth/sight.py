"""Planes and globals that show labyrinths."""

from numba import uint8

from carc_env.engine.compiler.jit import i8, kernel, void
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import Plane
from carc_env.engine.core.state import State
from carc_env.engine.core.tiles import MAZE
from carc_env.engine.sight.moments import changed_elsewhere, tile_painted
from carc_env.sets.labyrinth.record import MAX_MAZES, NO_MAZE


@at(tile_painted, "labyrinth")
@kernel(void(State, i8, i8, uint8[::1]))
def paint_maze(s, design, rotation, row):
    """Write whether the tile's road is a maze."""
    row[s.rules.first_plane[Plane.LABYRINTH]] = MAZE[design] != NO_MAZE


@at(changed_elsewhere, "labyrinth")
@kernel(i8(State, i8[::1]))
def list_mazes(s, segments):
    """Write the mazes: each meeple on a complete road with a maze scores points there (LAB-07)."""
    n = 0
    for k in range(MAX_MAZES):
        segments[n] = s.mazes[k]
        n += s.mazes[k] != NO_MAZE
    return n


def most_on_tile(form):
    """Return how many planes a tile of this form can fill."""
    return int(MAZE[form] != NO_MAZE)
