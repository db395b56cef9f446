"""The training in plain JAX: both loops play the same games, and learning is towards rewards."""

import importlib
from itertools import combinations

import numpy as np
import pytest

from carc_env import Rules

jax = pytest.importorskip("jax", reason="JAX is not installed; `make test-jax` runs these tests")
train_jax = importlib.import_module("train_jax")

pytestmark = pytest.mark.once

SETTINGS = train_jax.Settings(n_envs=4, n_steps=80, view=16, channels=8)
RULES = Rules(view=SETTINGS.view)


@pytest.fixture
def weights():
    return train_jax.new_weights(RULES, SETTINGS.channels, jax.random.key(1))


def rollouts(name, weights, n):
    loop = train_jax.LOOPS[name](train_jax.Games(SETTINGS, RULES), SETTINGS.n_steps)
    found = [loop.rollout(weights, jax.random.key(k)) for k in range(n)]
    loop.games.envs.close()
    return jax.tree.leaves(found)


def test_both_loops_play_the_same_games(weights):
    put, callback = (rollouts(name, weights, 2) for name in ("put", "callback"))
    assert len(put) == len(callback) == 18
    for one, other in zip(put, callback, strict=True):
        np.testing.assert_array_equal(one, other)
    assert put[5].any()  # games have ended and begun again


def test_a_rollout_is_of_legal_actions_and_stays_when_the_buffers_change(weights):
    loop = train_jax.PutLoop(train_jax.Games(SETTINGS, RULES), SETTINGS.n_steps)
    steps, after = loop.rollout(weights, jax.random.key(0))
    legal = np.take_along_axis(np.asarray(steps.seen.mask), np.asarray(steps.action)[..., None], 2)
    assert legal.all()
    before = jax.tree.map(np.array, (steps, after))
    loop.rollout(weights, jax.random.key(1))
    for kept, now in zip(jax.tree.leaves(before), jax.tree.leaves((steps, after)), strict=True):
        np.testing.assert_array_equal(kept, now)
    loop.games.envs.close()


def test_an_update_makes_what_was_rewarded_more_likely(weights):
    games = train_jax.Games(SETTINGS, RULES)
    steps, after = train_jax.PutLoop(games, 1).rollout(weights, jax.random.key(0))
    games.envs.close()
    steps = steps._replace(
        reward=np.array([[1, -1, -1, -1]], np.float32), ended=np.ones((1, 4), bool)
    )

    def chance(weights):
        logits, _ = train_jax.forward(weights, jax.tree.map(lambda a: a[0], steps.seen))
        return jax.nn.log_softmax(logits)[0, steps.action[0, 0]]

    adam, loss = train_jax.update(train_jax.new_adam(weights), steps, after, SETTINGS)
    assert np.isfinite(loss)
    assert chance(adam.weights) > chance(weights)


def test_the_agent_sees_of_a_table_what_the_policy_saw_of_the_game(weights):
    games = train_jax.Games(SETTINGS, RULES)
    logits, _ = train_jax.forward(weights, games.seen)
    tables = [games.envs.unwrapped.table(i) for i in range(SETTINGS.n_envs)]
    assert train_jax.JaxAgent(weights).act_many(tables) == logits.argmax(axis=1).tolist()
    games.envs.close()


def test_runs_of_different_seeds_share_no_deck(decks_of):
    def play(seed, _):
        settings = train_jax.Settings(n_envs=64, view=16, seed=seed)
        train_jax.Games(settings, RULES).envs.close()

    runs = [decks_of(play, seed) for seed in (0, 1, 2)]
    assert [len(decks) for decks in runs] == [64] * 3
    assert not any(a & b for a, b in combinations(runs, 2))
