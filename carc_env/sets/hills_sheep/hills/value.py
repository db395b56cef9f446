"""Entries in the learned value function for hills and vineyards."""

from carc_env.engine.compiler.jit import i8, kernel
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.board import N_SIDES
from carc_env.engine.core.codes import Kind
from carc_env.engine.core.features import feature_of, shared_beside
from carc_env.engine.core.state import NO_SEGMENT, State
from carc_env.search.tables import (
    N_RELATIONS,
    N_TIMES,
    Table,
    also_shown,
    feature_surveyed,
    place_of,
)
from carc_env.sets.hills_sheep.hills.kernels import n_on_hills, n_vineyards

TABLES = (
    Table("hill", (N_RELATIONS, N_TIMES, 4, 3)),
    Table("vineyard", (N_RELATIONS, N_TIMES, 9, 3)),
)
HILL, VINEYARD = (table.first for table in TABLES)


@at(also_shown, "hills")
@kernel(i8(State, i8, i8[::1], i8))
def add_shared(s, cell, features, n):
    """Add to n features the second cities on neighbours' sides that face a cell (HS-40)."""
    for side in range(N_SIDES):
        segment = shared_beside(s, cell, side)
        if segment != NO_SEGMENT:
            features[n] = feature_of(s, segment)
            n += 1
    return n


@at(feature_surveyed, "hills", place_of("hill"))
@kernel(i8(State, i8, i8, i8, i8[::1]))
def add_hill(s, feature, seat, spread, entries):
    """Write the entry of an occupied feature for the figures on its hills; return how many."""
    own, rival = n_on_hills(s, feature, seat) > 0, False
    for other in range(s.rules.n_players):
        rival |= other != seat and n_on_hills(s, feature, other) > 0
    kind = s.features[feature].kind
    if not (own or rival) or kind > Kind.MONASTERY:
        return 0
    entries[0] = HILL[0] + (spread * 4 + kind - 1) * 3 + own + 2 * rival - 1
    return 1


@at(feature_surveyed, "vineyards", place_of("vineyard"))
@kernel(i8(State, i8, i8, i8, i8[::1]))
def add_vineyards(s, feature, seat, spread, entries):
    """Write the entry for an occupied monastery beside vineyards; return how many (HS-15)."""
    if s.features[feature].kind != Kind.MONASTERY:
        return 0
    n_near = n_vineyards(s, feature)
    if n_near == 0:
        return 0
    index = spread * 9 + s.features[feature].n_open
    entries[0] = VINEYARD[0] + index * 3 + min(n_near, 3) - 1
    return 1
