"""Planes and globals that show shrines."""

from numba import uint8

from carc_env.engine.compiler.jit import i8, kernel, void
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import Plane
from carc_env.engine.core.state import State
from carc_env.engine.core.tiles import BUILDING, SHRINE
from carc_env.engine.sight.moments import tile_painted


@at(tile_painted, "rivals")
@kernel(void(State, i8, i8, uint8[::1]))
def paint_shrine(s, design, rotation, row):
    """Write whether the tile has a shrine."""
    row[s.rules.first_plane[Plane.SHRINE]] = BUILDING[design] == SHRINE


def most_on_tile(form):
    """Return how many planes a tile of this form can fill."""
    return int(BUILDING[form] == SHRINE)
