"""Reward schemes, those of the engine and custom objects, work in every interface."""

import copy
import math
import pickle

import numpy as np
import pytest

from carc_env import Rules, Table, carcassonne_v1
from carc_env.envs.rewards import SCHEMES, Lead, Outcome, Projected
from carc_env.envs.single_agent import CarcassonneEnv
from carc_env.envs.vector import CarcassonneVectorEnv

N = 3
RULES = Rules(n_players=3, view=16)


def ranks(scores):
    return np.sign(scores[:, :, None] - scores[:, None, :]).sum(axis=2) / (scores.shape[1] - 1)


def leads(points, rival_weight):
    """Return each seat's points minus ``rival_weight`` times those of its best opponent."""
    n_players = points.shape[1]
    rivals = [np.delete(points, seat, axis=1).max(axis=1) for seat in range(n_players)]
    return points - rival_weight * np.stack(rivals, axis=1)


class OwnOutcome:
    """The outcome as a custom object."""

    def rewards(self, scores_before, scores_after, standings_before, standings_after, is_over):
        return ranks(scores_after) * is_over[:, None]


class OwnLead:
    """Leads in scores as a custom object."""

    def __init__(self, rival_weight):
        self.rival_weight = rival_weight

    def rewards(self, scores_before, scores_after, standings_before, standings_after, is_over):
        return leads(scores_after, self.rival_weight) - leads(scores_before, self.rival_weight)


class OwnProjected(OwnLead):
    """Leads in standings as a custom object."""

    def rewards(self, scores_before, scores_after, standings_before, standings_after, is_over):
        before, after = (leads(s, self.rival_weight) for s in (standings_before, standings_after))
        return after - before


class Changed(Lead):
    """A scheme of the engine with its own method, which takes precedence."""

    def rewards(self, scores_before, scores_after, standings_before, standings_after, is_over):
        weight = self.rival_weight + 0.4
        return leads(scores_after, weight) - leads(scores_before, weight)


class Toll:
    """Charges one point for every step."""

    def rewards(self, scores_before, scores_after, standings_before, standings_after, is_over):
        return np.full(scores_after.shape, -1)


class Passer:
    """Agent that places the tile at the first legal place and never places a figure."""

    def act(self, table):
        passing = table.layout.first("pass")
        return passing if table.is_legal(passing) else table.legal_actions()[0]


PAIRS = {
    "outcome": OwnOutcome(),
    "score_delta": OwnLead(0.0),
    "margin": OwnLead(1.0),
    "projected": OwnProjected(1.0),
    Projected(0.3): OwnProjected(0.3),
    Lead(0.3): OwnLead(0.3),
    Lead(0.7): Changed(0.3),
}
"""Schemes of the engine, each with a custom object that gives the same rewards."""


@pytest.fixture
def n_steps(n_games):
    """Return the number of steps to play: a whole game, or only a few steps if they are slow."""
    return 10_000 if n_games(4000) == 4000 else 12


def earned_in(info, ended):
    """Return what every seat earned in a step; restarted games report it in ``final_info``."""
    earned = info["rewards"].copy()
    if ended.any() and "final_info" in info:
        earned[ended] = info["final_info"]["rewards"][ended]
    return earned


def test_the_names_are_those_of_the_schemes():
    assert SCHEMES == {
        "outcome": Outcome(),
        "score_delta": Lead(0),
        "margin": Lead(1),
        "projected": Projected(1),
    }


@pytest.mark.parametrize(("scheme", "own"), PAIRS.items(), ids=map(str, PAIRS))
@pytest.mark.parametrize("opponents", ["self", ["greedy", Passer()]], ids=["self", "guests"])
@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_an_object_is_paid_as_the_engine_pays_in_the_vector_environment(
    scheme, own, opponents, mode, n_steps
):
    envs = [
        CarcassonneVectorEnv(N, RULES, opponents, reward=reward, autoreset_mode=mode)
        for reward in (scheme, own)
    ]
    rng, n_ended = np.random.default_rng(0), 0
    (_, info), _ = (env.reset(seed=5) for env in envs)
    for _ in range(n_steps):
        actions = (info["action_mask"] * rng.random(info["action_mask"].shape)).argmax(axis=1)
        (_, wanted, over, _, info), (_, rewards, *_, told) = (env.step(actions) for env in envs)
        np.testing.assert_array_equal(rewards, wanted)
        np.testing.assert_array_equal(earned_in(told, over), earned_in(info, over))
        n_ended += over.sum()
        if n_ended > 2 * N:
            break


@pytest.mark.parametrize(("scheme", "own"), PAIRS.items(), ids=map(str, PAIRS))
def test_every_interface_pays_the_same(scheme, own, n_steps):
    """A single environment is game 0 of a vector environment; PettingZoo plays it, too."""
    opponents = ["random", Passer()]
    singles = [CarcassonneEnv(RULES, opponents, 2, reward=reward) for reward in (scheme, own)]
    vector = CarcassonneVectorEnv(1, RULES, opponents, 2, reward=own, autoreset_mode="Disabled")
    vector.reset(seed=[4])
    for single in singles:
        single.reset(seed=4)
    for _ in range(n_steps):
        action = singles[0].table.legal_actions()[-1]
        first, second = (single.step(action) for single in singles)
        _, rewards, over, *_ = vector.step(np.array([action]))
        assert first[1] == second[1] == rewards[0]
        assert first[2] == over[0]
        if over[0]:
            break


