"""Moves: either a tile with the figure action that follows it, or any other single decision.

If a move chooses a cell, it includes the best that can happen there by one-ply value. Figure
actions that one-ply search leaves out, because their value hardly depends on where a tile lies, are
moves only after the best placement. The choice of a one-ply player is therefore among the moves.

Examining a game's moves requires a scratch record and the ``DECISIONS_ELSEWHERE`` records after it.
In an auction, it requires the ``ONE_PLY_SCRATCH`` records after the game.
"""

from carc_env.engine import entry
from carc_env.engine.compiler.jit import b1, entry_point, i8, kernel, void
from carc_env.engine.compiler.linking import linked
from carc_env.engine.compiler.memory import reals_for, room_for
from carc_env.engine.core.chance import meets_chance
from carc_env.engine.core.codes import Block, Phase
from carc_env.engine.core.copying import copy_in_use
from carc_env.engine.core.state import States
from carc_env.engine.flow.evaluation import EvaluatorType, f8
from carc_env.engine.flow.legal import MAX_FIGURE_ACTIONS, MAX_LEGAL
from carc_env.engine.flow.one_ply import (
    answer_before_figure,
    answer_circle,
    figures_left_out,
    figures_looked_at,
    goes_on_elsewhere,
    is_auction,
    value_behind,
)
from carc_env.sets.bazaars.kernels import n_for_sale

apply, legal = linked(entry.apply), linked(entry.legal)
choose, one_ply_values = linked(entry.choose), linked(entry.one_ply_values)
chance_value = linked(entry.chance_value)

NO_ACTION = -1
ACTION, FIGURE = range(2)
"""The parts of a move: the action, and the figure action after placing a tile, or ``NO_ACTION``."""
MAX_MOVES = MAX_LEGAL * MAX_FIGURE_ACTIONS
PLACEMENTS = 100
"""Approximate number of moves valued per tile on offer: every place, with every figure."""
WORST = -1e18


@kernel(void(States, i8, i8, i8, EvaluatorType))
def play(states, i, action, figure, evaluator):
    """Make a move in game i; the ``ONE_PLY_SCRATCH`` records after it are scratch."""
    apply(states, i, action)
    if figure != NO_ACTION:
        answer_before_figure(states, i, i, evaluator)
        apply(states, i, figure)
    actions = room_for(MAX_LEGAL)
    while goes_on_elsewhere(states[i]):
        apply(states, i, choose(states, i, states[i + 1 :], actions, evaluator))


@kernel(i8(States, i8, i8, i8, i8[::1], EvaluatorType))
def try_action(states, i, to, action, figures, evaluator):
    """Write game i after an action to another record, and the figure actions that can follow.

    Returns the number of figure actions if a tile was placed, and 0 after any other action.
    """
    copy_in_use(states[to], states[i])
    apply(states, to, action)
    answer_before_figure(states, i, to, evaluator)
    is_placed = states[to].phase == Phase.FIGURE and states[i].phase != Phase.FIGURE
    return figures_looked_at(states[to], figures) if is_placed else 0


@kernel(f8(States, i8, i8, i8, i8, EvaluatorType))
def value_of(states, i, here, to, action, evaluator):
    """Return an action's value to game i's decider, as part of a move, in game ``here``.

    The game after the action is written to ``to`` and concealed. Writing is skipped if
    :func:`try_action` has already written it from game i.
    """
    if meets_chance(states[here], action):
        return chance_value(states, here, to, action, evaluator)
    if here != i:
        copy_in_use(states[to], states[here])
        apply(states, to, action)
    answer_circle(states, i, to, evaluator)
    return value_behind(states, i, to, evaluator)


@entry_point(b1(States, i8))
def leaves_out(states, i):
    """Return whether one-ply search leaves out figure actions where game i's tile lies."""
    figures = room_for(MAX_FIGURE_ACTIONS)
    return states[i].phase == Phase.FIGURE and figures_left_out(states[i], figures) > 0


@kernel(i8(States, i8, i8, i8, i8[::1], EvaluatorType))
def try_elsewhere(states, i, to, placement, figures, evaluator):
    """Write game i after a placement to another record, with the actions that one ply leaves out.

    Returns the number of figure actions.
    """
    copy_in_use(states[to], states[i])
    apply(states, to, placement)
    answer_before_figure(states, i, to, evaluator)
    return figures_left_out(states[to], figures)


