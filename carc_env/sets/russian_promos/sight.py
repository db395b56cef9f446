"""Planes and globals that show the hut and the traps with their figures."""

from numba import float32, uint8

from carc_env.engine.compiler.jit import i8, kernel, void
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import Plane
from carc_env.engine.core.seats import seat_at
from carc_env.engine.core.state import State
from carc_env.engine.core.tiles import IS_HUT
from carc_env.engine.sight.moments import numbers_written, shows, tile_painted
from carc_env.sets.russian_promos.record import (
    IS_CAUGHT,
    N_CAUGHT,
    N_TRAPS,
    NEAREST,
    NO_TRAP,
    TRAP,
    TREE,
    WATER,
)


@at(tile_painted, shows(Plane.PROMOS))
@kernel(void(State, i8, i8, uint8[::1]))
def paint_promos(s, design, rotation, row):
    """Write whether the tile has the hut or one of the traps."""
    plane = s.rules.first_plane[Plane.PROMOS]
    row[plane] = IS_HUT[design]
    row[plane + 1] = TRAP[design] == TREE
    row[plane + 2] = TRAP[design] == WATER


@at(numbers_written, "russian_promos")
@kernel(i8(State, i8, float32[::1]))
def write_trapped(s, seat, out):
    """Write how many figures the tree spares, and the shares in each trap; return how many."""
    n = 0
    if s.rules.russian_promos == NEAREST:
        out[n] = s.spared
        n += 1
    for k in range(s.rules.n_players):
        player = s.players[seat_at(s, seat, k)]
        for trap in range(N_TRAPS):
            for kind in range(N_CAUGHT):
                if s.rules.owned[kind] > 0 and IS_CAUGHT[trap, kind]:
                    out[n] = player.trapped[trap, kind] / s.rules.owned[kind]
                    n += 1
    return n


def most_on_tile(form):
    """Return how many planes a tile of this form can fill."""
    return int(IS_HUT[form]) + int(TRAP[form] != NO_TRAP)