@pytest.mark.parametrize(("scheme", "own"), PAIRS.items(), ids=map(str, PAIRS))
def test_an_object_is_paid_as_the_engine_pays_under_pettingzoo(scheme, own, n_steps):
    envs = [carcassonne_v1.env(rules=RULES, reward=reward) for reward in (scheme, own)]
    for env in envs:
        env.reset(seed=6)
    first, second = envs
    for k in range(n_steps):
        if first.table.is_over:
            break
        action = first.table.random_action()
        for env in envs:
            env.step(action)
        assert first.rewards == second.rewards
        assert first.last()[1] == second.last()[1]
        if k == 9:
            envs[1] = second = pickle.loads(pickle.dumps(second))
            envs[0] = first = copy.deepcopy(first)


@pytest.mark.parametrize("weight", [0.0, 0.5, 1.0])
def test_projected_rewards_add_up_from_the_first_observation(weight, n_steps):
    """The first observation already includes what opponents did before the first decision."""
    env = CarcassonneEnv(RULES, "greedy", 2, reward=Projected(weight))
    env.reset(seed=1)
    start, total, over = env.table.standings, 0.0, False
    assert any(start)
    for _ in range(n_steps):
        _, reward, over, _, _ = env.step(env.table.random_action())
        total += reward
        if over:
            assert env.table.standings == env.table.scores
            break
    before, after = (leads(np.array([s]), weight)[0, 2] for s in (start, env.table.standings))
    assert total == pytest.approx(after - before, abs=1e-9)


def test_points_before_the_first_decision_count_for_score_delta():
    """A game that begins at a saved state counts from there."""
    table = Table(RULES, seed=2)
    while not any(table.scores):
        table.step(table.greedy_action())
    scores = table.scores
    for reward in ("score_delta", OwnLead(0.0)):
        env = CarcassonneEnv(RULES, "greedy", table.decider, reward=reward)
        env.reset(seed=0, options={"state": table.save_state()})
        earned = env.step(env.table.legal_actions()[0])[1]
        assert earned == env.table.scores[table.decider] - scores[table.decider]


def test_actions_that_do_nothing_earn_nothing():
    settings = {"rules": RULES, "reward": Toll(), "illegal_action": "noop"}
    single = CarcassonneEnv(seat=0, **settings)
    vector = CarcassonneVectorEnv(2, seat=0, **settings)
    aec = carcassonne_v1.env(**settings)
    for env in (single, vector, aec):
        env.reset(seed=3)
    illegal = single.action_space.n - 1
    legal = single.table.legal_actions()[0]
    assert single.step(illegal)[1] == 0 and single.step(legal)[1] == -1
    _, rewards, _, _, info = vector.step(np.array([illegal, legal]))
    assert rewards.tolist() == [0, -1]
    assert info["rewards"].tolist() == [[0, 0, 0], [-1, -1, -1]]
    aec.step(illegal)
    assert set(aec.rewards.values()) == {0.0}
    aec.step(legal)
    assert set(aec.rewards.values()) == {-1.0}


def test_games_that_begin_anew_are_not_paid():
    env = CarcassonneVectorEnv(3, RULES, "self", reward=Toll(), autoreset_mode="Disabled")
    _, info = env.reset(seed=3)
    assert not info["rewards"].any()
    env.step(info["action_mask"].argmax(axis=1))
    _, info = env.reset(options={"reset_mask": np.array([False, True, False])})
    assert not info["rewards"].any()
    _, rewards, _, _, info = env.step(info["action_mask"].argmax(axis=1))
    assert info["rewards"].tolist() == [[-1] * 3] * 3
    # A seat is paid for all steps since its last observation; games 0 and 2 have had two steps.
    assert rewards[1] == -1 and rewards[0] == rewards[2] in (-1, -2)


def test_threads_change_nothing_for_an_object():
    envs = [
        CarcassonneVectorEnv(5, RULES, "self", reward=OwnProjected(0.3), num_threads=k)
        for k in (1, 3)
    ]
    (_, info), _ = (env.reset(seed=1) for env in envs)
    for _ in range(20):
        actions = info["action_mask"].argmax(axis=1)
        (_, *first, info), (_, *second, _) = (env.step(actions) for env in envs)
        np.testing.assert_array_equal(first, second)


class Ragged:
    """Wrongly gives one number per game, not one per seat."""

    def rewards(self, scores_before, scores_after, standings_before, standings_after, is_over):
        return is_over


def test_rewards_of_another_shape_are_refused():
    env = CarcassonneVectorEnv(2, RULES, reward=Ragged())
    _, info = env.reset(seed=1)
    with pytest.raises(ValueError, match=r"of Ragged must have the shape \(2, 3\).*got \(2,\)"):
        env.step(info["action_mask"].argmax(axis=1))


@pytest.mark.parametrize("make", [CarcassonneEnv, CarcassonneVectorEnv, carcassonne_v1.env])
@pytest.mark.parametrize(
    ("reward", "message"),
    [
        ("projekted", r"reward must be one of .*did you mean 'projected'\?"),
        (Toll, "is a class: make an instance of it"),
        (3, r"or an object with a method rewards\(scores_before, .*; got 3"),
    ],
)
def test_what_is_no_scheme_is_refused(make, reward, message):
    with pytest.raises(ValueError, match=message):
        make(rules=RULES, reward=reward)


@pytest.mark.parametrize("weight", [math.nan, math.inf, "1", None])
def test_weights_that_are_no_numbers_are_refused(weight):
    with pytest.raises(ValueError, match="rival_weight must be a finite number, got"):
        Projected(weight)
