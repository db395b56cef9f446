"""Planes and globals that show corn circles."""

from numba import uint8

from carc_env.engine.compiler.jit import i8, kernel, void
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import Plane
from carc_env.engine.core.state import State
from carc_env.engine.core.tiles import CIRCLE
from carc_env.engine.sight.moments import tile_painted


@at(tile_painted, "crop_circles")
@kernel(void(State, i8, i8, uint8[::1]))
def paint_circle(s, design, rotation, row):
    """Write which meeples the circle on the tile affects."""
    row[s.rules.first_plane[Plane.CIRCLE]] = CIRCLE[design]


def most_on_tile(form):
    """Return how many planes a tile of this form can fill."""
    return int(CIRCLE[form] > 0)
