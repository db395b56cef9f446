"""Learning the weights of the value from games that it plays against itself."""

import numba

from carc_env.engine import entry
from carc_env.engine.compiler.jit import entry_point, i8, kernel, u8, void
from carc_env.engine.compiler.linking import linked
from carc_env.engine.compiler.memory import room_for
from carc_env.engine.core.codes import MAX_PLAYERS, Phase
from carc_env.engine.core.state import States, Template
from carc_env.engine.flow.legal import MAX_LEGAL
from carc_env.search.copying import copy_in_use
from carc_env.search.evaluation import Weights, f8
from carc_env.search.features import MAX_ENTRIES, lead_of, survey
from carc_env.search.hidden import conceal
from carc_env.search.one_ply import best_of
from carc_env.search.value import sum_of

f4, i4 = numba.float32, numba.int32
begin, settle, step = linked(entry.begin), linked(entry.settle_game), linked(entry.step)
apply = linked(entry.apply)

MAX_STEPS = 600
"""Room for the decisions of a game that are learned from."""


@entry_point(i8(States, Template, u8, i8, Weights, i4[:, ::1], i4[::1], f4[::1], i4[::1], f4[::1]))
def play_game(states, template, seed, evaluation, weights, entries, ends, leads, seats, final):
    """Play a game against oneself and write what was seen after each decision.

    Returns the number of decisions written; ``final`` gets the lead of every seat at the end.
    """
    begin(states, 0, template, seed)
    actions = room_for(MAX_LEGAL)
    found, points = room_for(MAX_ENTRIES), room_for(MAX_PLAYERS)
    n_steps = 0
    n = settle(states, 0, actions)
    while n > 0:
        seat = states[0].decider
        if n == 1:
            action = actions[0]
        else:
            action = best_of(states, 0, 1, actions, n, evaluation, weights)
        copy_in_use(states[1], states[0])
        apply(states, 1, action)
        after = states[1]
        goes_on = after.phase == Phase.FIGURE and after.decider == seat
        if not goes_on and n_steps < MAX_STEPS:
            conceal(after, states[0])
            n_found = survey(after, seat, found, points)
            for k in range(n_found):
                entries[n_steps, k] = found[k]
            ends[n_steps], seats[n_steps] = n_found, seat
            leads[n_steps] = lead_of(after, seat, points)
            n_steps += 1
        n = step(states, 0, action, actions)
    for seat in range(states[0].rules.n_players):
        for k in range(states[0].rules.n_players):
            points[k] = states[0].players[k].score
        final[seat] = lead_of(states[0], seat, points)
    return n_steps


@entry_point(
    f8(i8, i4[:, ::1], i4[::1], f4[::1], i4[::1], f4[::1], Weights, Weights, Weights, f8, f8)
)
def learn(n_steps, entries, ends, leads, seats, final, weights, sums, sizes, rate, trace):
    """Move the weights of a game's entries towards what came of it; return the sum of the errors.

    Backwards through the game, each value moves towards a mixture of the next value of the same
    seat and what that one moved towards, ``trace`` being the share of the latter. Each entry has a
    rate of its own: the sum of its errors as a share of the sum of their sizes.
    """
    total = 0.0
    for seat in range(MAX_PLAYERS):
        target, following = float(final[seat]), float(final[seat])
        for t in range(n_steps - 1, -1, -1):
            if seats[t] != seat:
                continue
            n = ends[t]
            found = float(leads[t])
            for k in range(n):
                found += weights[entries[t, k]]
            target = (1.0 - trace) * following + trace * target
            following = found
            error = target - found
            total += error * error
            share = rate * error / n
            for k in range(n):
                entry = entries[t, k]
                size = sizes[entry]
                own = abs(sums[entry]) / size if size > 0.0 else 1.0
                weights[entry] += own * share
                sums[entry] += error
                sizes[entry] = size + abs(error)
    return total
