"""Exact solutions of game ends equal a Python search of all bag orders and all replies."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

from carc_env import Game, Rules, Table, parse_position
from carc_env.engine.core.codes import Outcome, Phase
from carc_env.engine.core.state import NO_OUTCOME
from carc_env.search.solving import Solver

from .games import FACE_DOWN


def leads(table):
    scores = table.scores
    return np.array([own - max(scores[:k] + scores[k + 1 :]) for k, own in enumerate(scores)])


def worth(table):
    """Return the value of a game for every seat; each decider takes the lowest best action."""
    if table.is_over:
        return leads(table)
    best = None
    for action in table.legal_actions():
        found = expected(table, action)
        if best is None or found[table.decider] > best[table.decider] + 1e-9:
            best = found
    return best


def expected(table, action):
    """Return the value of an action for every seat, averaged over tiles, tokens and dice."""
    total, n_all = 0.0, 0
    for after, n in outcomes(table, action):
        total, n_all = total + n * worth(after), n_all + n
    return total / n_all


def outcomes(table, action):
    """Return the games after an action, over all orders of unseen tiles, with their frequencies."""
    s = table.states[0]
    places = [*range(table.n_tiles_left), *s.hidden[: s.n_hidden].tolist()]
    drawn = {}
    for token, n in tokens(table, action):
        for of_bag in permutations(places, table.n_tiles_left):
            order = [*of_bag, *(place for place in places if place not in of_bag)]
            after = table.clone()
            after.states["next_token"] = token
            after.states["bag"][0, places] = s.bag[order]
            after.step(action)
            after.states["next_token"] = NO_OUTCOME
            tiles = (token, *s.bag[order[after.n_tiles_left : table.n_tiles_left]].tolist())
            drawn.setdefault(tiles, [after, 0])[1] += n
    return drawn.values()


def tokens(table, action):
    """Return the tokens or die rolls that can come up, with their frequencies (HS-44, FLY-01)."""
    if not (table.rules.shepherds or table.rules.flier):
        return [(NO_OUTCOME, 1)]
    name = table.name(action)
    if name.startswith("shepherd ") or (table.phase == Phase.FLOCK and name == "grow"):
        in_bag = [4, 5, 5, 2, 2]
        for flock in table.position().sheep:
            for sheep in flock:
                in_bag[sheep - 1] -= 1
        return list(enumerate(in_bag))
    if name.startswith("fly "):
        return [(Outcome.ONE_CELL + k, 1) for k in range(3)]
    return [(NO_OUTCOME, 1)]


def small_ending(rules, n_left, n_placed):
    """Return an ending with few legal actions, because Python is slow."""
    endings = [ending(rules, n_left, n_placed, seed) for seed in range(20)]
    return min(endings, key=lambda table: len(table.legal_actions()))


def ending(rules, n_left, n_placed=0, seed=0, phase=None):
    """Return a game with few tiles on the table and few in the bag, at a decision."""
    table = Game(rules, seed=seed)
    while table.states[0].n_tiles <= n_placed or table.phase not in (
        phase or table.phase,
        Phase.GAME_OVER,
    ):
        table.step(table.random_action())
    position = table.position()
    bag = position.bag[:n_left]
    aside = position.aside + position.bag[n_left:]
    return Game.from_position(replace(position, bag=bag, aside=aside))


ENDINGS = [
    (Rules(), 0, 5),
    (Rules(), 1, 2),
    (Rules(abbot=False, edition="C1"), 2, 0),
    (Rules(n_players=3), 1, 2),
    (Rules.preset("river"), 2, 0),
    (Rules.preset("traders"), 1, 1),
    (Rules.preset("abbey-mayor", n_players=3), 1, 0),
    (Rules.preset("bridges"), 1, 0),
    (Rules.preset("all", auto_single=False), 1, 1),
    (Rules.preset("flier"), 1, 1),
]


@pytest.mark.parametrize(("rules", "n_left", "n_placed"), ENDINGS)
def test_it_finds_what_all_orders_and_all_replies_give(rules, n_left, n_placed):
    table = small_ending(rules, n_left, n_placed)
    before = table.save_state()
    found = Solver().solve(table, max_nodes=10**6)
    assert found.actions.tolist() == table.legal_actions()
    for action, row in zip(found.actions.tolist(), found.leads, strict=True):
        np.testing.assert_allclose(row, expected(table, action), atol=1e-9)
    assert table.save_state() == before


def hills_ending(n_left, phase):
    """Return an ending with a tile under a hill, in which an action can draw a token at once."""
    for seed in range(500):
        table = ending(Rules.preset("hills-sheep"), n_left, 4, seed, phase)
        actions = table.legal_actions()
        is_drawing = any(len(tokens(table, action)) > 1 for action in actions)
        if is_drawing and table.position().hidden and table.states[0].n_tiles < 14:
            return table
    raise AssertionError("no game has one")


@pytest.mark.parametrize(("n_left", "phase"), [(1, Phase.FIGURE), (0, Phase.FLOCK)])
def test_tiles_under_hills_and_tokens_are_chance(n_left, phase):
    table = hills_ending(n_left, phase)
    found = Solver().solve(table, max_nodes=10**6)
    twin = table.clone()
    s = twin.states[0]
    places = [*range(s.n_bag), *s.hidden[: s.n_hidden]]
    s.bag[places] = s.bag[places[::-1]]
    np.testing.assert_array_equal(found.leads, Solver().solve(twin, max_nodes=10**6).leads)
    for action, row in zip(found.actions.tolist(), found.leads, strict=True):
        np.testing.assert_allclose(row, expected(table, action), atol=1e-9)


@pytest.mark.interpreted
@pytest.mark.parametrize("seed", [1, 4])
def test_windows_keep_the_best_action_and_save_nodes(seed):
    table = ending(Rules(), 1, n_placed=12, seed=seed)
    exact = Solver().solve(table, max_nodes=10**7)
    found = Solver().solve(table, max_nodes=10**7, all_exact=False)
    own = table.decider
    assert found.leads[:, own].max() == exact.leads[:, own].max()
    assert found.leads[:, own].argmax() == exact.leads[:, own].argmax()
    assert (found.leads[:, own] >= exact.leads[:, own] - 1e-9).all()
    assert found.n_nodes < exact.n_nodes


def test_games_solved_before_make_no_difference():
    busy = Solver()
    for seed in range(6):
        table, fresh = ending(Rules(), 2, n_placed=12, seed=seed), Solver()
        for solver in (busy, fresh):
            solver.solve(table, max_nodes=10**6, all_exact=False)
        assert busy.n_nodes == fresh.n_nodes > 100


def test_hidden_tiles_make_no_difference():
    table = ending(Rules(), 2)
    twin = table.clone()
    twin.states["bag"][0, :2] = twin.states["bag"][0, 1::-1]
    one, other = (Solver().solve(game, max_nodes=10**6) for game in (table, twin))
    np.testing.assert_array_equal(one.leads, other.leads)


@pytest.mark.parametrize("case", ["too many tiles", "too many nodes", "face down"])
def test_what_cannot_be_solved(case):
    if case == "face down":
        table = Game.from_position(parse_position(FACE_DOWN))
    else:
        table = Table(seed=1) if case == "too many tiles" else ending(Rules(), 2)
    assert Solver().solve(table, max_nodes=100) is None


def test_time_ends_what_would_take_hours():
    table, solver = ending(Rules.preset("all"), n_left=4, n_placed=20), Solver()
    assert solver.solve(table, max_nodes=10**15, seconds=0.01) is None
    assert 0 < solver.n_nodes < 10**9


def test_what_was_solved_in_time_is_a_solution_if_the_first_actions_are_named():
    table = ending(Rules(), n_left=1, n_placed=3)
    whole = Solver().solve(table, max_nodes=10**7)
    leads = dict(zip(whole.actions.tolist(), whole.leads.tolist(), strict=True))
    first = sorted(leads, key=lambda action: -leads[action][table.decider])
    n_solved = set()
    for max_nodes in range(whole.n_nodes // 10, whole.n_nodes, whole.n_nodes // 10):
        assert Solver().solve(table, max_nodes=max_nodes) is None
        part = Solver().solve(table, max_nodes=max_nodes, first=first)
        if part is not None:
            n = len(part.actions)
            assert part.actions.tolist() == first[:n] and not part.is_complete
            assert part.leads.tolist() == [leads[action] for action in first[:n]]
            n_solved.add(n)
    assert len(n_solved) > 2 and max(n_solved) < len(first)
    again = Solver().solve(table, max_nodes=10**7, first=first[:2])
    assert again.is_complete and again.actions.tolist()[:2] == first[:2]
    quick = Solver().solve(table, max_nodes=10**7, all_exact=False, first=first)
    assert quick.leads[0].tolist() == leads[first[0]] and quick.n_nodes < whole.n_nodes
    assert quick.leads[:, table.decider].argmax() == 0
