"""One placement ahead: every tile placement together with every figure action after it.

What takes part is an evaluation: :mod:`carc_env.engine.flow.greedy` has that of the greedy player.
"""

from carc_env.engine.compiler.jit import i8, kernel, u8
from carc_env.engine.compiler.memory import room_for
from carc_env.engine.core.codes import Phase
from carc_env.engine.core.copying import copy_in_use
from carc_env.engine.core.state import State, States
from carc_env.engine.flow.evaluation import EvaluatorType, evaluate, f8
from carc_env.engine.flow.hidden import conceal, shuffle_hidden
from carc_env.engine.flow.legal import MAX_FIGURE_ACTIONS, legal_actions
from carc_env.engine.flow.turn import apply

ONE_PLY_SCRATCH = 3
"""Records that :func:`choose` needs: the game itself, a placement, a figure action."""
WORST = -1e18


@kernel(f8(States, i8, i8, EvaluatorType))
def figure_value(states, i, root, evaluator):
    """Return the value of the best figure action in game i; record i + 1 is scratch."""
    s, after = states[i], states[i + 1]
    best = WORST
    actions = room_for(MAX_FIGURE_ACTIONS)
    for k in range(legal_actions(s, actions)):
        copy_in_use(after, s)
        apply(after, actions[k])
        conceal(after, states[root])
        best = max(best, evaluate(evaluator.address, after, s.decider, evaluator.weights))
    return best


@kernel(f8(States, i8, i8, i8, EvaluatorType))
def value_of(states, i, scratch, action, evaluator):
    """Return what an action is worth to the decider of game i; two records are scratch.

    A placement is worth what the best figure action behind it is.
    """
    s, after = states[i], states[scratch]
    copy_in_use(after, s)
    apply(after, action)
    goes_on = after.phase == Phase.FIGURE and after.decider == s.decider
    if goes_on and s.phase != Phase.FIGURE:
        return figure_value(states, scratch, i, evaluator)
    conceal(after, s)
    return evaluate(evaluator.address, after, s.decider, evaluator.weights)


@kernel(i8(State, States, i8[::1], EvaluatorType))
def choose(s, scratch, actions, evaluator):
    """Return the action that an evaluation likes best, the first of equal ones.

    ``actions`` is room for the legal list, ``scratch`` holds ``ONE_PLY_SCRATCH`` records. The order
    of tiles that nobody can see makes no difference: they are put in another one first.
    """
    copy_in_use(scratch[0], s)
    shuffle_hidden(scratch[0], u8(0))
    chosen, best = -1, WORST
    for k in range(legal_actions(s, actions)):
        found = value_of(scratch, 0, 1, actions[k], evaluator)
        if found > best:
            chosen, best = actions[k], found
    return chosen
