"""Chance nodes: move values averaged over the possible next draws and over later draws.

When a move is made, the next tile to be drawn lies on top of the bag. Everything else follows from
the rules, such as tiles that cannot be placed, and abbeys. After the move, every player makes the
move with the best one-ply value until a given number of turns is completed, so that all the games
compared have progressed equally far. Play also stops if a bazaar begins, because its many decisions
would take longer than everything else together.
"""

import numpy as np

from carc_env.engine import entry
from carc_env.engine.compiler.jit import b1, entry_point, i8, kernel, u8, void
from carc_env.engine.compiler.linking import linked
from carc_env.engine.compiler.memory import room_for
from carc_env.engine.core.bag import first_drawable, list_unseen
from carc_env.engine.core.codes import Phase
from carc_env.engine.core.copying import copy_in_use
from carc_env.engine.core.moments import may_draw
from carc_env.engine.core.sizes import MAX_BAG
from carc_env.engine.core.state import NO_DESIGN, States
from carc_env.engine.flow.evaluation import EvaluatorType, evaluate, f8
from carc_env.engine.flow.hidden import conceal, put_on_top
from carc_env.engine.flow.one_ply import ONE_PLY_SCRATCH, is_auction
from carc_env.search.moves import ACTION, FIGURE, NO_ACTION, find_best_move, play, value_moves

reshuffle = linked(entry.reshuffle)

ROOT, DEALT, GAME, NEXT, SCRATCH = range(5)
"""Records of a search: the game, the game with other tiles to come, its continuation, and the game
after another move."""
SEARCH_RECORDS = NEXT + 1 + ONE_PLY_SCRATCH
IN_BAG = 2
"""Column of a reply, after those of its move: the number of tiles in the bag."""
REPLY = 3
VALUED, MOST = range(2)
"""Number of moves valued so far, and its limit."""


@entry_point(i8(States, i8[::1], i8[::1], i8[::1]))
def list_draws(states, designs, counts, numbers):
    """Write the designs that can be drawn next, in the order of the root's unseen tiles.

    ``counts`` gets the number of tiles of each design, and ``numbers`` maps each design to its
    index in the list. Returns the number of designs; an empty bag has a single draw, ``NO_DESIGN``.
    """
    s = states[ROOT]
    if s.n_bag == 0:
        designs[0], counts[0] = NO_DESIGN, 1
        return 1
    numbers[:] = -1
    n, places = 0, room_for(MAX_BAG)
    for k in range(list_unseen(s, places) - first_drawable(s, s.n_bag)):
        design = s.bag[places[k]]
        if not may_draw(s, design):
            continue
        if numbers[design] < 0:
            numbers[design], designs[n], counts[n] = n, design, 0
            n += 1
        counts[numbers[design]] += 1
    return n


@kernel(f8(States, EvaluatorType))
def worth_of_turn(states, evaluator):
    """Return the worth to the root's seat of the turn that ends with the move from GAME to NEXT.

    Evaluations judge a seat after its own turn; between two players, the opponent's value is
    negated.
    """
    seat, mover = states[ROOT].decider, states[GAME].turn_player
    conceal(states[NEXT], states[GAME])
    if mover != seat and states[ROOT].rules.n_players == 2:
        return -evaluate(evaluator.address, states[NEXT], mover, evaluator.weights)
    return evaluate(evaluator.address, states[NEXT], seat, evaluator.weights)


@kernel(i8(States, i8[::1], i8, EvaluatorType))
def find_reply(states, reply, width, evaluator):
    """Write the best move in GAME unless it is already known; return how many moves were valued."""
    n_bag = states[GAME].n_bag
    is_single_draw = n_bag >= states[ROOT].n_bag - 1
    if reply[ACTION] != NO_ACTION and reply[IN_BAG] == n_bag and is_single_draw:
        return 0
    n = find_best_move(states, GAME, SCRATCH, reply, width, evaluator)
    reply[IN_BAG] = n_bag
    if not is_single_draw:
        reply[IN_BAG] = -1
    return n


@kernel(b1(States, i8))
def begins_auction(states, i):
    """Return whether an auction has begun in a record, given that the root is not in one."""
    return is_auction(states[i]) and not is_auction(states[ROOT])


