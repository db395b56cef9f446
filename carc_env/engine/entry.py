"""The only engine functions that Python calls.

Most take an array of games (``STATE`` records) and the index of one game; others take lanes or
lists of actions. None holds the GIL, and none checks its arguments: the caller must. Kernels that
write legal actions take ``actions``, an int64 buffer of at least ``MAX_LEGAL`` numbers.
"""

from numba import int8

from carc_env.engine.compiler.jit import b1, entry_point, finish_cache, i8, u8, void
from carc_env.engine.compiler.memory import room_for
from carc_env.engine.core.bag import random_below, shuffle
from carc_env.engine.core.codes import FIRST_CORNER, N_FIGURES, Figure
from carc_env.engine.core.features import feature_of, join_ends, segment_at, touched_features
from carc_env.engine.core.fief import fief_cell
from carc_env.engine.core.figures import deploy, figure_kind, leaders, unlink
from carc_env.engine.core.moments import chances_of
from carc_env.engine.core.placement import frontier_entry, is_place, place_tile
from carc_env.engine.core.state import (
    NO_FIGURE,
    NO_SEAT,
    SLOTS_PER_SEAT,
    States,
    Template,
)
from carc_env.engine.core.tiles import ABBEY_DESIGN
from carc_env.engine.flow.evaluation import EVALUATION, Evaluator, EvaluatorType, Weights, f8
from carc_env.engine.flow.greedy import worth
from carc_env.engine.flow.hidden import shuffle_hidden
from carc_env.engine.flow.legal import MAX_LEGAL, legal_actions, write_mask
from carc_env.engine.flow.one_ply import chance_value as chance_value_in
from carc_env.engine.flow.one_ply import choose as choose_in
from carc_env.engine.flow.one_ply import write_values
from carc_env.engine.flow.rollouts import RANDOM, Rollouts, roll_out
from carc_env.engine.flow.rounds import start_game
from carc_env.engine.flow.standings import write_standings
from carc_env.engine.flow.turn import apply as apply_to
from carc_env.engine.flow.turn import settle
from carc_env.engine.problems import find_problems
from carc_env.engine.problems.of_figures import unscored_figure
from carc_env.engine.sight.earnings import give_rewards
from carc_env.engine.sight.entities import LINK_BITS, EntitiesType, list_features
from carc_env.engine.sight.lanes import ANY_ACTION, ASKED, NO_ACTION, SETTLE, CanvasType, Lanes
from carc_env.engine.sight.show import fetch_game, is_shown, show_actions, show_board, show_step
from carc_env.sets.abbey.kernels import lay_abbey, takes_abbey
from carc_env.sets.barn.kernels import is_point, place_barn
from carc_env.sets.castles.kernels import deciders_on, found_castle, is_town
from carc_env.sets.ferries.kernels import rejoin_roads
from carc_env.sets.hills_sheep.hills.kernels import exchange_hidden
from carc_env.sets.hills_sheep.shepherd.kernels import set_shepherd
from carc_env.sets.wagon.kernels import chooses_cell_first, note_rolled


@entry_point(void(States, i8, Template, u8))
def begin(states, i, template, seed):
    """Start a new game in record i, with the template's rules and the bag shuffled by the seed."""
    states[i] = template[0]
    s = states[i]
    s.rng = seed
    shuffle(s)
    start_game(s)


@entry_point(void(States, i8))
def begin_ordered(states, i):
    """Start the game in a record whose bag is already in order."""
    start_game(states[i])


@entry_point(void(States, i8, i8))
def apply(states, i, action):
    """Carry out a decision in game i."""
    apply_to(states[i], action)


@entry_point(i8(States, i8, i8[::1]))
def settle_game(states, i, actions):
    """If ``auto_single`` is on, take all decisions that have a single choice.

    Writes the legal actions of the next decision and returns how many there are.
    """
    return settle(states[i], actions)


@entry_point(i8(States, i8, i8, i8[::1]))
def step(states, i, action, actions):
    """Carry out a decision in game i and settle the game."""
    s = states[i]
    apply_to(s, action)
    return settle(s, actions)


@entry_point(i8(States, i8, i8[::1]))
def legal(states, i, actions):
    """Write the legal actions in game i and return how many there are."""
    return legal_actions(states[i], actions)


