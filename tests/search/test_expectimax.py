"""Expectimax: hidden tiles, limits, and the expectation that it computes."""

import pickle

import numpy as np
import pytest

from carc_env import Game, Rules, Table, parse_position
from carc_env.engine import entry
from carc_env.engine.core.codes import Phase
from carc_env.search import expectimax
from carc_env.search.evaluation import GREEDY, NO_WEIGHTS
from carc_env.search.expectimax import Expectimax
from carc_env.search.features import starting_weights
from carc_env.search.players import value_with
from carc_env.search.searcher import ANSWERED, ONE_PLY, SAMPLED, SOLVED
from carc_env.search.solving import Solver

from .games import FACE_DOWN
from .test_solving import ending, small_ending

VALUE = value_with(starting_weights())

SYSTEMS = [
    Rules(),
    Rules(n_players=3),
    Rules.preset("river"),
    Rules.preset("all"),
    Rules.preset("all", n_players=4, bazaar_mode="take", castle_choice="ask"),
    Rules.preset("bridges", bridge_timing="any_time_before_scoring", auto_single=False),
]


def positions(rules, each=2):
    """Yield some positions of a random game from each phase that occurs in it."""
    table, found = Table(rules, seed=5), {phase: 0 for phase in Phase}
    n = 0
    while not table.is_over:
        n += 1
        if len(table.legal_actions()) > 1 and found[table.phase] < each and n % 3:
            found[table.phase] += 1
            yield table.clone()
        table.step(table.random_action())


@pytest.mark.parametrize(
    ("scatter", "expected"),
    [(0.5, expectimax.TRUST), (2.0, 4 / expectimax.SPREAD), (4.0, 16 / expectimax.SPREAD)],
)
def test_samples_that_scatter_more_count_less(scatter, expected):
    rng = np.random.default_rng(1)
    gains = rng.normal([[0.0], [1.0], [5.0]], scatter, (3, 4000))
    luck = rng.normal(0.0, 30.0, 4000)  # of tiles that are good for all candidates
    found = expectimax.samples_known(gains + luck)
    assert found == pytest.approx(expected, rel=0.1)
    assert found == pytest.approx(expectimax.samples_known(gains))


@pytest.mark.parametrize("rules", SYSTEMS)
def test_hidden_tiles_never_matter(rules):
    for table in positions(rules):
        before = table.save_state()
        lines = Expectimax(VALUE, nodes=3000).look(table)
        assert table.save_state() == before
        assert sorted(line.action for line in lines) == table.legal_actions()
        twin = table.clone()
        twin.reshuffle(99)
        assert Expectimax(VALUE, nodes=3000).look(twin) == lines
        assert Expectimax(VALUE, nodes=3000).act(twin) == lines[0].action


# Without the JIT, the replies in such a large game take ten minutes; a short game follows below.
@pytest.mark.parametrize("nodes", [pytest.param(100, marks=pytest.mark.interpreted), 500])
def test_tiles_face_down_never_matter(nodes):
    table = Game.from_position(parse_position(FACE_DOWN))
    twin = table.clone()
    twin.reshuffle(3)
    lines = Expectimax(VALUE, nodes=nodes).look(table)
    assert Expectimax(VALUE, nodes=nodes).look(twin) == lines


@pytest.mark.interpreted
def test_a_few_nodes_of_a_short_game_are_sampled():
    table = small_ending(Rules(), 9, n_placed=3)
    lines = Expectimax(VALUE, nodes=2500).look(table)
    assert {line.depth for line in lines} == {SAMPLED}
    assert sorted(line.action for line in lines) == table.legal_actions()


@pytest.mark.parametrize("rules", [Rules(), Rules.preset("all", n_players=3)])
def test_threads_make_no_difference(rules):
    for table in positions(rules, each=1):
        lines = Expectimax(VALUE, nodes=4000).look(table)
        assert Expectimax(VALUE, nodes=4000, threads=3).look(table) == lines


