"""Entries in the learned value function for challenges."""

from carc_env.engine.compiler.jit import i8, kernel
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.board import N_NEIGHBOURS, neighbour
from carc_env.engine.core.codes import Kind
from carc_env.engine.core.features import cell_of, centre_at
from carc_env.engine.core.rivals import building_at, rival_of
from carc_env.engine.core.state import NO_FIGURE, State
from carc_env.search.tables import N_RELATIONS, N_TIMES, Table, feature_surveyed, place_of

FREE_BUILDING, NEARER, AS_NEAR, FARTHER = range(4)
"""State of a building's rival: unoccupied, or nearer, as near or farther from completion."""

TABLES = (Table("challenge", (N_RELATIONS, N_TIMES, 9, 4)),)
CHALLENGE = TABLES[0].first


@at(feature_surveyed, "rivals", place_of("challenge"))
@kernel(i8(State, i8, i8, i8, i8[::1]))
def add_challenge(s, feature, seat, spread, entries):
    """Write the entry for an occupied building beside a rival; return how many (CULT-06)."""
    if s.features[feature].kind != Kind.MONASTERY:
        return 0
    cell, n_open = cell_of(s, feature), s.features[feature].n_open
    rival = rival_of(building_at(s, cell))
    for i in range(N_NEIGHBOURS):
        near = neighbour(cell, i)
        if building_at(s, near) == rival:
            other = s.features[centre_at(s, near)]
            if other.n_open == 0:
                return 0
            state = FREE_BUILDING
            if other.figure != NO_FIGURE:
                state = NEARER + (other.n_open >= n_open) + (other.n_open > n_open)
            entries[0] = CHALLENGE[0] + (spread * 9 + n_open) * 4 + state
            return 1
    return 0
