"""Entries in the learned value function for flocks."""

import numpy as np

from carc_env.engine.compiler.jit import i8, kernel
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import MAX_PLAYERS, Figure
from carc_env.engine.core.moments import owns
from carc_env.engine.core.state import NO_SEGMENT, State
from carc_env.search.tables import N_TIMES, Table, game_surveyed, place_of
from carc_env.sets.hills_sheep.shepherd.kernels import flock_points, n_open_halves, pasture_of

N_FLOCKS = 12
"""Number of flock sizes, starting with no sheep; the last one stands for all larger ones."""
N_ROOMS = 5
"""Number of levels of room to grow in a flock's field."""
SHEEP_PRICE = 0.8
"""Points that a sheep in a flock is worth initially, before learning."""
_price = SHEEP_PRICE * np.arange(N_FLOCKS)
_start = np.where(np.arange(N_TIMES)[:, None] > 0, [[_price], [-_price]], 0.0)

TABLES = (
    Table("flock", (2, N_TIMES, N_FLOCKS), most=MAX_PLAYERS, start=_start),
    Table("pasture", (2, N_TIMES, N_ROOMS, 4), most=MAX_PLAYERS),
)
FLOCK, PASTURE = (table.first for table in TABLES)


@kernel(i8(State, i8))
def room_to_grow(s, field):
    """Return the level of open half sides around a field: 0, 1 to 2, 3 to 5, 6 to 9, more."""
    n, segment = 0, field
    while n < 10:
        n += n_open_halves(s, segment)
        segment = s.segments[segment].next
        if segment == field:
            break
    return (n > 0) + (n > 2) + (n > 5) + (n > 9)


@at(game_surveyed, owns(Figure.SHEPHERD), place_of("flock"))
@kernel(i8(State, i8, i8, i8[::1]))
def add_flocks(s, seat, time, entries):
    """Write the entries for flocks: how many sheep each owner could herd now, and room to grow."""
    n = 0
    for other in range(s.rules.n_players):
        index, points = (other != seat) * N_TIMES + time, flock_points(s, other)
        entries[n] = FLOCK[0] + index * N_FLOCKS + min(points, N_FLOCKS - 1)
        n += 1
        field = pasture_of(s, other)
        if field != NO_SEGMENT:
            index = index * N_ROOMS + room_to_grow(s, field)
            entries[n] = PASTURE[0] + index * 4 + min(points // 3, 3)
            n += 1
    return n
