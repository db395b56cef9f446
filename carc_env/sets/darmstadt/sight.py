"""Planes and globals that show churches and the Darmstadtium."""

from numba import uint8

from carc_env.engine.compiler.jit import i8, kernel, void
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import Plane
from carc_env.engine.core.state import State
from carc_env.engine.core.tiles import HAS_DARMSTADTIUM, IS_CHURCH
from carc_env.engine.sight.moments import tile_painted


@at(tile_painted, "darmstadt")
@kernel(void(State, i8, i8, uint8[::1]))
def paint_darmstadt(s, design, rotation, row):
    """Write whether the tile has a church or the Darmstadtium."""
    row[s.rules.first_plane[Plane.DARMSTADT]] = IS_CHURCH[design] + 2 * HAS_DARMSTADTIUM[design]


def most_on_tile(form):
    """Return how many planes a tile of this form can fill."""
    return int(IS_CHURCH[form] or HAS_DARMSTADTIUM[form])
