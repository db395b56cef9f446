"""Entries in the learned value function for ferries: occupied roads that depend on one."""

from carc_env.engine.compiler.jit import i8, kernel
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.board import N_SIDES
from carc_env.engine.core.codes import Kind
from carc_env.engine.core.features import feature_of
from carc_env.engine.core.state import NO_SEGMENT, State
from carc_env.search.tables import (
    N_RELATIONS,
    N_TIMES,
    Table,
    feature_surveyed,
    place_of,
)
from carc_env.sets.ferries.kernels import arm_at, ferry_end
from carc_env.sets.ferries.record import NO_FERRY

MANY = 2
"""Highest number of ferries or ends that is distinguished."""

TABLES = (Table("ferry", (N_RELATIONS, N_TIMES, MANY + 1, MANY + 1)),)
FERRY = TABLES[0].first


@at(feature_surveyed, "ferries", place_of("ferry"))
@kernel(i8(State, i8, i8, i8, i8[::1]))
def add_ferries(s, feature, seat, spread, entries):
    """Write the entry for a road with lakes; return how many.

    It encodes how many ferries the road uses, and how often it ends at a lake.
    """
    if s.features[feature].kind != Kind.ROAD:
        return 0
    n_ferries, n_ends = 0, 0
    for lake in range(s.n_lakes):
        has_ferry = s.lakes[lake].pair != NO_FERRY
        is_over = has_ferry and feature_of(s, ferry_end(s, lake, 0)) == feature
        n_ferries += is_over
        for side in range(N_SIDES):
            arm = arm_at(s, lake, side)
            n_ends += arm != NO_SEGMENT and feature_of(s, arm) == feature
        n_ends -= 2 * is_over
    if n_ferries + n_ends == 0:
        return 0
    index = (spread * (MANY + 1) + min(n_ferries, MANY)) * (MANY + 1) + min(n_ends, MANY)
    entries[0] = FERRY[0] + index
    return 1
