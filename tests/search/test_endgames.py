"""Solved endgames: their files, their values, how they are made, and the regret of agents."""

import io
import json
import re
from dataclasses import replace

import numpy as np
import pytest
from carc_env.agents.arena import AgentError
from carc_env.agents.endgames import EQUAL, UNSOLVED, Recipe, tiles_left
from carc_env.agents.regret import Questions, regret_of, tau_b

from carc_env import Rules, Table
from carc_env.game.endgames import VERSION, Endgame, Endgames, pack, shipped_endgames, unpack
from carc_env.search.analysis import Line
from carc_env.search.solving import Solver

from .test_solving import ending, expected

pytestmark = pytest.mark.once

RULES = Rules(abbot=False)
RECIPE = Recipe(RULES, tiles=(1, 0), seed=3)
SETS = {
    "base-2": Rules(),
    "base-3": Rules(n_players=3),
    "everything-2": Rules.preset("all"),
    "hills-sheep-2": Rules.preset("hills-sheep"),
    "princess-dragon-2": Rules.preset("princess-dragon"),
    "tower-2": Rules.preset("tower"),
}


@pytest.fixture(scope="module")
def made():
    """Return a set of three endgames that the recipe makes."""
    found = tuple(RECIPE.make(number).endgame for number in range(3))
    return Endgames(RULES, found, {"seed": 3})


# Files.


def fields(endgame):
    return endgame.position, endgame.actions, endgame.values.tolist(), endgame.number


def test_a_set_comes_back_as_it_was_written(made):
    found = unpack("here", pack(made))
    assert (found.rules, found.about) == (RULES, {"seed": 3})
    assert [*map(fields, found.endgames)] == [*map(fields, made.endgames)]
    assert unpack("here", pack(Endgames(RULES, (), {}))).endgames == ()


def changed(made, meta=None, **arrays):
    with np.load(io.BytesIO(pack(made)), allow_pickle=False) as found:
        content = dict(found) | {key: change(found[key]) for key, change in arrays.items()}
    content["meta"] = np.array(json.dumps(json.loads(str(content["meta"])) | (meta or {})))
    file = io.BytesIO()
    np.savez_compressed(file, **content)
    return file.getvalue()


def shortened(content):
    return content[: len(content) // 2]


def flipped(content):
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 255]) + content[middle + 1 :]


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda made: b"", "x.npz holds no solved endgames"),
        (lambda made: b"PK\x03\x04 something else", "x.npz holds no solved endgames"),
        (lambda made: shortened(pack(made)), "x.npz holds no solved endgames"),
        (lambda made: flipped(pack(made)), "x.npz holds no solved endgames"),
        (lambda made: changed(made, {"format": "recipes"}), "its format is 'recipes'"),
        (lambda made: changed(made, {"version": VERSION + 1}), "generate them again"),
        (lambda made: changed(made, {"rules": {"n_players": 9}}), "n_players"),
        (lambda made: changed(made, values=lambda a: a[1:]), "names, .* values"),
        (lambda made: changed(made, values=lambda a: a * np.nan), "not a number of points"),
        (
            lambda made: changed(made, values=lambda a: a.astype(int)),
            "values.npy is int64 with 1 axes, not float64",
        ),
        (lambda made: changed(made, numbers=lambda a: a[1:]), "3 positions, 2 numbers"),
        (lambda made: changed(made, n_actions=lambda a: a * 0), "0 actions"),
    ],
)
def test_what_is_no_set_is_refused(made, damage, message):
    with pytest.raises(ValueError, match=message):
        unpack("x.npz", damage(made))


def test_weights_are_no_endgames():
    content = io.BytesIO()
    np.savez_compressed(content, meta=np.array(json.dumps({"features": 1})))
    with pytest.raises(ValueError, match="x holds no solved endgames: 'format'"):
        unpack("x", content.getvalue())


def test_a_position_that_changed_its_meaning_is_refused(made):
    endgame = made.endgames[0]
    with pytest.raises(ValueError, match=r"under other rules: .* they differ by"):
        replace(endgame, actions=endgame.actions[1:]).game()
    with pytest.raises(ValueError, match="their order"):
        replace(endgame, actions=endgame.actions[::-1]).game()
    with pytest.raises(ValueError, match="endgame 0 holds no valid position"):
        replace(endgame, position="[something]\n").game()


# The sets that come with the package.


@pytest.mark.parametrize("name", SETS)
def test_a_shipped_set_holds_what_is_said(name):
    found = shipped_endgames()[name]
    assert found.rules == SETS[name]
    assert len({endgame.number for endgame in found.endgames}) == len(found.endgames) == 500
    assert len({endgame.position for endgame in found.endgames}) == 500
    rules = f"[rules {found.rules.to_yaml()}]"
    for endgame in found.endgames:
        assert len(endgame.actions) == len({*endgame.actions}) > 1
        assert np.ptp(endgame.values) > 1e-9
        assert rules in endgame.position
        bag = re.search(r"^\[bag(.*)\]$", endgame.position, re.MULTILINE)
        assert bag is None or bag[1].split() == sorted(bag[1].split())
    verbs = {re.search(r"\[turn . (\w+)", endgame.position)[1] for endgame in found.endgames}
    assert {"places", "acts"} <= verbs
    if name == "everything-2":
        assert {"moves", "decides", "bids"} <= verbs


