"""Entries in the learned value function for labyrinths on occupied roads."""

from carc_env.engine.compiler.jit import i8, kernel
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import Kind
from carc_env.engine.core.state import State
from carc_env.search.tables import N_RELATIONS, N_TIMES, Table, feature_surveyed, place_of
from carc_env.sets.labyrinth.kernels import maze_of, n_meeples
from carc_env.sets.labyrinth.record import MAX_MAZES

MOST_MEEPLES, MOST_OPEN = 4, 5

TABLES = (Table("labyrinth", (N_RELATIONS, N_TIMES, MOST_MEEPLES, MOST_OPEN)),)
(LABYRINTH,) = (table.first for table in TABLES)


@at(feature_surveyed, "labyrinth", place_of("labyrinth"))
@kernel(i8(State, i8, i8, i8, i8[::1]))
def add_labyrinth(s, feature, seat, spread, entries):
    """Write the entry for a road with a maze: how many meeples stand on it, and its open ends."""
    found = s.features[feature]
    if found.kind != Kind.ROAD or maze_of(s, feature) == MAX_MAZES:
        return 0
    index = spread * MOST_MEEPLES + min(n_meeples(s, feature), MOST_MEEPLES) - 1
    entries[0] = LABYRINTH[0] + index * MOST_OPEN + min(found.n_open, MOST_OPEN - 1)
    return 1
