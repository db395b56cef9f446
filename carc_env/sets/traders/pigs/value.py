"""Entries in the learned value function for the pig-herd."""

from carc_env.engine.compiler.jit import i8, kernel
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import Kind
from carc_env.engine.core.state import State
from carc_env.search.measures import cities_to_come
from carc_env.search.tables import N_RELATIONS, N_TIMES, Table, feature_surveyed, place_of
from carc_env.sets.traders.pigs.kernels import has_pig_herd

TABLES = (Table("pig_herd", (N_RELATIONS, N_TIMES, 4, 5), most=1),)
PIG_HERD = TABLES[0].first


@at(feature_surveyed, "pig_herd", place_of("pig_herd"))
@kernel(i8(State, i8, i8, i8, i8[::1]))
def add_pig_herd(s, feature, seat, spread, entries):
    """Write the entry for the pig-herd's field if it is occupied; return how many."""
    found = s.features[feature]
    if found.kind != Kind.FIELD or not has_pig_herd(s, feature):
        return 0
    index = spread * 4 + min(found.shields, 3)
    entries[0] = PIG_HERD[0] + index * 5 + cities_to_come(s, feature)
    return 1
