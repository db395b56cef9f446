"""Entries in the learned value function for Darmstadt: who leads around a church."""

from carc_env.engine.compiler.jit import i8, kernel
from carc_env.engine.compiler.memory import room_for
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import MAX_PLAYERS, Kind
from carc_env.engine.core.elsewhere import count_around
from carc_env.engine.core.features import is_complete
from carc_env.engine.core.sizes import n_with
from carc_env.engine.core.state import State
from carc_env.engine.core.tiles import CENTRE, IS_CHURCH
from carc_env.search.tables import (
    N_RELATIONS,
    N_TIMES,
    Table,
    feature_surveyed,
    game_surveyed,
    place_of,
)
from carc_env.sets.darmstadt.kernels import has_darmstadtium

NOBODY, BEHIND, TIED, AHEAD = range(4)
"""A seat's standing around a church."""
N_STANDS = len((NOBODY, BEHIND, TIED, AHEAD))
MOST_OPEN = 4
"""Highest number of a church's empty cells or a city's open sides that is distinguished."""

TABLES = (
    Table("church", (N_TIMES, N_STANDS, MOST_OPEN + 1), most=n_with("church")),
    Table("darmstadtium", (N_RELATIONS, N_TIMES, MOST_OPEN + 1)),
)
CHURCH, DARMSTADTIUM = (table.first for table in TABLES)


@kernel(i8(State, i8, i8))
def stand_of(s, cell, seat):
    """Return a seat's standing around a church on a cell."""
    counts, rival = room_for(MAX_PLAYERS), 0
    count_around(s, cell, counts)
    for other in range(s.rules.n_players):
        if other != seat:
            rival = max(rival, counts[other])
    if counts[seat] == rival:
        return NOBODY if rival == 0 else TIED
    return AHEAD if counts[seat] > rival else BEHIND


@at(game_surveyed, "darmstadt", place_of("church"))
@kernel(i8(State, i8, i8, i8[::1]))
def add_churches(s, seat, time, entries):
    """Write an entry for each church that is still open; return how many."""
    n = 0
    for k in range(s.n_tiles):
        tile = s.tiles[k]
        if not IS_CHURCH[tile.design]:
            continue
        church = tile.first_segment + CENTRE[tile.design]
        if not is_complete(s, church):
            index = time * N_STANDS + stand_of(s, tile.cell, seat)
            n_open = min(s.features[church].n_open, MOST_OPEN)
            entries[n] = CHURCH[0] + index * (MOST_OPEN + 1) + n_open
            n += 1
    return n


@at(feature_surveyed, "darmstadt", place_of("darmstadtium"))
@kernel(i8(State, i8, i8, i8, i8[::1]))
def add_darmstadtium(s, feature, seat, spread, entries):
    """Write the entry for an open city with the Darmstadtium; return how many."""
    found = s.features[feature]
    if found.kind != Kind.CITY or not has_darmstadtium(s, feature):
        return 0
    entries[0] = DARMSTADTIUM[0] + spread * (MOST_OPEN + 1) + min(found.n_open, MOST_OPEN)
    return 1
