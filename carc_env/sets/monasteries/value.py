"""Entries in the learned value function for lying meeples on special monasteries."""

from carc_env.engine.compiler.jit import i8, kernel
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.board import N_SIDES, STEP, tile_at
from carc_env.engine.core.codes import Kind
from carc_env.engine.core.features import cell_of
from carc_env.engine.core.state import NO_TILE, State
from carc_env.search.tables import N_RELATIONS, N_TIMES, Table, feature_surveyed, place_of

N_WORTH = 12
"""Number of point totals for lines; the last one stands for all larger ones."""

TABLES = (Table("lines", (N_RELATIONS, N_TIMES, N_WORTH, N_SIDES + 1)),)
LINES = TABLES[0].first


@at(feature_surveyed, "special_monasteries", place_of("lines"))
@kernel(i8(State, i8, i8, i8, i8[::1]))
def add_lines(s, feature, seat, spread, entries):
    """Write the entry for occupied lines: their points and number of arms; return how many.

    An arm that has begun grows with every tile at its end.
    """
    if s.features[feature].kind != Kind.LINES:
        return 0
    cell, points, n_arms = cell_of(s, feature), 1, 0
    for side in range(N_SIDES):
        near = cell + STEP[side]
        n_arms += tile_at(s, near) != NO_TILE
        while tile_at(s, near) != NO_TILE:
            points += 1
            near += STEP[side]
    worth = min(points, N_WORTH) - 1
    entries[0] = LINES[0] + (spread * N_WORTH + worth) * (N_SIDES + 1) + n_arms
    return 1
