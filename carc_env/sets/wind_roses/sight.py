"""Planes and globals that show wind roses and their quarters."""

from numba import uint8

from carc_env.engine.compiler.jit import i8, kernel, void
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import N_ROTATIONS, Plane
from carc_env.engine.core.state import State
from carc_env.engine.sight.moments import tile_painted
from carc_env.sets.wind_roses.record import NO_QUARTER, NO_ROSE, NORTH, ORANGE, QUARTER, ROSE

NO_SIGN = 0
"""Plane value: the tile shows no rose or quarter."""


@at(tile_painted, "wind_roses")
@kernel(void(State, i8, i8, uint8[::1]))
def paint_rose(s, design, rotation, row):
    """Write which way north is on the orange or blue rose, and the quarter that the tile shows."""
    plane = s.rules.first_plane[Plane.WIND_ROSE]
    row[plane], row[plane + 1], row[plane + 2] = NO_SIGN, NO_SIGN, NO_SIGN
    if ROSE[design] != NO_ROSE:
        north = 1 + (NORTH[design] + rotation) % N_ROTATIONS
        row[plane + ROSE[design] - ORANGE] = north
    if QUARTER[design] != NO_QUARTER:
        row[plane + 2] = 1 + QUARTER[design]


def most_on_tile(form):
    """Return how many planes a tile of this form can fill."""
    return int(ROSE[form] != NO_ROSE) + int(QUARTER[form] != NO_QUARTER)
