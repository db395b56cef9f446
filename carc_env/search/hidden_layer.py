"""The tables of the learned value with a hidden layer beside the sum of their weights.

Every entry has, beside its weight, a row of some numbers. The rows of a state are added up and go
through a hidden layer, and what comes out is added to the sum of the weights: so it can tell apart
what a sum cannot, pairs of entries.
"""

import numpy as np

from carc_env.engine.compiler.jit import entry_point, i8, kernel, void
from carc_env.engine.compiler.memory import reals_for, room_for
from carc_env.engine.core.codes import MAX_PLAYERS
from carc_env.engine.flow.evaluation import EVALUATION, Weights, f8
from carc_env.search.features import MAX_ENTRIES, N_WEIGHTS, lead_as_paid, survey
from carc_env.search.learning import Leads, Numbers, Table

HIDDEN = 16
"""Width of the hidden layer."""
OUT = N_WEIGHTS * (1 + HIDDEN)
"""Behind the weights and the rows of all entries: what the units count for."""
N_PARAMETERS = OUT + HIDDEN
FIRST_SQUARE = 1_000.0
"""What AdaGrad has seen before it begins: no weight moves far at its first error."""


@kernel(f8(i8[::1], i8, Weights, f8[::1]))
def judged(entries, n, weights, units):
    """Return what weights and network make of the entries of a state; write what the units get."""
    for j in range(HIDDEN):
        units[j] = 0.0
    total = 0.0
    for k in range(n):
        total += weights[entries[k]]
        row = N_WEIGHTS + entries[k] * HIDDEN
        for j in range(HIDDEN):
            units[j] += weights[row + j]
    for j in range(HIDDEN):
        total += weights[OUT + j] * max(0.0, units[j])
    return total


@entry_point(EVALUATION)
def network(s, seat, weights):
    """Return the points by which a seat is expected to be ahead at the end."""
    entries, points = room_for(MAX_ENTRIES), room_for(MAX_PLAYERS)
    n = survey(s, seat, entries, points)
    return lead_as_paid(s, seat, points) + judged(entries, n, weights, reals_for(HIDDEN))


@kernel(void(Weights, Weights, i8, f8, f8))
def move(weights, squares, at, gradient, rate):
    """Take a step of AdaGrad with one parameter."""
    squares[at] += gradient * gradient
    if squares[at] > 0.0:
        weights[at] += rate * gradient / np.sqrt(squares[at])


@entry_point(f8(i8, Table, Numbers, Leads, Numbers, Leads, Weights, Weights, f8, f8))
def learn(n_steps, table, ends, leads, seats, final, weights, squares, rate, trace):
    """Move weights and network towards what came of a game, by AdaGrad; return the errors' sum."""
    total, entries, units = 0.0, room_for(MAX_ENTRIES), reals_for(HIDDEN)
    for seat in range(MAX_PLAYERS):
        target, following = float(final[seat]), float(final[seat])
        for t in range(n_steps - 1, -1, -1):
            if seats[t] != seat:
                continue
            n = ends[t]
            for k in range(n):
                entries[k] = table[t, k]
            found = leads[t] + judged(entries, n, weights, units)
            target = (1.0 - trace) * following + trace * target
            following, error = found, target - found
            total += error * error
            for j in range(HIDDEN):
                into, out = units[j], weights[OUT + j]
                if into > 0.0:
                    move(weights, squares, OUT + j, error * into, rate)
                    for k in range(n):
                        at = N_WEIGHTS + entries[k] * HIDDEN + j
                        move(weights, squares, at, error * out, rate)
            for k in range(n):
                move(weights, squares, entries[k], error, rate)
    return total