@kernel(i8(States, i8, i8, i8[:, ::1], f8[::1], EvaluatorType))
def value_moves(states, i, scratch, moves, values, evaluator):
    """Write all of game i's moves and their values to its decider; return how many."""
    actions, figures = room_for(MAX_LEGAL), room_for(MAX_FIGURE_ACTIONS)
    n = 0
    if is_auction(states[i]):
        n = one_ply_values(states, i, actions, values, evaluator)
        for k in range(n):
            moves[k, ACTION], moves[k, FIGURE] = actions[k], NO_ACTION
        return n
    for k in range(legal(states, i, actions)):
        n_figures = try_action(states, i, scratch, actions[k], figures, evaluator)
        if n_figures == 0:
            moves[n, ACTION], moves[n, FIGURE] = actions[k], NO_ACTION
            values[n] = value_of(states, i, i, scratch, actions[k], evaluator)
            n += 1
        for j in range(n_figures):
            moves[n, ACTION], moves[n, FIGURE] = actions[k], figures[j]
            values[n] = value_of(states, i, scratch, scratch + 1, figures[j], evaluator)
            n += 1
    best = values[:n].argmax()
    if moves[best, FIGURE] == NO_ACTION:
        return n
    for j in range(try_elsewhere(states, i, scratch, moves[best, ACTION], figures, evaluator)):
        moves[n, ACTION], moves[n, FIGURE] = moves[best, ACTION], figures[j]
        values[n] = value_of(states, i, scratch, scratch + 1, figures[j], evaluator)
        n += 1
    return n


@kernel(f8(States, i8, i8, i8, EvaluatorType))
def worth_without_figure(states, i, scratch, action, evaluator):
    """Return an action's value to game i's decider if no figure follows it."""
    figures = room_for(MAX_FIGURE_ACTIONS)
    n = try_action(states, i, scratch, action, figures, evaluator)
    if n == 0:
        return value_of(states, i, i, scratch, action, evaluator)
    figure, none = figures[0], states[i].rules.first_action[Block.PASS]
    for k in range(n):
        if figures[k] == none:
            figure = none
    return value_of(states, i, scratch, scratch + 1, figure, evaluator)


@kernel(void(States, i8, i8, i8[::1], i8, i8, EvaluatorType))
def put_best_first(states, i, scratch, actions, n, width, evaluator):
    """Put first the ``width`` of game i's n actions that are worth most without a figure."""
    worths = reals_for(MAX_LEGAL)
    for k in range(n):
        worths[k] = worth_without_figure(states, i, scratch, actions[k], evaluator)
    for k in range(width):
        best = k + worths[k:n].argmax()
        actions[k], actions[best] = actions[best], actions[k]
        worths[best] = worths[k]


@kernel(i8(States, i8, i8, i8[::1], i8, EvaluatorType))
def find_best_move(states, i, scratch, move, width, evaluator):
    """Write game i's best move by one-ply value; return the number of moves valued.

    Figures are tried only after the ``width`` placements that are worth most without one.
    """
    actions, figures = room_for(MAX_LEGAL), room_for(MAX_FIGURE_ACTIONS)
    best, n = WORST, 0
    if is_auction(states[i]):
        move[ACTION] = choose(states, i, states[i + 1 :], actions, evaluator)
        move[FIGURE] = NO_ACTION
        return PLACEMENTS * n_for_sale(states[i])
    n_legal = legal(states, i, actions)
    if states[i].phase == Phase.PLACE_TILE and n_legal > width:
        put_best_first(states, i, scratch, actions, n_legal, width, evaluator)
        n, n_legal = n_legal, width
    for k in range(n_legal):
        n_figures = try_action(states, i, scratch, actions[k], figures, evaluator)
        if n_figures == 0:
            found = value_of(states, i, i, scratch, actions[k], evaluator)
            n += 1
            if found > best:
                best, move[ACTION], move[FIGURE] = found, actions[k], NO_ACTION
        for j in range(n_figures):
            found = value_of(states, i, scratch, scratch + 1, figures[j], evaluator)
            n += 1
            if found > best:
                best, move[ACTION], move[FIGURE] = found, actions[k], figures[j]
    if move[FIGURE] == NO_ACTION:
        return n
    for j in range(try_elsewhere(states, i, scratch, move[ACTION], figures, evaluator)):
        found = value_of(states, i, scratch, scratch + 1, figures[j], evaluator)
        n += 1
        if found > best:
            best, move[FIGURE] = found, figures[j]
    return n
