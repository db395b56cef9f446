"""Learning the weights of the value from games in self-play or against other players.

Temporal differences over afterstates: a seat's value after a decision moves toward its value after
its next decision, and its last value moves toward the final result.
"""

import numba

from carc_env.engine import entry
from carc_env.engine.compiler.jit import entry_point, i8, kernel, u8
from carc_env.engine.compiler.linking import linked
from carc_env.engine.compiler.memory import room_for
from carc_env.engine.core.codes import MAX_PLAYERS, Phase
from carc_env.engine.core.copying import copy_in_use
from carc_env.engine.core.state import State, States, Template
from carc_env.engine.flow.evaluation import EvaluatorType, Weights, f8
from carc_env.engine.flow.hidden import conceal
from carc_env.engine.flow.legal import MAX_LEGAL
from carc_env.engine.flow.one_ply import ONE_PLY_SCRATCH
from carc_env.search.features import MAX_ENTRIES, lead_as_paid, survey
from carc_env.search.insight import survey as survey_with_insight

f4, i4 = numba.float32, numba.int32
Numbers = numba.types.Array(i4, 1, "C", readonly=True)
Table = numba.types.Array(i4, 2, "C", readonly=True)
Leads = numba.types.Array(f4, 1, "C", readonly=True)
"""Arrays that are only read, because those from other machines are read-only."""
begin, settle, step = linked(entry.begin), linked(entry.settle_game), linked(entry.step)
apply, choose = linked(entry.apply), linked(entry.choose)

MAX_STEPS = 1024
"""Most decisions in a game that are recorded; later ones are played, but not learned from."""
GAME_SCRATCH = 1 + ONE_PLY_SCRATCH
"""Number of records that :func:`play_game` needs."""


@kernel(f8(State, i8, i8[::1]))
def final_lead(s, seat, points):
    """Return a seat's final lead in points; ``points`` is scratch."""
    for other in range(s.rules.n_players):
        points[other] = s.players[other].score
    return lead_as_paid(s, seat, points)


@entry_point(
    i8(
        *(States, Template, u8, EvaluatorType, i8, EvaluatorType, i8),
        *(i4[:, ::1], i4[::1], f4[::1], i4[::1], f4[::1]),
    )
)
def play_game(
    states,
    template,
    seed,
    evaluator,
    insight,
    rival,
    rival_seats,
    entries,
    ends,
    leads,
    seats,
    final,
):
    """Play a game and write the afterstate of each decision; return the number of decisions.

    All seats play by ``evaluator``, except the seats whose bits are in ``rival_seats``, which play
    by ``rival`` and are not recorded.

    Step t of the seat ``seats[t]`` led to a state with the entries ``entries[t, : ends[t]]``, in
    which the seat was ahead by ``leads[t]`` points; ``final`` gets every seat's lead at the end. A
    placement and the figure action that follows it are one step. A ransom before that action is a
    separate step, as it is judged separately. With ``insight``, the entries are those of the value
    with insight. ``states`` must hold ``GAME_SCRATCH`` records.
    """
    begin(states, 0, template, seed)
    s, after = states[0], states[1]
    actions = room_for(MAX_LEGAL)
    found, points = room_for(MAX_ENTRIES), room_for(MAX_PLAYERS)
    n_steps = 0
    n = settle(states, 0, actions)
    while n > 0:
        seat = s.decider
        is_own = rival_seats >> seat & 1 == 0
        action = actions[0]
        if n > 1:
            action = choose(states, 0, states[1:], actions, evaluator if is_own else rival)
        copy_in_use(after, s)
        apply(states, 1, action)
        is_placement = s.phase == Phase.PLACE_TILE
        goes_on = is_placement and after.phase == Phase.FIGURE and after.decider == seat
        if is_own and not goes_on and n_steps < MAX_STEPS:
            conceal(after, s)
            if insight:
                ends[n_steps] = survey_with_insight(after, seat, found, points)
            else:
                ends[n_steps] = survey(after, seat, found, points)
            for k in range(ends[n_steps]):
                entries[n_steps, k] = found[k]
            leads[n_steps], seats[n_steps] = lead_as_paid(after, seat, points), seat
            n_steps += 1
        n = step(states, 0, action, actions)
    for seat in range(s.rules.n_players):
        final[seat] = final_lead(s, seat, points)
    return n_steps


@entry_point(f8(i8, Table, Numbers, Leads, Numbers, Leads, Weights, Weights, Weights, f8, f8))
def learn(n_steps, entries, ends, leads, seats, final, weights, sums, sizes, rate, trace):
    """Move the weights of a game's entries toward its outcome; return the sum of the errors.

    Going backwards through the game, each value moves toward a mixture of the same seat's next
    value and that value's own target; ``trace`` is the weight of the latter. Each entry has its own
    rate: the absolute sum of its errors relative to the sum of their sizes, kept in ``sums`` and
    ``sizes`` (temporal coherence).
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
            for k in range(n):
                entry = entries[t, k]
                own = abs(sums[entry]) / sizes[entry] if sizes[entry] > 0.0 else 1.0
                weights[entry] += own * rate * error / n
                sums[entry] += error
                sizes[entry] += abs(error)
    return total