@pytest.mark.parametrize("name", SETS)
def test_a_sample_of_a_shipped_set_is_solved_anew(name):
    found = shipped_endgames()[name]
    recipe = Recipe(found.rules, tuple(found.about["tiles"]), max_nodes=100_000)
    n_solved = 0
    for endgame in found.endgames[::25]:
        game = endgame.game(seed=9)
        assert tiles_left(game) == recipe.tiles[endgame.number % len(recipe.tiles)]
        if isinstance(again := recipe.solved(game, endgame.number), Endgame):
            assert again.position == endgame.position and again.actions == endgame.actions
            np.testing.assert_allclose(again.values, endgame.values, rtol=0, atol=1e-9)
            n_solved += 1
    assert n_solved >= 5


# The values.


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("n_left", [1, 2])
def test_plain_python_finds_the_same_values(name, n_left):
    """The test checks two decisions with small trees, because Python is slow."""
    found, sizes = shipped_endgames()[name], []
    first = found.about["tiles"].index(n_left)
    for endgame in found.endgames[first :: len(found.about["tiles"])]:
        if len(endgame.actions) < 4 and len(sizes) < 20:
            game = endgame.game()
            assert tiles_left(game) == n_left
            solution = Solver().solve(game, max_nodes=10_000)
            if solution is not None:
                sizes.append((solution.n_nodes, endgame.number, endgame, game))
    for _, _, endgame, game in sorted(sizes, key=lambda row: row[:2])[:2]:
        table = game if game.rules.shepherds else Table.at(game.rules, game.states)  # quicker
        own = [expected(table, action)[table.decider] for action in table.legal_actions()]
        np.testing.assert_allclose(own, endgame.values, rtol=0, atol=1e-9)


# How they are made.


def test_a_number_makes_the_same_endgame_again(made):
    for number in (2, 0):
        assert fields(RECIPE.make(number).endgame) == fields(made.endgames[number])
    assert len({endgame.position for endgame in made.endgames}) == 3
    for endgame in made.endgames:
        assert tiles_left(endgame.game()) == RECIPE.tiles[endgame.number % 2]


def test_what_makes_no_endgame_is_said(monkeypatch):
    table = ending(Rules(), 1, n_placed=12, seed=1)
    assert isinstance(Recipe(Rules()).solved(table), Endgame)
    assert Recipe(Rules(), max_nodes=50).solved(table) == UNSOLVED
    monkeypatch.setattr("carc_env.agents.endgames.ALMOST", 1e6)
    assert Recipe(Rules()).solved(table) == EQUAL


@pytest.mark.parametrize("wrong", [{"tiles": ()}, {"tiles": (-1,)}, {"max_nodes": 0}])
def test_a_recipe_that_is_none_is_refused(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        Recipe(RULES, **wrong)


# Regret.


class Oracle:
    """Agent that knows the values, takes the action of a given rank and scales the values."""

    def __init__(self, found, rank=0, factor=1.0):
        self.found, self.rank, self.factor = found, rank, factor

    def values(self, table):
        name = tuple(map(table.name, table.legal_actions()))
        (endgame,) = [e for e in self.found.endgames if e.actions == name]
        return dict(zip(table.legal_actions(), endgame.values.tolist(), strict=True))

    def act(self, table):
        values = self.values(table)
        return sorted(values, key=lambda action: -values[action])[self.rank]

    def analyse(self, table):
        return [Line(action, self.factor * v, 1) for action, v in self.values(table).items()]


def answers(made, agent, **options):
    return Questions(made, {"agent": agent}, **options).ask(("agent", range(3)))


def test_the_best_action_gives_nothing_away_and_the_worst_all(made):
    pytest.importorskip("scipy")
    best = regret_of(answers(made, Oracle(made)))
    assert best.regret.value == best.worst == 0.0 and best.best.value == 1.0
    assert best.tau.value == pytest.approx(1.0) and best.n == best.n_ranked == 3
    worst = answers(made, Oracle(made, rank=-1, factor=-1.0))
    spans = [np.ptp(endgame.values) for endgame in made.endgames]
    assert [answer.regret for answer in worst] == spans
    assert regret_of(worst).regret.value == pytest.approx(np.mean(spans))
    assert regret_of(worst).best.value == 0.0
    assert regret_of(worst).tau.value == pytest.approx(-1.0)


class Mute:
    """Agent that does not rank its actions."""

    def act(self, table):
        return table.legal_actions()[0]


def test_who_ranks_nothing_has_no_tau(made):
    for found in (answers(made, Mute()), answers(made, Oracle(made), ranks=False)):
        assert [answer.tau for answer in found] == [None] * 3
        assert regret_of(found).tau is None
    with pytest.raises(ValueError, match="there are no answers"):
        regret_of([])


def test_tau_counts_ties():
    pytest.importorskip("scipy")
    assert tau_b([1, 2, 3], [1, 2, 3]) == pytest.approx(1.0)
    assert tau_b([1, 2, 3], [3, 2, 1]) == pytest.approx(-1.0)
    assert tau_b([1, 2, 3], [5, 5, 6]) == pytest.approx(2 / 6**0.5)
    assert tau_b([1, 2, 3], [5 + 1e-13, 5, 5]) is None


def test_an_agent_that_fails_is_named(made):
    class Cheat:
        def act(self, table):
            return -1

    with pytest.raises(AgentError, match=r"agent in endgame 0: Cheat: .* not legal"):
        answers(made, Cheat())


def test_tasks_cover_all_endgames(made):
    questions = Questions(made, {"a": Mute(), "b": Mute()})
    asked = [(name, place) for name, part in questions.tasks(45) for place in part]
    assert asked == [(name, place) for name in "ab" for place in range(45)]
