"""A search tree of decisions, with the possible draws between them.

A node is a decision and belongs to the player who makes it. Its edges are the moves with the best
one-ply values there: a tile placement together with the figure action that follows it is one move
(see ``moves.py``). A move that draws tiles has one outcome, which is a node, for each design drawn
so far; other moves have a single outcome. States are not kept: each simulation replays the moves
from the root to its leaf, which is cheap compared with computing the one-ply values of a new node.

Values are leads over the strongest opponent in points, one for each seat; each decider takes the
move that is best for itself. Tiles are drawn in proportion to the number of unseen tiles, in the
same sequence for all moves of a node. Some designs are good to draw whatever was played before. The
value of such a draw, its luck, is averaged over the whole tree and subtracted where only some of
the designs were drawn.
"""

from math import exp, sqrt
from typing import NamedTuple

import numba
import numpy as np
import numpy.typing as npt

from carc_env.engine import entry
from carc_env.engine.compiler.jit import b1, entry_point, i8, kernel, u8, void
from carc_env.engine.compiler.linking import linked
from carc_env.engine.compiler.memory import reals_for, room_for
from carc_env.engine.core.bag import first_drawable, n_face_down, next_random
from carc_env.engine.core.chance import meets_chance
from carc_env.engine.core.codes import MAX_PLAYERS, Phase
from carc_env.engine.core.copying import copy_in_use
from carc_env.engine.core.moments import may_draw
from carc_env.engine.core.state import NO_DESIGN, State, States, as_records, new_states
from carc_env.engine.core.tiles import N_DESIGNS
from carc_env.engine.flow.evaluation import Evaluator, EvaluatorType, evaluate, f8
from carc_env.engine.flow.hidden import conceal, put_on_top
from carc_env.engine.flow.legal import MAX_FIGURE_ACTIONS, MAX_LEGAL
from carc_env.engine.flow.one_ply import (
    ONE_PLY_SCRATCH,
    answer_before_figure,
    figures_looked_at,
    is_auction,
    value_behind,
)
from carc_env.search.moves import NO_ACTION, play, try_elsewhere

apply, legal, reshuffle = linked(entry.apply), linked(entry.legal), linked(entry.reshuffle)
one_ply_values, chance_value = linked(entry.one_ply_values), linked(entry.chance_value)

ROOT, HERE, AFTER, FIGURE = range(4)
"""The records of a search: its root, a simulation's current position, and one and two actions
later."""
MAX_DEPTH = 64
"""Maximum number of decisions in a simulation."""
NO_NODE = -1
UNKNOWN = -1
_U11 = np.uint64(11)

HEAD = as_records(
    np.dtype(
        [
            ("n_nodes", "i8"),
            ("n_edges", "i8"),
            ("root_width", "i8"),  # maximum number of edges at the root
            ("width", "i8"),  # and at other nodes
            ("exploration", "f8"),  # weight of rarely tried moves, in points
            ("temperature", "f8"),  # points by which a move with 1/e of the best prior is worse
            ("trust", "f8"),  # number of visits that a move's one-ply value counts for
            ("luck_trust", "f8"),  # number of draws that the luck of an average design counts for
            ("luck", "f8", (MAX_PLAYERS * MAX_PLAYERS * N_DESIGNS,)),  # sum of changes due to draws
            ("draws", "f8", (MAX_PLAYERS * MAX_PLAYERS * N_DESIGNS,)),  # number of these draws
            ("all_luck", "f8", (MAX_PLAYERS * MAX_PLAYERS,)),
            ("all_draws", "f8", (MAX_PLAYERS * MAX_PLAYERS,)),
        ],
        align=True,
    )
)
"""The data of the tree as a whole."""
NODE = as_records(
    np.dtype(
        [
            ("seed", "u8"),  # determines the draws after the node's moves
            ("value", "f8", (MAX_PLAYERS,)),  # expected lead of each seat
            ("share", "f8"),  # unseen copies of its design; 1 if none was drawn
            ("decider", "i4"),
            ("first_edge", "i4"),
            ("n_edges", "i4"),  # 0: the game is over
            ("n_visits", "i4"),
            ("design", "i4"),  # the design drawn to reach it, or NO_DESIGN
            ("next", "i4"),  # another outcome of the same edge, or NO_NODE
        ],
        align=True,
    )
)
"""A decision, or the end of the game."""
EDGE = as_records(
    np.dtype(
        [
            ("static", "f8", (MAX_PLAYERS,)),  # one-ply value for each seat
            ("value", "f8", (MAX_PLAYERS,)),  # expected lead of each seat
            ("prior", "f8"),  # prior probability; a node's edges sum to 1
            ("action", "i4"),
            ("follow", "i4"),  # figure action after the action, or NO_ACTION
            ("n_visits", "i4"),
            ("is_drawing", "i4"),  # 1: the move draws tiles; UNKNOWN before its first visit
            ("outcome", "i4"),  # the latest outcome, or NO_NODE
        ],
        align=True,
    )
)
"""A move."""

