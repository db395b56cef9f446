"""The learned value of a state for a seat: its lead plus a weight for each item in play."""

from carc_env.engine.compiler.jit import entry_point, i8, kernel
from carc_env.engine.compiler.memory import room_for
from carc_env.engine.core.codes import MAX_PLAYERS
from carc_env.engine.flow.evaluation import EVALUATION, Weights, f8
from carc_env.search.features import MAX_ENTRIES, lead_as_paid, survey


@kernel(f8(i8[::1], i8, Weights))
def sum_of(entries, n, weights):
    """Return the sum of n entries' weights."""
    total = 0.0
    for k in range(n):
        total += weights[entries[k]]
    return total


@entry_point(EVALUATION)
def value(s, seat, weights):
    """Return the points by which a seat is expected to be ahead at the end."""
    entries, points = room_for(MAX_ENTRIES), room_for(MAX_PLAYERS)
    n = survey(s, seat, entries, points)
    return lead_as_paid(s, seat, points) + sum_of(entries, n, weights)
