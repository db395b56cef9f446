"""One placement ahead: every tile placement together with every figure action after it.

A tile up for auction is valued as if it were placed at once.

The evaluation is a parameter: :mod:`carc_env.engine.flow.greedy` has that of the greedy player.
"""

from carc_env.engine.compiler.jit import b1, i8, kernel, u8, void
from carc_env.engine.compiler.memory import reals_for, room_for
from carc_env.engine.core.board import cell_of_place
from carc_env.engine.core.chance import chances_among, meets_chance
from carc_env.engine.core.codes import (
    AFTER_FIGURE,
    BEFORE_FIGURE,
    GOES_ON,
    MAX_PLAYERS,
    N_OUTCOMES,
    Block,
    Phase,
)
from carc_env.engine.core.copying import copy_in_use
from carc_env.engine.core.elsewhere import chooses_cell, tower_at
from carc_env.engine.core.moments import leads_like_another, outcomes_of
from carc_env.engine.core.state import NO_SEAT, State, States
from carc_env.engine.flow.evaluation import EvaluatorType, evaluate, f8
from carc_env.engine.flow.hidden import conceal, shuffle_hidden
from carc_env.engine.flow.legal import MAX_FIGURE_ACTIONS, MAX_LEGAL, legal_actions
from carc_env.engine.flow.rounds import forget_part
from carc_env.engine.flow.turn import apply
from carc_env.sets.bazaars.kernels import forget_sale, is_for_sale, take_in_hand
from carc_env.sets.princess_dragon.portal.kernels import is_at_portal
from carc_env.sets.princess_dragon.princess.kernels import must_remove

ONE_PLY_SCRATCH = 10
"""Records that :func:`choose` needs: the game, with a lot in hand, a placement, a figure action,
what happens on a chosen cell, for a tower, a cell in its range and who is captured there, a ferry,
and then the tile and the feature to which the mage or the witch goes."""
DECISIONS_ELSEWHERE = 5
"""Decisions after the choice of a cell: a floor, a cell in range, who is captured, an exchange, and
finally a ferry."""
QUESTIONS_BEFORE_FIGURE = 3
"""Most questions: where an ingot goes, then the mage's or the witch's tile and feature."""
WORST = -1e18


@kernel(void(State))
def leave_out_what_follows(s):
    """Skip what follows the figure action: its value counts when it is due."""
    while s.phase in AFTER_FIGURE:
        apply(s, s.rules.first_action[Block.PASS])


@kernel(b1(State))
def goes_on_elsewhere(s):
    """Tell whether the decider is asked how an action continues: on another tile, or the count."""
    return s.phase in GOES_ON


@kernel(f8(States, i8, i8, EvaluatorType))
def value_without_figure(states, root, i, evaluator):
    """Return the value of game i, without a figure, to the decider of the game before it.

    Questions before a figure get the best answer; as many records after game i are scratch.
    """
    s, after, seat = states[i], states[i + 1], states[root].decider
    if s.phase not in BEFORE_FIGURE:
        if s.phase == Phase.FIGURE:
            apply(s, s.rules.first_action[Block.PASS])
        leave_out_what_follows(s)
        conceal(s, states[root])
        return evaluate(evaluator.address, s, seat, evaluator.weights)
    best, actions = WORST, room_for(MAX_FIGURE_ACTIONS)
    for k in range(legal_actions(s, actions)):
        if leads_like_another(s, actions[k]) == 0:
            copy_in_use(after, s)
            apply(after, actions[k])
            best = max(best, value_without_figure(states, root, i + 1, evaluator))
    return best


@kernel(void(States, i8, i8, EvaluatorType))
def answer_before_figure(states, root, i, evaluator):
    """Answer the questions in game i between a tile and the figure action, if any (GOL-02).

    The answers are best for the decider of the game that it comes from if no figure follows; up to
    ``QUESTIONS_BEFORE_FIGURE`` records after game i are scratch.
    """
    s, after, actions = states[i], states[i + 1], room_for(MAX_FIGURE_ACTIONS)
    while s.phase in BEFORE_FIGURE:
        best, chosen = WORST, 0
        for k in range(legal_actions(s, actions)):
            if leads_like_another(s, actions[k]) > 0:
                continue
            copy_in_use(after, s)
            apply(after, actions[k])
            found = value_without_figure(states, root, i + 1, evaluator)
            if found > best:
                best, chosen = found, k
        apply(s, actions[chosen])