Node, Edge = numba.from_dtype(NODE), numba.from_dtype(EDGE)


class Search(NamedTuple):
    """The arrays that a search's kernels work on."""

    states: npt.NDArray[np.void]
    """``ROOT`` and ``HERE``; the records from ``AFTER`` on are scratch."""
    heads: npt.NDArray[np.void]
    """A single record of type HEAD."""
    nodes: npt.NDArray[np.void]
    edges: npt.NDArray[np.void]
    evaluator: Evaluator


SearchType = numba.types.NamedTuple(
    [States, numba.from_dtype(HEAD)[::1], Node[::1], Edge[::1], EvaluatorType], Search
)


def new_search(n_nodes: int, width: int, root_width: int, evaluator: Evaluator) -> Search:
    """Allocate a search with the given number of nodes, each with up to ``width`` edges."""
    heads = np.zeros(1, HEAD)
    heads["width"], heads["root_width"] = width, root_width
    n_edges = root_width + 1 + (n_nodes - 1) * width
    return Search(
        new_states(AFTER + 1 + ONE_PLY_SCRATCH),
        heads,
        np.zeros(n_nodes, NODE),
        np.zeros(n_edges, EDGE),
        evaluator,
    )


@kernel(u8(State, u8, i8))
def mixed(s, seed, k):
    """Return a random number derived from a seed and a number, using a record's generator."""
    s.rng = seed ^ u8(k)
    return next_random(s)


@kernel(f8(u8))
def share_of(random):
    """Convert random bits to a number from 0 up to, but not including, 1."""
    return float(random >> _U11) / 9007199254740992.0


# A new node: its moves by one-ply value.


@kernel(f8(SearchType, i8))
def value_in(t, i):
    """Return the value of record i, concealed, to the player whose move led there."""
    return value_behind(t.states, HERE, i, t.evaluator)


@kernel(void(SearchType, i8, i8, i8, f8))
def add_move(t, node, action, follow, found):
    """Make a move with the given value an edge of the last node, if it is among the best."""
    head, seat = t.heads[0], t.nodes[node].decider
    first, n = t.nodes[node].first_edge, t.nodes[node].n_edges
    k = first + n
    if n == (head.root_width if node == 0 else head.width):
        k -= 1
        if found <= t.edges[k].static[seat]:
            return
    else:
        t.nodes[node].n_edges = n + 1
    while k > first and t.edges[k - 1].static[seat] < found:
        t.edges[k] = t.edges[k - 1]
        k -= 1
    edge = t.edges[k]
    edge.static[seat] = found
    edge.action, edge.follow = action, follow


@kernel(void(SearchType, i8, i8))
def add_figure_moves(t, node, action):
    """Add the moves that start with a placement, which has led to the figure phase."""
    actions = room_for(MAX_FIGURE_ACTIONS)
    for k in range(figures_looked_at(t.states[AFTER], actions)):
        if meets_chance(t.states[AFTER], actions[k]):
            found = chance_value(t.states, AFTER, FIGURE, actions[k], t.evaluator)
            add_move(t, node, action, actions[k], found)
            continue
        copy_in_use(t.states[FIGURE], t.states[AFTER])
        apply(t.states, FIGURE, actions[k])
        add_move(t, node, action, actions[k], value_in(t, FIGURE))


@kernel(void(SearchType, i8, i8[::1], i8))
def add_moves(t, node, actions, n):
    """Add the best moves of the node that a simulation has reached, ordered by value."""
    here, after = t.states[HERE], t.states[AFTER]
    if is_auction(here):
        values = reals_for(MAX_LEGAL)
        one_ply_values(t.states, HERE, actions, values, t.evaluator)
        for k in range(n):
            add_move(t, node, actions[k], NO_ACTION, values[k])
        return
    for k in range(n):
        if meets_chance(here, actions[k]):
            found = chance_value(t.states, HERE, AFTER, actions[k], t.evaluator)
            add_move(t, node, actions[k], NO_ACTION, found)
            continue
        copy_in_use(after, here)
        apply(t.states, AFTER, actions[k])
        answer_before_figure(t.states, HERE, AFTER, t.evaluator)
        goes_on = after.phase == Phase.FIGURE and after.decider == here.decider
        if goes_on and here.phase != Phase.FIGURE:
            add_figure_moves(t, node, actions[k])
        else:
            add_move(t, node, actions[k], NO_ACTION, value_in(t, AFTER))


