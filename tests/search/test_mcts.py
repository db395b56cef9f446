"""Tree search ignores hidden tiles, is reproducible by a seed, and is right if all is known."""

import pickle

import numpy as np
import pytest

from carc_env import Rules, Table, afterstates
from carc_env.engine.core.codes import Phase
from carc_env.search import searcher
from carc_env.search.evaluation import Evaluation
from carc_env.search.features import N_WEIGHTS
from carc_env.search.mcts import Mcts
from carc_env.search.value import value
from tests.engine.short_games import SHORT_GAMES, begun

STANDINGS = Evaluation("standings", value, np.zeros(N_WEIGHTS, np.float32))
"""The lead of a seat if the game were over: the learned value with all weights at 0."""
GAMES = {
    "base, 2 players": (Rules(), 1),
    "base and river, 3 players": (Rules(n_players=3, sets=("base", "river1")), 1),
    "everything, 2 players": (Rules.preset("all"), 1),
    "flocks, 2 players": (Rules.preset("hills-sheep"), 3),
    "everything, 4 players": (Rules.preset("all", n_players=4, auto_single=False), 1),
    "all questions, 3 players": (
        Rules.preset("all", n_players=3, castle_choice="ask", wagon_adjacency="C1"),
        60,
    ),
    "every set, 3 players": (
        Rules.preset("big-box", n_players=3, castle_choice="ask", wagon_adjacency="C1"),
        60,
    ),
}
"""Rules, and the number of games until each phase has occurred."""


def add_each_phase(found, table):
    """Play at random; keep a position with a choice for each phase that is not there yet."""
    while not table.is_over:
        if len(table.legal_actions()) > 1:
            found.setdefault(table.phase, table.clone())
        table.step(table.random_action())


def of_each_phase(tables):
    """Return the first position with a choice of each phase in some games."""
    found = {}
    for table in tables:
        add_each_phase(found, table)
    return list(found.values())


@pytest.fixture(scope="module")
def positions():
    """Return positions of all phases except the end of the game."""
    found = []
    for rules, n in GAMES.values():
        found += of_each_phase(Table(rules, seed=seed) for seed in range(n))
    for short in SHORT_GAMES.values():
        found += of_each_phase(begun(short, seed) for seed in range(8))
    assert {table.phase for table in found} == set(Phase) - {Phase.GAME_OVER}
    return found


def test_what_nobody_can_see_never_changes_a_search(positions):
    agent = Mcts(STANDINGS, sims=8, seed=3)
    n_other = 0
    for table in positions:
        twin = table.clone()
        twin.reshuffle(77)
        n_other += twin.save_state() != table.save_state()
        assert agent.analyse(twin) == agent.analyse(table)
    assert n_other > len(positions) / 2


@pytest.mark.usefixtures("only_trees")
@pytest.mark.parametrize("threads", [1, 3])
def test_visits_sum_up_and_a_seed_decides_everything(positions, threads):
    agents = [Mcts(STANDINGS, sims=20, seed=seed, threads=threads) for seed in (1, 1, 2)]
    n_other = 0
    for table in positions[::5]:
        first, again, other = (agent.analyse(table) for agent in agents)
        assert sum(choice.visits for choice in first) == 20
        actions = [choice.action for choice in first]
        assert set(actions) <= set(table.legal_actions()) and len(set(actions)) == len(actions)
        assert agents[0].act(table) == actions[0]
        assert first[0].visits >= max(choice.visits for choice in first) / 4
        assert again == first
        n_other += other != first
    assert n_other


def test_an_agent_goes_to_another_process_and_thinks_the_same(positions):
    agent = Mcts(STANDINGS, sims=20, seed=6, width=5)
    twin = pickle.loads(pickle.dumps(agent))
    assert [twin.analyse(p) for p in positions[::9]] == [agent.analyse(p) for p in positions[::9]]


def test_a_search_of_some_time_ends_without_simulations_being_counted():
    table = Table(seed=1)
    choices = Mcts(STANDINGS, seconds=0.02).analyse(table)
    assert sum(choice.visits for choice in choices) > 0
    few = Mcts(STANDINGS, seconds=60, sims=5).analyse(table)
    assert sum(choice.visits for choice in few) == 5