@kernel(f8(States, i8, i8[::1], i8[::1], i8, EvaluatorType))
def go_on(states, end, reply, nodes, width, evaluator):
    """Play from GAME to the end of a turn; return what the game is then worth to the root's seat.

    ``reply`` contains the first move, or receives it. ``nodes[VALUED]`` increases by the number of
    moves valued. The result is NaN if the limit ``nodes[MOST]`` does not suffice.
    """
    move = reply
    later = room_for(REPLY)
    if begins_auction(states, GAME):
        conceal(states[GAME], states[DEALT])
        return evaluate(evaluator.address, states[GAME], states[ROOT].decider, evaluator.weights)
    while states[GAME].phase != Phase.GAME_OVER:
        if nodes[VALUED] >= nodes[MOST]:
            return np.nan
        nodes[VALUED] += find_reply(states, move, width, evaluator)
        copy_in_use(states[NEXT], states[GAME])
        play(states, NEXT, move[ACTION], move[FIGURE], evaluator)
        after = states[NEXT]
        if after.turn >= end or after.phase == Phase.GAME_OVER or begins_auction(states, NEXT):
            return worth_of_turn(states, evaluator)
        copy_in_use(states[GAME], states[NEXT])
        move = later
        move[ACTION] = NO_ACTION
    return evaluate(evaluator.address, states[GAME], states[ROOT].decider, evaluator.weights)


@kernel(void(States, u8, i8, i8[::1], EvaluatorType))
def deal(states, seed, design, move, evaluator):
    """Make a move in GAME, with later tiles shuffled by the seed and the given design on top."""
    copy_in_use(states[DEALT], states[ROOT])
    reshuffle(states, DEALT, seed)
    put_on_top(states[DEALT], design)
    copy_in_use(states[GAME], states[DEALT])
    play(states, GAME, move[ACTION], move[FIGURE], evaluator)


@entry_point(i8(States, i8[:, ::1], f8[::1], EvaluatorType))
def rank_moves(states, moves, values, evaluator):
    """Write all moves at the root and their values one ply ahead; return how many there are."""
    return value_moves(states, ROOT, SCRATCH, moves, values, evaluator)


@entry_point(i8(States, u8, i8[::1], i8[::1], i8[:, ::1], f8[::1], i8, i8, EvaluatorType))
def answer(states, seed, move, designs, replies, values, max_nodes, width, evaluator):
    """Write a move's worth after the best reply to each of several draws.

    For each of ``designs``, ``values`` gets the worth when the next turn is completed, and
    ``replies`` gets the reply. Returns the number of moves that were valued. Once this number
    reaches ``max_nodes``, values are NaN. For ``width``, see :func:`.moves.find_best_move`.
    """
    nodes = room_for(2)
    nodes[VALUED], nodes[MOST] = 0, max_nodes
    end = states[ROOT].turn + 2
    for k in range(designs.shape[0]):
        deal(states, seed + u8(k), designs[k], move, evaluator)
        replies[k, ACTION] = NO_ACTION
        values[k] = go_on(states, end, replies[k], nodes, width, evaluator)
    return nodes[VALUED]


@entry_point(
    i8(States, u8, i8, i8[::1], i8[::1], i8[:, ::1], f8[::1], f8[::1], i8, i8, EvaluatorType)
)
def sample(states, seed, end, numbers, move, replies, values, gains, max_nodes, width, evaluator):
    """Play on after a move to the end of a turn, with random later tiles.

    One game is played for each seed, starting with the given one. ``gains`` gets the difference
    between the game's worth at the end and its worth after the reply. That reply depends only on
    the first draw, and is searched where ``values`` is NaN. Returns the number of moves that were
    valued. Once this number reaches ``max_nodes``, gains are NaN.
    """
    nodes = room_for(2)
    nodes[VALUED], nodes[MOST] = 0, max_nodes
    for k in range(gains.shape[0]):
        copy_in_use(states[DEALT], states[ROOT])
        reshuffle(states, DEALT, seed + u8(k))
        s = states[DEALT]
        draw = 0
        if s.n_bag > 0:
            draw = numbers[s.bag[s.n_bag - 1]]
        copy_in_use(states[GAME], states[DEALT])
        play(states, GAME, move[ACTION], move[FIGURE], evaluator)
        if np.isnan(values[draw]):
            values[draw] = go_on(states, s.turn + 2, replies[draw], nodes, width, evaluator)
            copy_in_use(states[GAME], states[DEALT])
            play(states, GAME, move[ACTION], move[FIGURE], evaluator)
        worth = go_on(states, end, replies[draw], nodes, width, evaluator)
        gains[k] = worth - values[draw]
    return nodes[VALUED]