@kernel(f8(States, i8, i8, EvaluatorType))
def value_behind(states, root, i, evaluator):
    """Return the value of game i, concealed, to the decider of the game that it comes from.

    If they have chosen a cell, that is the value of the best that can happen there, captures and
    exchanges included, and with a new lake that of the best ferry; up to ``DECISIONS_ELSEWHERE``
    records after it are scratch.
    """
    s, after, seat = states[i], states[i + 1], states[root].decider
    answer_before_figure(states, root, i, evaluator)
    leave_out_what_follows(s)
    if not goes_on_elsewhere(s):
        conceal(s, states[root])
        return evaluate(evaluator.address, s, seat, evaluator.weights)
    best, actions = WORST, room_for(MAX_FIGURE_ACTIONS)
    for k in range(legal_actions(s, actions)):
        copy_in_use(after, s)
        apply(after, actions[k])
        best = max(best, value_behind(states, root, i + 1, evaluator))
    return best


@kernel(void(States, i8, i8, EvaluatorType))
def answer_circle(states, root, i, evaluator):
    """Let all answer in game i if the decider of the one that it comes from chose what (CRN-05).

    Everybody does what is best for them; the records after game i are scratch.
    """
    s, after, actions = states[i], states[i + 1], room_for(MAX_FIGURE_ACTIONS)
    if states[root].phase != Phase.CIRCLE:
        return
    while Phase.SOW <= s.phase <= Phase.REAP_SPOT:
        best, chosen = WORST, 0
        for k in range(legal_actions(s, actions)):
            copy_in_use(after, s)
            apply(after, actions[k])
            found = value_behind(states, i, i + 1, evaluator)
            if found > best:
                best, chosen = found, k
        apply(s, actions[chosen])


@kernel(f8(States, i8, i8, i8, EvaluatorType))
def chance_value(states, i, to, action, evaluator):
    """Return the value of an action that depends on chance to the decider of game i.

    It is the mean over all outcomes (HS-44), each with the best that can follow it (FLY-06); record
    ``to`` and the records of later questions are scratch.
    """
    s, after = states[i], states[to]
    possible, total, n_all = outcomes_of(s, action), 0.0, 0
    for outcome in range(N_OUTCOMES):
        n = chances_among(s, possible, outcome)
        if n > 0:
            copy_in_use(after, s)
            after.next_token = outcome
            apply(after, action)
            total += n * value_behind(states, i, to, evaluator)
            n_all += n
    return total / n_all


@kernel(b1(State, i8))
def is_looked_at_later(s, action):
    """Tell whether the value of a figure action hardly depends on where the tile lies.

    The targets of portals and the captures of towers are valued once the tile lies: there are too
    many of them for every place. If a knight must leave, nothing else can be valued before.
    """
    if not chooses_cell(s, action) or must_remove(s):
        return False
    return is_at_portal(s) or (s.n_towers > 0 and tower_at(s, cell_of_place(s, action)) >= 0)


@kernel(i8(State, b1, i8[::1]))
def figures_of(s, are_later, actions):
    """Write the figure actions that are valued later, or all others; return how many.

    If several actions lead to much the same, the first one stands for all.
    """
    n = legal_actions(s, actions)
    n_kept = 0
    for k in range(n):
        actions[n_kept] = actions[k]
        is_kept = is_looked_at_later(s, actions[k]) == are_later
        n_kept += is_kept and leads_like_another(s, actions[k]) == 0
    return n_kept


@kernel(i8(State, i8[::1]))
def figures_looked_at(s, actions):
    """Write the figure actions that count for the value of a placement; return how many."""
    return figures_of(s, False, actions)


@kernel(i8(State, i8[::1]))
def figures_left_out(s, actions):
    """Write the figure actions that do not count for the value of a placement; return how many."""
    return figures_of(s, True, actions)


@kernel(f8(States, i8, i8, EvaluatorType))
def figure_value(states, i, root, evaluator):
    """Return the value of the best figure action in game i; four records after it are scratch."""
    s, after = states[i], states[i + 1]
    best = WORST
    actions = room_for(MAX_FIGURE_ACTIONS)
    for k in range(figures_looked_at(s, actions)):
        if meets_chance(s, actions[k]):
            best = max(best, chance_value(states, i, i + 1, actions[k], evaluator))
            continue
        copy_in_use(after, s)
        apply(after, actions[k])
        best = max(best, value_behind(states, root, i + 1, evaluator))
    return best


