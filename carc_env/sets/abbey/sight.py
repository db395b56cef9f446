"""Planes and globals that show abbeys."""

from numba import float32, uint8

from carc_env.engine.compiler.jit import i8, kernel, void
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import Plane, Stock
from carc_env.engine.core.moments import has
from carc_env.engine.core.state import State
from carc_env.engine.core.tiles import ABBEY_DESIGN
from carc_env.engine.sight.moments import numbers_written, tile_painted


@at(tile_painted, has(Stock.ABBEY))
@kernel(void(State, i8, i8, uint8[::1]))
def paint_abbey(s, design, rotation, row):
    """Write whether the tile is an abbey."""
    row[s.rules.first_plane[Plane.ABBEY]] = design == ABBEY_DESIGN


@at(numbers_written, has(Stock.ABBEY))
@kernel(i8(State, i8, float32[::1]))
def write_round(s, seat, out):
    """Write how many turns are left in the last round."""
    out[0] = max(s.last_round, 0) / s.rules.n_players
    return 1


def most_on_tile(form):
    """Return how many planes a tile of this form can fill."""
    return int(form == ABBEY_DESIGN)