def test_more_nodes_look_deeper():
    (table,) = [table for _, table in zip(range(1), positions(Rules(), each=9), strict=False)]
    for nodes in (2000, 8000, 32000):
        agent = Expectimax(VALUE, nodes=nodes)
        lines = agent.look(table)
        assert lines[0].depth == SAMPLED
        assert nodes / 20 < agent.n_nodes < 1.05 * nodes
    assert Expectimax(VALUE, nodes=1).look(table)[0].depth == ONE_PLY


def replies(table):
    """Yield the value of each of the decider's moves, a tile placement with a figure action."""
    n_bag, seat = table.n_tiles_left, table.decider
    for action in table.legal_actions():
        placed = table.clone()
        placed.step(action)
        for figure in placed.legal_actions():
            after = placed.clone()
            after.step(figure)
            after.states["n_bag"] = n_bag
            yield entry.greedy(after.states[0], seat, NO_WEIGHTS)


def test_two_plies_are_the_mean_over_all_draws_of_the_best_reply(monkeypatch):
    monkeypatch.setattr(expectimax, "MAX_CLOSE", 1)
    table = ending(Rules(auto_single=False), n_left=7, n_placed=3)
    while table.phase != Phase.PLACE_TILE:
        table.step(table.random_action())
    n_left = table.n_tiles_left
    lines = Expectimax(GREEDY, nodes=10**6).look(table)
    lines = [line for line in lines if line.depth == ANSWERED]
    for line in lines:
        found = []
        for place in range(n_left):
            after = table.clone()
            bag = after.states["bag"][0]
            bag[[place, n_left - 1]] = bag[[n_left - 1, place]]
            after.step(line.action)
            after.step(line.figure)
            assert after.phase == Phase.PLACE_TILE
            found.append(-max(replies(after)))
        assert line.value == pytest.approx(np.mean(found))
    assert len(lines) > 5
    assert lines[0].value == max(line.value for line in lines)


def test_an_analysis_says_what_was_found():
    table, agent = Table(seed=8), Expectimax(VALUE, nodes=2000)
    found = agent.look(table)
    assert agent.analyse(table) == [(line.action, line.value, line.visits) for line in found]
    assert pickle.loads(pickle.dumps(agent)).look(table) == found


def test_the_last_tiles_are_solved():
    table = ending(Rules(), n_left=1, n_placed=3)
    lines = Expectimax(VALUE, nodes=10**6).look(table)
    leads = Solver().solve(table, max_nodes=10**6).leads[:, table.decider]
    assert {line.depth for line in lines} == {SOLVED}
    assert lines[0].value == leads.max()


def test_it_plays_the_figure_that_it_has_planned():
    table, agent = Table(seed=2), Expectimax(VALUE, nodes=2000)
    n_planned = 0
    for _ in range(12):
        lines = agent.look(table)
        is_placing = table.phase == Phase.PLACE_TILE
        table.step(agent.act(table))
        if is_placing and table.phase == Phase.FIGURE:
            table.reshuffle(7)
            assert agent.act(table) == lines[0].figure
            n_planned += 1
    assert n_planned > 2


@pytest.mark.parametrize("limits", [{}, {"seconds": 0}, {"nodes": -1}])
def test_it_needs_a_limit(limits):
    with pytest.raises(ValueError, match="a search needs seconds or nodes above 0, got seconds="):
        Expectimax(VALUE, **limits)


def test_it_plays_games_by_the_clock():
    table, agent = ending(Rules.preset("all"), n_left=3), Expectimax(VALUE, seconds=0.005)
    while not table.is_over:
        table.step(agent.act(table))
    with pytest.raises(ValueError, match="there is nothing to search because the game is over"):
        agent.look(table)


def test_numbers_out_of_range_are_refused():
    for seed in (-1, 2**32):
        with pytest.raises(ValueError, match="seed must be from 0"):
            Expectimax(VALUE, nodes=1, seed=seed)
    with pytest.raises(ValueError, match="threads must be at least 1"):
        Expectimax(VALUE, nodes=1, threads=0)


def test_what_is_left_behind_a_failed_solution_is_a_whole_budget():
    table = ending(Rules.preset("all"), n_left=2, n_placed=20)
    agent = Expectimax(VALUE, nodes=3000)
    assert {line.depth for line in agent.look(table)} & {ANSWERED, SAMPLED}
    assert 0.7 * 3000 < agent.n_nodes