@entry_point(void(i8[::1], i8, int8[::1]))
def mask_of(actions, n, mask):
    """Set the mask to 1 for the first n actions in a list and to 0 elsewhere."""
    write_mask(actions, n, mask)


@entry_point(b1(i8[::1], i8, i8))
def is_listed(actions, n, action):
    """Return whether an action is one of the first n in a list."""
    for k in range(n):
        if actions[k] == action:
            return True
    return False


@entry_point(void(States, i8, i8, i8[::1], CanvasType))
def observe(states, i, seat, actions, canvas):
    """Write a seat's view of game i into a one-row canvas.

    ``actions``, an int64 array, must hold exactly the decider's legal actions.
    """
    s = states[i]
    show_board(s, seat, actions, canvas, 0)
    show_actions(s.decider == seat, actions, canvas, 0)


@entry_point(void(States, i8[::1], i8[::1], EntitiesType))
def observe_features(states, seats, which, shown):
    """Write the features of some games and their links to tiles, as each game's observer sees them.

    Rows of ``features`` after those in use become 0, and rows of ``links`` -1.
    """
    for k in range(which.shape[0]):
        i = which[k]
        features, links = shown.features[i], shown.links[i]
        found = list_features(states[i], seats[i], shown.scratch, features, links)
        n, n_links = found >> LINK_BITS, found & (1 << LINK_BITS) - 1
        for row in range(n, shown.n_features[i, 0]):
            features[row] = 0
        links[n_links:] = -1
        shown.n_features[i, 0], shown.n_links[i, 0] = n, n_links


@entry_point(i8(States, i8))
def problems(states, i):
    """Return the sum of the :class:`carc_env.engine.problems.Problem` flags for game i."""
    return find_problems(states[i])


@entry_point(i8(States, i8))
def unscored(states, i):
    """Return a figure in game i that should have been scored and sent home, or NO_FIGURE."""
    return unscored_figure(states[i])


@entry_point(void(States, i8[:, ::1]))
def standings(states, out):
    """Write each seat's final score in each game if that game ended now."""
    for i in range(states.shape[0]):
        write_standings(states[i], out[i])


@entry_point(void(States, i8, u8))
def shuffle_bag(states, i, seed):
    """Shuffle the tiles in the bag and under hills, to set up a position."""
    states[i].rng = seed
    exchange_hidden(states[i])
    shuffle(states[i])


@entry_point(void(States, i8, u8))
def reshuffle(states, i, seed):
    """Reorder the tiles that nobody can see, in the bag or face down (for search).

    The new order depends only on the seed, not on the current order.
    """
    shuffle_hidden(states[i], seed)


@entry_point(void(States, i8[::1], States, i8[:, ::1]))
def afterstates(states, chosen, after, points):
    """For each given action in the first record's game, write the settled afterstate.

    Action k is applied in record k of ``after``, and row k of ``points`` gets its standings.
    """
    actions = room_for(MAX_LEGAL)
    for k in range(chosen.shape[0]):
        after[k] = states[0]
        s = after[k]
        apply_to(s, chosen[k])
        settle(s, actions)
        write_standings(s, points[k])


@entry_point(void(States, Rollouts, States, Weights))
def play_rollouts(states, rollouts, scratch, weights):
    """Play rollouts from the games that they refer to, and write their final scores.

    ``scratch`` must hold ``ROLLOUT_SCRATCH`` records; the games are not changed.
    """
    actions = room_for(MAX_LEGAL)
    for k in range(rollouts.shape[0]):
        roll_out(states, rollouts[k], scratch, actions, weights)


@entry_point(b1(States, i8, i8, i8, i8))
def can_place(states, i, design, rotation, cell):
    """Return whether a tile can be placed on a free cell beside the board and inside the view."""
    f = frontier_entry(states[i], cell)
    return f >= 0 and is_place(states[i], design, rotation, f)


@entry_point(b1(States, i8, i8))
def can_place_abbey_on(states, i, cell):
    """Return whether a cell is a hole that an abbey may fill."""
    f = frontier_entry(states[i], cell)
    return f >= 0 and takes_abbey(states[i], f)


