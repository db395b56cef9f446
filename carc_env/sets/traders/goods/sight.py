"""Planes and globals that show trade goods."""

from numba import uint8

from carc_env.engine.compiler.jit import i8, kernel, void
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import Plane
from carc_env.engine.core.state import State
from carc_env.engine.core.tiles import GOOD, N_SEGMENTS, NO_GOOD
from carc_env.engine.sight.moments import tile_painted


@at(tile_painted, "goods")
@kernel(void(State, i8, i8, uint8[::1]))
def paint_goods(s, design, rotation, row):
    """Write which trade goods symbols a tile shows, one plane for each."""
    for j in range(N_SEGMENTS[design]):
        good = GOOD[design, j]
        if good != NO_GOOD:
            row[s.rules.first_plane[Plane.GOODS] + good] = 1


def most_on_tile(form):
    """Return how many planes a tile of this form can fill."""
    return int((GOOD[form] != NO_GOOD).sum())