def test_numbers_out_of_range_and_games_that_are_over_are_refused():
    for name in ("sims", "threads", "width", "root_width"):
        with pytest.raises(ValueError, match=f"{name} must be at least"):
            Mcts(STANDINGS, **{name: 0})
    for name in ("c", "seed"):
        with pytest.raises(ValueError, match=f"{name} must (not be negative|be from 0)"):
            Mcts(STANDINGS, **{name: -1})
    with pytest.raises(ValueError, match="a search needs seconds or nodes above 0"):
        Mcts(STANDINGS, seconds=0)
    table = near_the_end(0, 1)
    while not table.is_over:
        table.step(table.random_action())
    with pytest.raises(ValueError, match="the game is over"):
        Mcts(STANDINGS, sims=1).analyse(table)


@pytest.fixture
def only_trees(monkeypatch):
    """Keep searches from solving the last tiles."""
    monkeypatch.setattr(searcher, "SOLVED_TILES", -1)


def near_the_end(n_tiles, seed, phase=None):
    """Return a two-player game, played at random until ``n_tiles`` are left in the bag."""
    table = Table(seed=seed)
    while table.n_tiles_left > n_tiles or (phase is not None and table.phase != phase):
        table.step(table.random_action())
    return table


def solve(table, seat):
    """Return the final lead of a seat if both play perfectly and know the order of the tiles."""
    after = afterstates(table)
    leads = [
        points[seat] - points[1 - seat] if is_over else solve(after.table(k), seat)
        for k, (points, is_over) in enumerate(zip(after.standings, after.is_over, strict=True))
    ]
    return max(leads) if table.decider == seat else min(leads)


def lead_after(table, action, seat):
    """Return the expected lead of a seat after an action, over both orders of the last tiles."""
    leads = []
    for order in ([0, 1], [1, 0]):
        twin = table.clone()
        twin.states["bag"][0, :2] = twin.states["bag"][0, order]
        twin.step(action)
        leads.append(solve(twin, seat))
    return sum(leads) / 2


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.usefixtures("only_trees")
def test_the_last_tile_is_placed_as_well_as_can_be(seed):
    table = near_the_end(1, seed)
    leads = {action: -(10**6) for action in table.legal_actions()}
    for action in leads:
        twin = table.clone()
        twin.step(action)
        leads[action] = solve(twin, table.decider)
    best = Mcts(STANDINGS, sims=20_000, width=400, root_width=400).analyse(table)[0]
    assert leads[best.action] == max(leads.values())


@pytest.mark.usefixtures("only_trees")
def test_a_draw_between_two_tiles_is_averaged():
    table = near_the_end(2, 3, Phase.FIGURE)
    leads = {action: lead_after(table, action, table.decider) for action in table.legal_actions()}
    choices = Mcts(STANDINGS, sims=4000, width=400).analyse(table)
    assert leads[choices[0].action] == max(leads.values())
    assert choices[0].value == pytest.approx(max(leads.values()), abs=0.5)


@pytest.mark.interpreted
@pytest.mark.usefixtures("only_trees")
def test_a_small_search_runs_without_the_jit():
    table = near_the_end(1, 1, Phase.FIGURE)
    choices = Mcts(STANDINGS, sims=6).analyse(table)
    assert sum(choice.visits for choice in choices) == 6
    assert choices[0].action in table.legal_actions()


def test_the_end_of_a_game_is_solved_and_planned_figures_are_placed():
    table = near_the_end(1, 0)
    found = Mcts(STANDINGS, sims=10**5).look(table)
    assert {line.depth for line in found} == {searcher.SOLVED}
    table, agent = Table(seed=2), Mcts(STANDINGS, sims=40)
    n_planned = 0
    for _ in range(12):
        best, is_placing = agent.look(table)[0], table.phase == Phase.PLACE_TILE
        table.step(agent.act(table))
        if is_placing and table.phase == Phase.FIGURE:
            assert agent.act(table) == best.figure
            n_planned += 1
    assert n_planned > 2


def test_more_threads_than_simulations():
    found = Mcts(STANDINGS, sims=2, threads=3).look(Table(seed=1))
    assert sum(line.visits for line in found) == 2