@kernel(void(SearchType, i8))
def add_moves_elsewhere(t, node):
    """Add the best placement again, with figure actions that were left out after all placements."""
    first = t.edges[t.nodes[node].first_edge]
    action, figures = first.action, room_for(MAX_FIGURE_ACTIONS)
    if first.follow == NO_ACTION:
        return
    for k in range(try_elsewhere(t.states, HERE, AFTER, action, figures, t.evaluator)):
        copy_in_use(t.states[FIGURE], t.states[AFTER])
        apply(t.states, FIGURE, figures[k])
        add_move(t, node, action, figures[k], value_in(t, FIGURE))


@kernel(void(SearchType, i8, i8))
def play_move(t, i, k):
    """Play the move of edge k in record i."""
    play(t.states, i, t.edges[k].action, t.edges[k].follow, t.evaluator)


@kernel(void(SearchType, i8, i8))
def see_for_all(t, seat, k):
    """Write the values of edge k's move for all seats; two players' values are opposite."""
    here, after, static = t.states[HERE], t.states[AFTER], t.edges[k].static
    n = here.rules.n_players
    if n == 2:
        static[1 - seat] = -static[seat]
        return
    copy_in_use(after, here)
    play_move(t, AFTER, k)
    conceal(after, here)
    for other in range(n):
        if other != seat:
            static[other] = evaluate(t.evaluator.address, after, other, t.evaluator.weights)


@kernel(void(SearchType, i8))
def open_edges(t, node):
    """Prepare a new node's moves for selection."""
    seat, first, n = t.nodes[node].decider, t.nodes[node].first_edge, t.nodes[node].n_edges
    total = 0.0
    for k in range(first, first + n):
        see_for_all(t, seat, k)
        edge = t.edges[k]
        behind = t.edges[first].static[seat] - edge.static[seat]
        edge.prior = exp(-behind / t.heads[0].temperature)
        total += edge.prior
        for other in range(t.states[HERE].rules.n_players):
            edge.value[other] = edge.static[other]
        edge.n_visits, edge.is_drawing, edge.outcome = 0, UNKNOWN, NO_NODE
    for k in range(first, first + n):
        t.edges[k].prior /= total


@kernel(void(SearchType, i8, i8[::1], i8))
def expand(t, node, actions, n):
    """Expand a node for the decision that a simulation has reached, with n legal actions."""
    head, here = t.heads[0], t.states[HERE]
    found = t.nodes[node]
    found.decider, found.first_edge, found.n_edges = here.decider, head.n_edges, 0
    if n == 0:
        for seat in range(here.rules.n_players):
            found.value[seat] = evaluate(t.evaluator.address, here, seat, t.evaluator.weights)
        return
    add_moves(t, node, actions, n)
    add_moves_elsewhere(t, node)
    head.n_edges += found.n_edges
    open_edges(t, node)
    for seat in range(here.rules.n_players):
        found.value[seat] = t.edges[found.first_edge].static[seat]


# A move's draws.


@kernel(i8(SearchType, i8, i8, i8[::1]))
def choose_design(t, node, k, copies):
    """Return the design drawn next after the move of edge k; write each design's number of copies.

    Each design is drawn in proportion to its copies, evenly spaced, starting at a random time.
    """
    s = t.states[HERE]
    n_seen = room_for(N_DESIGNS)
    copies[:], n_seen[:] = 0, 0
    for place in range(first_drawable(s, s.n_bag), s.n_bag):
        copies[s.bag[place]] += may_draw(s, s.bag[place])
    child = t.edges[k].outcome
    while child != NO_NODE:
        if t.nodes[child].design != NO_DESIGN:
            n_seen[t.nodes[child].design] = t.nodes[child].n_visits
        child = t.nodes[child].next
    chosen, earliest = NO_DESIGN, 1e18
    for design in range(N_DESIGNS):
        if copies[design] > 0:
            delay = share_of(mixed(s, t.nodes[node].seed, design))
            time = (n_seen[design] + delay) / copies[design]
            if time < earliest:
                chosen, earliest = design, time
    return chosen