@kernel(f8(States, i8, i8, i8, EvaluatorType))
def value_of(states, i, scratch, action, evaluator):
    """Return the value of an action to the decider of game i; five records are scratch.

    A placement is worth as much as the best figure action that follows it.
    """
    s, after = states[i], states[scratch]
    if meets_chance(s, action):
        return chance_value(states, i, scratch, action, evaluator)
    copy_in_use(after, s)
    apply(after, action)
    answer_before_figure(states, i, scratch, evaluator)
    goes_on = after.phase == Phase.FIGURE and after.decider == s.decider
    if goes_on and s.phase != Phase.FIGURE:
        return figure_value(states, scratch, i, evaluator)
    answer_circle(states, i, scratch, evaluator)
    return value_behind(states, i, scratch, evaluator)


# Auctions: a tile is worth what it would be if it were placed at once.


@kernel(b1(State))
def is_auction(s):
    """Tell whether the question is about a tile of a bazaar."""
    return (
        s.phase == Phase.BAZAAR_PICK or s.phase == Phase.BAZAAR_BID or s.phase == Phase.BAZAAR_DEAL
    )


@kernel(void(State, i8))
def imagine_lot(s, lot):
    """Give the decider a tile on offer, to place it as in a turn of their own."""
    forget_part(s)
    forget_sale(s)
    take_in_hand(s, lot)
    s.bazaar.starter, s.bazaar.n_delayed = NO_SEAT, 0
    s.turn_player, s.phase = s.decider, Phase.PLACE_TILE


@kernel(f8(States, i8, i8, EvaluatorType))
def best_placement(states, i, scratch, evaluator):
    """Return the value of the best placement in game i; of the game as it is, if there is none."""
    s, actions = states[i], room_for(MAX_LEGAL)
    n = legal_actions(s, actions)
    if n == 0:
        return evaluate(evaluator.address, s, s.decider, evaluator.weights)
    best = WORST
    for k in range(n):
        best = max(best, value_of(states, i, scratch, actions[k], evaluator))
    return best


@kernel(f8(State, i8, f8[::1]))
def mean_of_others(s, lot, worths):
    """Return the mean value of the other tiles on offer."""
    total, n = 0.0, 0
    for other in range(s.rules.n_players):
        if other != lot and is_for_sale(s, other):
            total += worths[other]
            n += 1
    return total / n


@kernel(f8(State, i8, f8[::1]))
def value_of_answer(s, action, worths):
    """Return the value of an answer in an auction: a tile, less the bid for it.

    A seat that gets no tile now will get another one. What opponents pay and get counts by the
    share of each in the lead.
    """
    first = s.rules.first_action
    if s.phase == Phase.BAZAAR_PICK:
        return worths[action - first[Block.PICK]]
    lot, share = s.bazaar.lot, 1.0 / (s.rules.n_players - 1)
    if s.phase == Phase.BAZAAR_DEAL:
        paid = s.bazaar.price * (1.0 + share)
        if action == first[Block.DECLINE]:
            return mean_of_others(s, lot, worths) + paid
        return worths[lot] - paid
    if action == first[Block.PASS]:
        return mean_of_others(s, lot, worths) + share * s.bazaar.price
    return worths[lot] - (action - first[Block.BID])


@kernel(i8(States, i8, i8[::1], f8[::1], EvaluatorType))
def write_values(states, i, actions, values, evaluator):
    """Write the legal actions of game i and their values to the decider; return how many.

    The game and the records after it take ``ONE_PLY_SCRATCH`` records.
    """
    s, scratch = states[i], i + 1
    n = legal_actions(s, actions)
    if is_auction(s):
        worths = reals_for(MAX_PLAYERS)
        for lot in range(s.rules.n_players):
            if is_for_sale(s, lot):
                copy_in_use(states[scratch], s)
                imagine_lot(states[scratch], lot)
                worths[lot] = best_placement(states, scratch, scratch + 1, evaluator)
        for k in range(n):
            values[k] = value_of_answer(s, actions[k], worths)
        return n
    for k in range(n):
        values[k] = value_of(states, i, scratch, actions[k], evaluator)
    return n


@kernel(i8(State, States, i8[::1], EvaluatorType))
def choose(s, scratch, actions, evaluator):
    """Return the action that an evaluation prefers, the first of equal ones.

    ``actions`` has room for the legal list, ``scratch`` holds ``ONE_PLY_SCRATCH`` records. The
    order of tiles that nobody can see makes no difference: they are reordered first.
    """
    copy_in_use(scratch[0], s)
    shuffle_hidden(scratch[0], u8(0))
    values = reals_for(MAX_LEGAL)
    best = 0
    for k in range(write_values(scratch, 0, actions, values, evaluator)):
        if values[k] > values[best]:
            best = k
    return actions[best]
