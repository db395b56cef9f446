"""Planes and globals that show Carcassonne, who waits there, and the count."""

from numba import float32, uint8

from carc_env.engine.compiler.jit import i8, kernel, void
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import N_MEEPLES, N_QUARTERS, Figure, Plane
from carc_env.engine.core.seats import seat_at
from carc_env.engine.core.state import State
from carc_env.engine.core.tiles import IS_CLOSED, IS_ON_TABLE
from carc_env.engine.sight.moments import numbers_written, shows, tile_painted
from carc_env.sets.count.kernels import MAY_WAIT
from carc_env.sets.count.record import IN_PLAY


@at(tile_painted, shows(Plane.CARCASSONNE))
@kernel(void(State, i8, i8, uint8[::1]))
def paint_carcassonne(s, design, rotation, row):
    """Write whether the tile is part of the city, or of its centre."""
    row[s.rules.first_plane[Plane.CARCASSONNE]] = IS_ON_TABLE[design] + IS_CLOSED[design]


@kernel(i8(State, i8, float32[::1]))
def write_waiting(s, seat, out):
    """Write the shares of a seat's meeples in Carcassonne, by kind and quarter; return how many."""
    n = 0
    for kind in range(N_MEEPLES):
        if s.rules.owned[kind] == 0:
            continue
        for quarter in range(N_QUARTERS):
            if MAY_WAIT[kind, quarter]:
                out[n] = s.players[seat].waiting[quarter, kind] / s.rules.owned[kind]
                n += 1
    return n


@at(numbers_written, "count")
@kernel(i8(State, i8, float32[::1]))
def write_count(s, seat, out):
    """Write where the count is, who may enter or can still leave, and who waits where."""
    for quarter in range(N_QUARTERS):
        out[quarter] = s.count == quarter
    out[N_QUARTERS], n = s.entered, N_QUARTERS + 1
    is_owed = s.rules.bazaars > 0 and s.rules.owned[Figure.BUILDER] > 0
    if is_owed and s.rules.enters_each_part == 0:
        out[n] = s.owed_entered
        n += 1
    is_last = s.declined != IN_PLAY
    out[n] = is_last
    n += 1
    for k in range(s.rules.n_players):
        other = seat_at(s, seat, k)
        out[n] = s.scored >> other & 1
        out[n + 1] = is_last and s.declined >> other & 1 != 0
        n += 2 + write_waiting(s, other, out[n + 2 :])
    return n


def most_on_tile(form):
    """Return how many planes a tile of this form can fill."""
    return int(IS_ON_TABLE[form])
