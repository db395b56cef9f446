"""Planes and globals that show the river."""

from numba import uint8

from carc_env.engine.compiler.jit import i8, kernel, void
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.board import N_SIDES
from carc_env.engine.core.codes import EDGE_RIVER, Plane
from carc_env.engine.core.state import State
from carc_env.engine.core.tiles import EDGES
from carc_env.engine.sight.moments import shows, tile_painted


@at(tile_painted, shows(Plane.RIVER))
@kernel(void(State, i8, i8, uint8[::1]))
def paint_river(s, design, rotation, row):
    """Write the sides that the river reaches."""
    edges = EDGES[design, rotation]
    for side in range(N_SIDES):
        row[s.rules.first_plane[Plane.RIVER] + side] = edges >> (4 * side) & EDGE_RIVER != 0


def most_on_tile(form):
    """Return how many planes a tile of this form can fill."""
    return sum(EDGES[form, 0] >> 4 * side & EDGE_RIVER != 0 for side in range(N_SIDES))
