"""One placement ahead: every tile placement, each with every figure action that can follow it.

A tile up for auction is valued as if it were placed at once.

The evaluation is a parameter; :mod:`carc_env.engine.flow.greedy` contains the greedy player's.
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
"""Number of records that :func:`choose` needs: the game, the game with a lot in hand, a placement,
a figure action, what happens on a chosen cell, for a tower a cell in its range and the captured
figure, a ferry, and finally the tile and the feature to which the mage or witch moves."""
DECISIONS_ELSEWHERE = 5
"""Most decisions after a cell is chosen: a floor, a cell in range, who is captured, an exchange,
and finally a ferry."""
QUESTIONS_BEFORE_FIGURE = 3
"""Most questions before a figure: the place of an ingot, the tile and feature of mage or witch."""
WORST = -1e18


@kernel(void(State))
def leave_out_what_follows(s):
    """Skip the questions after the figure action; their value is counted when they are asked."""
    while s.phase in AFTER_FIGURE:
        apply(s, s.rules.first_action[Block.PASS])


@kernel(b1(State))
def goes_on_elsewhere(s):
    """Return whether the decider is asked how a choice continues (``GOES_ON``)."""
    return s.phase in GOES_ON


@kernel(f8(States, i8, i8, EvaluatorType))
def value_without_figure(states, root, i, evaluator):
    """Return the value of game i, without a figure, to the decider of game ``root``.

    Questions before the figure get the best answer; for each of them, one record after game i is
    scratch.
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
    """Answer the questions in game i that come between a tile and its figure action (GOL-02).

    The answers are the best ones for the decider of game ``root`` if no figure follows. Up to
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
    """Return the value of game i, concealed, to the decider of game ``root``.

    If the decider has chosen a cell, this is the value of the best that can happen there, including
    captures and exchanges; if a lake was added, it includes the best ferry. Up to
    ``DECISIONS_ELSEWHERE`` records after game i are scratch.
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
    """Let all players answer about a crop circle if game ``root`` was asked what it does (CRN-05).

    Each player does what is best for them; the records after game i are scratch.
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
    """Return the value to game i's decider of an action that depends on chance.

    It is the mean over all outcomes (HS-44), each followed by the best continuation (FLY-06).
    Record ``to`` and the records for later questions are scratch.
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
    """Return whether a figure action is one whose value hardly depends on where the tile is placed.

    Portal destinations and tower captures are valued only after the placement is chosen, because
    there are too many of them to try for every place. If a knight must leave, its action is never
    postponed, because no other action can give the placement a value.
    """
    if not chooses_cell(s, action) or must_remove(s):
        return False
    return is_at_portal(s) or (s.n_towers > 0 and tower_at(s, cell_of_place(s, action)) >= 0)


@kernel(i8(State, b1, i8[::1]))
def figures_of(s, are_later, actions):
    """Write the figure actions that are valued later, or all the other ones; return how many.

    If several actions lead to nearly the same result, only the first one is kept.
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
    """Write the figure actions that count toward a placement's value; return how many."""
    return figures_of(s, False, actions)


@kernel(i8(State, i8[::1]))
def figures_left_out(s, actions):
    """Write the figure actions that do not count toward a placement's value; return how many."""
    return figures_of(s, True, actions)


@kernel(f8(States, i8, i8, EvaluatorType))
def figure_value(states, i, root, evaluator):
    """Return the value of the best figure action in game i; the next four records are scratch."""
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
    """Return an action's value to the decider of game i; five records are scratch.

    A placement is worth as much as the best figure action that can follow it.
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


# Auctions: a tile is worth what it would be worth if it were placed at once.


@kernel(b1(State))
def is_auction(s):
    """Return whether the question is about a tile in a bazaar."""
    return (
        s.phase == Phase.BAZAAR_PICK or s.phase == Phase.BAZAAR_BID or s.phase == Phase.BAZAAR_DEAL
    )


@kernel(void(State, i8))
def imagine_lot(s, lot):
    """Give the decider a tile on offer, to place as in a turn of their own."""
    forget_part(s)
    forget_sale(s)
    take_in_hand(s, lot)
    s.bazaar.starter, s.bazaar.n_delayed = NO_SEAT, 0
    s.turn_player, s.phase = s.decider, Phase.PLACE_TILE


@kernel(f8(States, i8, i8, EvaluatorType))
def best_placement(states, i, scratch, evaluator):
    """Return the value of the best placement in game i, or of the game itself without one."""
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
    """Return the value of an auction answer: that of the tile, less the bid for it.

    A seat that gets no tile now will get another one later. Payments by and to an opponent are
    weighted by that opponent's share in the lead.
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

    The game and the records after it occupy ``ONE_PLY_SCRATCH`` records.
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
    """Return the action that an evaluation prefers; of equal ones, the first.

    ``actions`` must have room for the legal actions; ``scratch`` must hold ``ONE_PLY_SCRATCH``
    records. Tiles that nobody can see are reordered first, so their order makes no difference.
    """
    copy_in_use(scratch[0], s)
    shuffle_hidden(scratch[0], u8(0))
    values = reals_for(MAX_LEGAL)
    best = 0
    for k in range(write_values(scratch, 0, actions, values, evaluator)):
        if values[k] > values[best]:
            best = k
    return actions[best]
