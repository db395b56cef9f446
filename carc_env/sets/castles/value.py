"""Entries in the learned value function for castles."""

from carc_env.engine.compiler.jit import i8, kernel
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import Kind, Stock
from carc_env.engine.core.moments import has
from carc_env.engine.core.state import State
from carc_env.search.tables import N_RELATIONS, N_TIMES, Table, feature_surveyed, place_of
from carc_env.sets.castles.record import MAX_CASTLES

TABLES = (Table("castle", (N_RELATIONS, N_TIMES), most=MAX_CASTLES),)
CASTLE = TABLES[0].first


@at(feature_surveyed, has(Stock.TOKEN), place_of("castle"))
@kernel(i8(State, i8, i8, i8, i8[::1]))
def add_castle(s, feature, seat, spread, entries):
    """Write a castle's entry; return how many entries were written."""
    if s.features[feature].kind != Kind.CASTLE:
        return 0
    entries[0] = CASTLE[0] + spread
    return 1
