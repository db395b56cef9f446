"""Entries in the learned value function for the mage and the witch: on occupied features."""

from carc_env.engine.compiler.jit import i8, kernel
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.state import State
from carc_env.search.tables import N_RELATIONS, N_TIMES, Table, feature_surveyed, place_of
from carc_env.sets.mage_witch.kernels import is_on
from carc_env.sets.mage_witch.record import MAGE, N_MAGIC, WITCH

NEAR = 2
"""Number of open ends at which a feature counts as almost complete."""

TABLES = (Table("magic", (N_RELATIONS, N_TIMES, 2, N_MAGIC)),)
(MAGIC,) = (table.first for table in TABLES)


@at(feature_surveyed, "mage_witch", place_of("magic"))
@kernel(i8(State, i8, i8, i8, i8[::1]))
def add_magic(s, feature, seat, spread, entries):
    """Write the entry for a feature with the mage or the witch; return how many.

    The points already include their present effect: this entry is about the future.
    """
    for who in (MAGE, WITCH):
        if is_on(s, who, feature):
            is_near = s.features[feature].n_open <= NEAR
            entries[0] = MAGIC[0] + (spread * 2 + is_near) * N_MAGIC + who
            return 1
    return 0