@entry_point(void(States, i8, i8, i8, i8))
def lay(states, i, design, rotation, cell):
    """Place a tile, or its form with a bridge, on the table, to set up a position."""
    if design == ABBEY_DESIGN:
        lay_abbey(states[i], cell)
    else:
        place_tile(states[i], design, rotation, cell)


@entry_point(b1(States, i8, i8))
def set_castle(states, i, segment):
    """Turn a town into a castle, to set up a position; False if the feature is not a town."""
    return is_town(states[i], segment) and found_castle(states[i], segment)


@entry_point(i8(States, i8, i8))
def cell_of_fief(states, i, k):
    """Return the k-th cell of the fief of the castle that the current question is about."""
    return fief_cell(states[i], states[i].town, k)


@entry_point(b1(States, i8))
def chooses_cell(states, i):
    """Return whether the decider's wagon move is chosen in two steps."""
    return chooses_cell_first(states[i])


@entry_point(i8(States, i8, i8))
def deciders_on_town(states, i, segment):
    """Return as bits the seats with the majority in a town; 0 if the feature is not a town.

    All the town's figures must be in its ring: ``set_lord`` has not set a lord aside.
    """
    return deciders_on(states[i], segment)


@entry_point(b1(States, i8, i8, i8, i8))
def set_lord(states, i, seat, kind, segment):
    """Make a figure lord of a town that others score, to set up a position; False without one."""
    s = states[i]
    for figure in range(SLOTS_PER_SEAT * seat, SLOTS_PER_SEAT * (seat + 1)):
        is_there = figure_kind(figure) == kind and s.figures[figure].segment == segment
        if is_there and s.figures[figure].next != NO_FIGURE:
            unlink(s, figure)
            return True
    return False


@entry_point(b1(States, i8, i8, i8))
def is_barn_point(states, i, tile, corner):
    """Return whether four open corners meet at a tile corner."""
    return is_point(states[i], states[i].tiles[tile].cell, corner)


@entry_point(void(States, i8, i8, i8, i8))
def put(states, i, figure, tile, spot):
    """Put a figure on a spot, to set up a position; ``figure`` is seat * N_FIGURES + kind."""
    s = states[i]
    seat, kind = figure // N_FIGURES, figure % N_FIGURES
    if kind == Figure.BARN:
        place_barn(s, seat, tile, spot - FIRST_CORNER)
    elif kind == Figure.SHEPHERD:
        set_shepherd(s, seat, segment_at(s, tile, spot))
    else:
        deploy(s, seat, kind, segment_at(s, tile, spot))


@entry_point(void(States, i8, i8, i8))
def connect(states, i, segment, other):
    """Join the open ends of two roads that are not adjacent, to set up a position."""
    join_ends(states[i], segment, other)


@entry_point(void(States, i8, i8))
def connect_over(states, i, lake):
    """Connect the roads at a lake with its ferry when setting up a position."""
    rejoin_roads(states[i], lake)


@entry_point(void(States, i8, i8))
def roll_over(states, i, segment):
    """Note that the wagon to be moved has left a segment's feature, to set up a position."""
    note_rolled(states[i], feature_of(states[i], segment))


@entry_point(i8(States, i8, i8[::1]))
def touched_last(states, i, features):
    """Write the features that the last placement changed, some of them twice; return how many.

    ``features`` must have room for ``MAX_TOUCHED`` of them.
    """
    return touched_features(states[i], states[i].n_tiles - 1, features)


@entry_point(i8(States, i8, i8))
def leading(states, i, feature):
    """Return as bits the seats with the majority on a feature, with ties broken by hills."""
    return leaders(states[i], feature)


@entry_point(i8(States, i8, i8))
def n_chances(states, i, outcome):
    """Return the number of chances of an outcome, where chance outside the bag can produce it."""
    return chances_of(states[i], outcome)


@entry_point(i8(States, i8, i8))
def random_number(states, i, n):
    """Return a random number from 0 to n - 1 and advance game i's random number generator."""
    return random_below(states[i], n)


@entry_point(EVALUATION)
def greedy(s, seat, weights):
    """Return a state's value to a greedy player; ``weights`` is unused."""
    return worth(s, seat, weights)


@entry_point(i8(States, i8, States, i8[::1], EvaluatorType))
def choose(states, i, scratch, actions, evaluator):
    """Return the action in game i that an evaluation prefers, looking one placement ahead.

    ``scratch`` must hold ``ONE_PLY_SCRATCH`` records.
    """
    return choose_in(states[i], scratch, actions, evaluator)


