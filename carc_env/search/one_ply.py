"""One placement ahead: every tile placement together with every figure action after it."""

from carc_env.engine import entry
from carc_env.engine.compiler.jit import i8, kernel
from carc_env.engine.compiler.linking import linked
from carc_env.engine.compiler.memory import room_for
from carc_env.engine.core.codes import Phase
from carc_env.engine.core.state import States
from carc_env.engine.flow.legal import MAX_FIGURE_ACTIONS
from carc_env.search.copying import copy_in_use
from carc_env.search.evaluation import Weights, evaluate, f8
from carc_env.search.hidden import conceal

apply, legal = linked(entry.apply), linked(entry.legal)

ONE_PLY_SCRATCH = 2
"""Records behind the game that :func:`best_action` needs."""
WORST = -1e18


@kernel(f8(States, i8, i8, i8, Weights))
def figure_value(states, i, root, evaluation, weights):
    """Return the value of the best figure action in game i; record i + 1 is scratch."""
    seat = states[i].decider
    best = WORST
    actions = room_for(MAX_FIGURE_ACTIONS)
    for k in range(legal(states, i, actions)):
        copy_in_use(states[i + 1], states[i])
        apply(states, i + 1, actions[k])
        conceal(states[i + 1], states[root])
        best = max(best, evaluate(evaluation, states[i + 1], seat, weights))
    return best


@kernel(f8(States, i8, i8, i8, i8, Weights))
def value_of(states, i, scratch, action, evaluation, weights):
    """Return what an action is worth to the decider of game i; two records are scratch."""
    seat = states[i].decider
    copy_in_use(states[scratch], states[i])
    apply(states, scratch, action)
    after = states[scratch]
    if after.phase == Phase.FIGURE and after.decider == seat and states[i].phase != Phase.FIGURE:
        return figure_value(states, scratch, i, evaluation, weights)
    conceal(after, states[i])
    return evaluate(evaluation, after, seat, weights)


@kernel(i8(States, i8, i8, i8[::1], i8, i8, Weights))
def best_of(states, i, scratch, actions, n, evaluation, weights):
    """Return the best of n actions of game i, the first of equal ones."""
    chosen, best = -1, WORST
    for k in range(n):
        found = value_of(states, i, scratch, actions[k], evaluation, weights)
        if found > best:
            chosen, best = actions[k], found
    return chosen
