"""Planes and globals that show the pig-herd."""

from numba import uint8

from carc_env.engine.compiler.jit import i8, kernel, void
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import Plane
from carc_env.engine.core.state import State
from carc_env.engine.core.tiles import PIG_HERD
from carc_env.engine.sight.moments import shows, tile_painted


@at(tile_painted, shows(Plane.PIG_HERD))
@kernel(void(State, i8, i8, uint8[::1]))
def paint_pig_herd(s, design, rotation, row):
    """Write whether the tile has the pig-herd."""
    row[s.rules.first_plane[Plane.PIG_HERD]] = PIG_HERD[design] >= 0


def most_on_tile(form):
    """Return how many planes a tile of this form can fill."""
    return int(PIG_HERD[form] >= 0)