@entry_point(i8(States, i8, i8[::1], f8[::1], EvaluatorType))
def one_ply_values(states, i, actions, values, evaluator):
    """Write the legal actions in game i and their values one placement ahead; return how many.

    The game and the records after it occupy ``ONE_PLY_SCRATCH`` records. Tiles that nobody can see
    must be in a meaningless order.
    """
    return write_values(states, i, actions, values, evaluator)


@entry_point(f8(States, i8, i8, i8, EvaluatorType))
def chance_value(states, i, to, action, evaluator):
    """Return the value of a chance-dependent action in game i, the mean over all outcomes.

    Record ``to`` is scratch.
    """
    return chance_value_in(states, i, to, action, evaluator)


@entry_point(i8(States, Lanes, CanvasType, States, Weights))
def play_lanes(states, lanes, canvas, scratch, weights):
    """Carry out the action of every lane that has one, followed by the built-in players' decisions.

    Then rewards are given and the lane shows its seat's view, unless another seat must be asked
    first: the lane *waits*. ``scratch`` must hold ``ONE_PLY_SCRATCH`` records. Returns the number
    of decisions that were carried out.
    """
    actions = room_for(MAX_LEGAL)
    n_decisions = 0
    last = states.shape[0] - 1
    for i in range(last + 1):
        # 1.02 to 1.05 times the decisions on a quiet machine, 1.5 times if others use the caches
        fetch_game(states, lanes, canvas, min(i + 1, last))
        s, lane = states[i], lanes[i]
        action = lane.action
        if action == NO_ACTION:
            continue
        if action == ANY_ACTION:
            action = lane.legal[random_below(s, lane.n_legal)]
        while True:
            if action >= 0:
                n_decisions += 1
                apply_to(s, action)
            n = settle(s, actions)
            player = lane.players[s.decider]
            if n == 0 or player == ASKED:
                break
            if player == RANDOM:
                action = actions[random_below(s, n)]
            else:
                learned = weights[lane.first_weight[s.decider] :]
                action = choose_in(s, scratch, actions, Evaluator(player, learned))
        lane.action, lane.n_legal = NO_ACTION, n
        show_step(s, lane, actions, canvas, i)
    return n_decisions


@entry_point(void(Lanes, i8, i8))
def open_lane(lanes, i, seat):
    """Prepare a lane for another game as seen by a seat, or with NO_SEAT by each seat asked."""
    lane = lanes[i]
    lane.action, lane.is_new, lane.follows = SETTLE, 1, seat == NO_SEAT
    lane.seat = max(seat, 0)
    lane.scores[:] = 0
    lane.rewards[:] = 0.0
    lane.owed[:] = 0.0
    lane.reward = 0.0


@entry_point(i8(Lanes))
def illegal_lane(lanes):
    """Return the first lane whose action is not legal in its game, or -1 if there is none."""
    for i in range(lanes.shape[0]):
        action = lanes[i].action
        is_none = action == NO_ACTION or action == SETTLE
        if not is_none and not (action == ANY_ACTION or is_shown(lanes[i], action)):
            return i
    return -1


@entry_point(void(States, i8, Lanes))
def rewards(states, i, lanes):
    """Assign the rewards of game i to a single lane."""
    give_rewards(states[i], lanes[0])


@entry_point(i8(States, i8, i8, i8[:, ::1]))
def perft(states, i, depth, actions):
    """Count the positions ``depth`` decisions after game i, with a fixed bag.

    Records i + 1 to i + depth of ``states`` and the rows of ``actions`` are scratch.
    """
    if depth == 0:
        return 1
    n = legal_actions(states[i], actions[depth])
    if depth == 1:
        return n
    total = 0
    for k in range(n):
        states[i + 1] = states[i]
        apply_to(states[i + 1], actions[depth, k])
        total += perft(states, i + 1, depth - 1, actions)
    return total


@entry_point(void(States, i8))
def clone_many(states, n_clones):
    """Copy records onto each other, to measure how long copying takes."""
    n = states.shape[0]
    for k in range(n_clones):
        states[k % n] = states[(7 * k + 1) % n]


finish_cache()
