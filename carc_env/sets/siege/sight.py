"""Planes and globals that show sieges."""

from numba import uint8

from carc_env.engine.compiler.jit import i8, kernel, void
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import Plane
from carc_env.engine.core.state import State
from carc_env.engine.core.tiles import IS_BESIEGED
from carc_env.engine.sight.moments import tile_painted


@at(tile_painted, "siege")
@kernel(void(State, i8, i8, uint8[::1]))
def paint_siege(s, design, rotation, row):
    """Write whether the tile's city is besieged."""
    row[s.rules.first_plane[Plane.SIEGE]] = IS_BESIEGED[design]


def most_on_tile(form):
    """Return how many planes a tile of this form can fill."""
    return int(IS_BESIEGED[form])
