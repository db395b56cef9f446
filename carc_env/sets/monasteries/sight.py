"""Planes that show special monasteries and the points of their lines."""

from numba import uint8

from carc_env.engine.compiler.jit import i8, kernel, void
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import Plane
from carc_env.engine.core.state import State
from carc_env.engine.core.tiles import LINES
from carc_env.engine.sight.moments import changed_elsewhere, tile_painted


@at(tile_painted, "special_monasteries")
@kernel(void(State, i8, i8, uint8[::1]))
def paint_monastery(s, design, rotation, row):
    """Write whether the tile has a special monastery."""
    row[s.rules.first_plane[Plane.LINES]] = LINES[design] >= 0


@at(changed_elsewhere, "special_monasteries")
@kernel(i8(State, i8[::1]))
def list_lines(s, segments):
    """Write the lines of all special monasteries: a distant tile may have made them longer."""
    n = 0
    for tile in range(s.n_tiles):
        placed = s.tiles[tile]
        if LINES[placed.design] >= 0:
            segments[n] = placed.first_segment + LINES[placed.design]
            n += 1
    return n


def most_on_tile(form):
    """Return how many planes a tile of this form can fill."""
    return 2 * int(LINES[form] >= 0)
