"""Entries in the learned value function for watchtowers: expected points on occupied features."""

import numpy as np

from carc_env.engine.compiler.jit import i8, kernel
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.state import MAX_FIGURES, State
from carc_env.search.tables import N_TIMES, Table, feature_surveyed, place_of
from carc_env.sets.watchtowers.kernels import is_watched, watched_value

MOST_OPEN, MOST_POINTS = 4, 6
"""Number of values for a feature's open ends and points; the last stands for all larger ones."""
CHANCE = (0.6, 0.45, 0.3, 0.2)
"""Likelihood of the points, by number of open ends, before learning."""
_whose = np.array([1.0, -1.0])[:, None, None, None]  # the seat's own, those of others
_time = np.arange(N_TIMES)[:, None, None] > 0

TABLES = (
    Table(
        "watchtower",
        (2, N_TIMES, MOST_OPEN, MOST_POINTS),
        most=MAX_FIGURES,
        start=_whose * _time * np.array(CHANCE)[:, None] * np.arange(1, MOST_POINTS + 1),
    ),
)
(WATCHTOWER,) = (table.first for table in TABLES)


@at(feature_surveyed, "watchtowers", place_of("watchtower"))
@kernel(i8(State, i8, i8, i8, i8[::1]))
def add_promised(s, feature, seat, spread, entries):
    """Write an entry for each seat with watchtower points from a feature; return how many.

    It encodes the present points and the number of open ends.
    """
    if not is_watched(s, feature):
        return 0
    time, n = spread % N_TIMES, 0
    n_open = min(s.features[feature].n_open, MOST_OPEN) - 1
    for other in range(s.rules.n_players):
        points = watched_value(s, feature, other)
        if points > 0 and n_open >= 0:
            index = ((other != seat) * N_TIMES + time) * MOST_OPEN + n_open
            entries[n] = WATCHTOWER[0] + index * MOST_POINTS + min(points, MOST_POINTS) - 1
            n += 1
    return n
