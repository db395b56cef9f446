"""Planes and globals that show hills, vineyards and the number of hidden tiles."""

from numba import float32, uint8

from carc_env.engine.compiler.jit import i8, kernel, u8, void
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import Plane
from carc_env.engine.core.state import State
from carc_env.engine.core.tiles import IS_HILL, IS_VINEYARD
from carc_env.engine.sight.moments import numbers_written, tile_painted, unseen_counted
from carc_env.sets.hills_sheep.hills.record import MAX_HILLS


@at(tile_painted, "hills")
@kernel(void(State, i8, i8, uint8[::1]))
def paint_hill(s, design, rotation, row):
    """Write whether the tile is a hill."""
    row[s.rules.first_plane[Plane.HILL]] = IS_HILL[design]


@at(tile_painted, "vineyards")
@kernel(void(State, i8, i8, uint8[::1]))
def paint_vineyard(s, design, rotation, row):
    """Write whether the tile has a vineyard."""
    row[s.rules.first_plane[Plane.VINEYARD]] = IS_VINEYARD[design]


@at(unseen_counted, "hills")
@kernel(void(State, float32[::1]))
def count_hidden(s, out):
    """Count the tiles under hills."""
    for k in range(s.n_hidden):
        out[u8(s.rules.design_slot[u8(s.bag[s.hidden[k]])])] += 1


@at(numbers_written, "hills")
@kernel(i8(State, i8, float32[::1]))
def write_hidden(s, seat, out):
    """Write how many tiles are under hills."""
    out[0] = s.n_hidden / MAX_HILLS
    return 1


def most_on_tile(form):
    """Return how many planes a tile of this form can fill."""
    return int(IS_HILL[form]) + int(IS_VINEYARD[form])