@kernel(i8(SearchType, i8, i8))
def outcome_of(t, k, design):
    """Return the outcome of edge k for a design, or NO_NODE."""
    child = t.edges[k].outcome
    while child != NO_NODE and t.nodes[child].design != design:
        child = t.nodes[child].next
    return child


@kernel(i8(SearchType, i8, i8, i8, u8))
def add_outcome(t, k, design, share, seed):
    """Add an outcome to edge k and return its node, which is not yet expanded."""
    head = t.heads[0]
    node = head.n_nodes
    head.n_nodes += 1
    child = t.nodes[node]
    child.seed, child.design, child.share, child.n_visits = seed, design, share, 0
    child.next = t.edges[k].outcome
    t.edges[k].outcome = node
    return node


@kernel(i8(SearchType, i8[::1]))
def settle(t, actions):
    """Make decisions that have a single choice; write the actions of the next real decision."""
    n = legal(t.states, HERE, actions)
    while n == 1:
        apply(t.states, HERE, actions[0])
        n = legal(t.states, HERE, actions)
    return n


@kernel(i8(SearchType, i8, i8, i8[::1]))
def follow(t, node, k, actions):
    """Play the move of edge k from a node that a simulation has reached, and return the outcome.

    The move may draw tiles. Draws during single-choice decisions after the move count as its own.
    """
    here, edge = t.states[HERE], t.edges[k]
    copies = room_for(N_DESIGNS)
    design, share, seed = NO_DESIGN, 1, t.nodes[node].seed
    if edge.is_drawing != 0:
        design = choose_design(t, node, k, copies)
        if design != NO_DESIGN:
            share = copies[design]
        seed = mixed(here, seed, N_DESIGNS + design)
        reshuffle(t.states, HERE, seed)
        put_on_top(here, design)
    n_bag, n_down = here.n_bag, n_face_down(here)
    play_move(t, HERE, k)
    settle(t, actions)
    if edge.is_drawing == UNKNOWN:
        edge.is_drawing = here.n_bag < n_bag or n_face_down(here) < n_down
        if edge.is_drawing == 0:
            design, share = NO_DESIGN, 1
    child = outcome_of(t, k, design)
    if child == NO_NODE:
        child = add_outcome(t, k, design, share, mixed(here, seed, 2 * N_DESIGNS))
    return child


# Results, back up to the root.


@kernel(i8(i8, i8))
def pair_of(decider, seat):
    """Return the index of a pair of seats."""
    return decider * MAX_PLAYERS + seat


@kernel(void(SearchType, i8, i8))
def note_luck(t, node, k):
    """Record how the draw that led by edge k to a new node changed each seat's value."""
    head, found = t.heads[0], t.nodes[node]
    if found.design == NO_DESIGN or found.n_edges == 0:
        return
    for seat in range(t.states[ROOT].rules.n_players):
        pair = pair_of(found.decider, seat)
        change = found.value[seat] - t.edges[k].static[seat]
        head.luck[pair * N_DESIGNS + found.design] += change
        head.draws[pair * N_DESIGNS + found.design] += 1.0
        head.all_luck[pair] += change
        head.all_draws[pair] += 1.0


@kernel(f8(SearchType, i8, i8))
def luck_of(t, node, seat):
    """Return how much better for a seat the design that led to a node is than other designs.

    With more than two players, evaluations for the player who has just moved and for the one who
    moves next are not comparable. In that case, the design is compared with no draw instead.
    """
    head, found = t.heads[0], t.nodes[node]
    if found.design == NO_DESIGN or found.n_edges == 0:
        return 0.0
    pair = pair_of(found.decider, seat)
    mean = head.all_luck[pair] / max(head.all_draws[pair], 1.0)
    place, trust = pair * N_DESIGNS + found.design, head.luck_trust
    luck = (head.luck[place] + trust * mean) / (head.draws[place] + trust)
    return luck - mean if t.states[ROOT].rules.n_players == 2 else luck


@kernel(void(SearchType, i8))
def average(t, k):
    """Set edge k's value to the average of its outcomes, mixed with some of its one-ply value."""
    edge, n = t.edges[k], t.states[ROOT].rules.n_players
    if edge.outcome == NO_NODE:
        return
    own = t.heads[0].trust / (t.heads[0].trust + edge.n_visits)
    for seat in range(n):
        total, weight = 0.0, 0.0
        child = edge.outcome
        while child != NO_NODE:
            share = t.nodes[child].share
            total += share * (t.nodes[child].value[seat] - luck_of(t, child, seat))
            weight += share
            child = t.nodes[child].next
        edge.value[seat] = own * edge.static[seat] + (1.0 - own) * total / weight


