"""Entries in the learned value function for sieges."""

from carc_env.engine.compiler.jit import i8, kernel
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import Kind
from carc_env.engine.core.state import State
from carc_env.search.tables import N_RELATIONS, N_TIMES, Table, feature_surveyed, place_of
from carc_env.sets.siege.kernels import has_way_out, is_besieged, n_besieged

MOST_TILES, MOST_OPEN, MOST_BESIEGED = 6, 4, 3

TABLES = (
    Table("siege", (N_RELATIONS, N_TIMES, 2, MOST_TILES, MOST_OPEN)),
    Table("besieged_beside", (N_RELATIONS, N_TIMES, MOST_BESIEGED)),
)
SIEGE, BESIDE = (table.first for table in TABLES)


@at(feature_surveyed, "siege", place_of("siege"))
@kernel(i8(State, i8, i8, i8, i8[::1]))
def add_siege(s, feature, seat, spread, entries):
    """Write the entry for a besieged city, or for a field beside one; return how many.

    For a city, it encodes whether there is an escape route, its size and its open sides.
    """
    found = s.features[feature]
    if found.kind == Kind.CITY and is_besieged(s, feature):
        index = (spread * 2 + has_way_out(s, feature)) * MOST_TILES
        index = (index + min(found.n_tiles, MOST_TILES) - 1) * MOST_OPEN
        entries[0] = SIEGE[0] + index + min(found.n_open, MOST_OPEN - 1)
        return 1
    n = n_besieged(s, feature) if found.kind == Kind.FIELD else 0
    if n == 0:
        return 0
    entries[0] = BESIDE[0] + spread * MOST_BESIEGED + min(n, MOST_BESIEGED) - 1
    return 1
