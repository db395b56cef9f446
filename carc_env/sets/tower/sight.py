"""Planes and globals that show towers and prisoners."""

from numba import float32, uint8

from carc_env.engine.compiler.jit import i8, kernel, void
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import N_MEEPLES, Figure, Plane, Stock
from carc_env.engine.core.moments import has
from carc_env.engine.core.seats import places_between, seat_at
from carc_env.engine.core.state import NO_FIGURE, State
from carc_env.engine.core.tiles import IS_TOWER
from carc_env.engine.sight.marks import mark, row_of
from carc_env.engine.sight.moments import decision_marked, numbers_written, shows, tile_painted
from carc_env.engine.sight.shown import Shown
from carc_env.sets.tower.kernels import place_among_tops
from carc_env.sets.tower.record import MAX_TOWERS


@at(tile_painted, shows(Plane.TOWER))
@kernel(void(State, i8, i8, uint8[::1]))
def paint_foundation(s, design, rotation, row):
    """Write whether the tile has a foundation."""
    row[s.rules.first_plane[Plane.TOWER]] = IS_TOWER[design]


@at(decision_marked, has(Stock.FLOOR))
@kernel(void(State, Shown, uint8[:, ::1]))
def mark_towers(s, show, board):
    """Write the heights of towers and the meeples on them, and which tower captures."""
    plane = s.rules.first_plane[Plane.TOWER]
    for k in range(s.n_towers):
        tower = s.towers[k]
        row = row_of(s, show, tower.tile)
        if tower.height > 0:
            mark(show, row, plane + 1, tower.height, board)
        if tower.figure != NO_FIGURE:
            seats_away = places_between(s, show.seat, tower.seat)
            place = s.rules.n_tops * seats_away + place_among_tops(tower.figure)
            mark(show, row, plane + 2, 1 + place, board)
        if k == s.tower:
            mark(show, row, plane + 3, 1, board)


@at(numbers_written, has(Stock.FLOOR))
@kernel(i8(State, i8, float32[::1]))
def write_prisoners(s, seat, out):
    """Write whether the ransom is paid, and each seat's prisoners from every other seat."""
    out[0], n = s.ransomed, 1
    if s.rules.bazaars > 0 and s.rules.owned[Figure.BUILDER] > 0:
        out[n] = s.bazaar.owed_ransomed
        n += 1
    for k in range(s.rules.n_players):
        captor = seat_at(s, seat, k)
        for j in range(1, s.rules.n_players):
            owner = seat_at(s, captor, j)
            for kind in range(N_MEEPLES):
                if s.rules.owned[kind] > 0:
                    out[n] = s.players[captor].prisoners[owner, kind] / s.rules.owned[kind]
                    n += 1
    return n


def most_on_tile(form):
    """Return how many planes a tile of this form can fill."""
    return int(IS_TOWER[form])


def most_marked(rules):
    """Return how many places can be marked under the given rules."""
    return rules.towers * (2 * MAX_TOWERS + len(("capturing",)))