@kernel(i8(SearchType, i8))
def best_edge(t, node):
    """Return the edge of a node that is worth most to its decider."""
    first, n, seat = t.nodes[node].first_edge, t.nodes[node].n_edges, t.nodes[node].decider
    best = first
    for k in range(first + 1, first + n):
        if t.edges[k].value[seat] > t.edges[best].value[seat]:
            best = k
    return best


@kernel(void(SearchType, i8))
def back_up(t, node):
    """Set a node's value to that of its best edge."""
    best = best_edge(t, node)
    for seat in range(t.states[ROOT].rules.n_players):
        t.nodes[node].value[seat] = t.edges[best].value[seat]


# Simulations.


@kernel(i8(SearchType, i8))
def select(t, node):
    """Return the edge of a node that most deserves a visit, by value, prior and visits (PUCT)."""
    found = t.nodes[node]
    scale = t.heads[0].exploration * sqrt(found.n_visits)
    chosen, best = -1, -1e18
    for k in range(found.first_edge, found.first_edge + found.n_edges):
        edge = t.edges[k]
        worth = edge.value[found.decider] + scale * edge.prior / (1.0 + edge.n_visits)
        if worth > best:
            chosen, best = k, worth
    return chosen


@kernel(i8(SearchType, i8))
def least_visited(t, n):
    """Return the first of the root's first n edges that has the fewest visits."""
    least = 0
    for k in range(1, n):
        if t.edges[k].n_visits < t.edges[least].n_visits:
            least = k
    return least


@kernel(void(SearchType, i8))
def simulate(t, n_candidates):
    """Play from the root to a new node, choosing the edges to visit, and back up its value."""
    path, through = room_for(MAX_DEPTH), room_for(MAX_DEPTH)
    actions = room_for(MAX_LEGAL)
    copy_in_use(t.states[HERE], t.states[ROOT])
    node, depth, is_new = 0, 0, False
    while not is_new and depth < MAX_DEPTH and t.nodes[node].n_edges > 0:
        k = least_visited(t, n_candidates) if node == 0 else select(t, node)
        path[depth], through[depth] = node, k
        depth += 1
        node = follow(t, node, k, actions)
        is_new = t.nodes[node].n_visits == 0
        if is_new:
            expand(t, node, actions, legal(t.states, HERE, actions))
            note_luck(t, node, k)
        t.nodes[node].n_visits += 1
    for step in range(depth - 1, -1, -1):
        t.edges[through[step]].n_visits += 1
        average(t, through[step])
        if path[step] == 0:
            t.nodes[0].n_visits += 1
        back_up(t, path[step])


@kernel(b1(SearchType))
def has_room(t):
    """Return whether there is room for another node."""
    head = t.heads[0]
    n_left = t.edges.shape[0] - head.n_edges
    return head.n_nodes < t.nodes.shape[0] and n_left >= head.width


# Entry points for Python.


@entry_point(void(SearchType, u8))
def plant(t, seed):
    """Begin a search at the game in the first record, whose hidden tiles have been shuffled."""
    head, root = t.heads[0], t.nodes[0]
    actions = room_for(MAX_LEGAL)
    head.n_nodes, head.n_edges = 1, 0
    head.luck[:], head.draws[:], head.all_luck[:], head.all_draws[:] = 0.0, 0.0, 0.0, 0.0
    root.seed, root.design, root.share, root.next, root.n_visits = seed, NO_DESIGN, 1.0, NO_NODE, 0
    copy_in_use(t.states[HERE], t.states[ROOT])
    expand(t, 0, actions, legal(t.states, HERE, actions))
    head.n_edges += 1  # the spare edge for rank()


@entry_point(i8(SearchType, i8, i8))
def grow(t, n_simulations, n_candidates):
    """Run simulations, sharing the visits among the root's first edges; return how many were run.

    If the tree is full, fewer simulations are run than requested.
    """
    for done in range(n_simulations):
        if not has_room(t):
            return done
        simulate(t, n_candidates)
    return n_simulations


@entry_point(void(SearchType, i8))
def rank(t, n_candidates):
    """Sort the root's first edges by their current value, best first."""
    seat, spare = t.nodes[0].decider, t.nodes[0].n_edges
    for k in range(n_candidates):
        average(t, k)
        t.edges[spare] = t.edges[k]
        place = k
        while place > 0 and t.edges[place - 1].value[seat] < t.edges[spare].value[seat]:
            t.edges[place] = t.edges[place - 1]
            place -= 1
        t.edges[place] = t.edges[spare]
