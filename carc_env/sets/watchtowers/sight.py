"""Planes and globals that show watchtowers."""

from numba import uint8

from carc_env.engine.compiler.jit import i8, kernel, void
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import Plane
from carc_env.engine.core.state import State
from carc_env.engine.sight.moments import tile_painted
from carc_env.sets.watchtowers.record import COUNTED, COUNTS, NO_WATCHTOWER, POINTS_EACH

N_COUNTED = len(COUNTED)


@at(tile_painted, "watchtowers")
@kernel(void(State, i8, i8, uint8[::1]))
def paint_watchtower(s, design, rotation, row):
    """Write the points of the tile's watchtower in the plane for what it counts."""
    plane = s.rules.first_plane[Plane.WATCHTOWER]
    for what in range(N_COUNTED):
        row[plane + what] = POINTS_EACH[design] * (COUNTS[design] == what)


def most_on_tile(form):
    """Return how many planes a tile of this form can fill."""
    return int(COUNTS[form] != NO_WATCHTOWER)
