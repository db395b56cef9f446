"""Self-play games in kernels, and learning from these games."""

import numpy as np
import pytest
from carc_env.agents.value_config import ValueConfig
from carc_env.agents.value_learner import Deal, SelfPlay, ValueLearner
from carc_env.agents.value_teachers import Factored, Trajectory

from carc_env import Rules, Table
from carc_env.engine.core.codes import MAX_PLAYERS
from carc_env.search import learning
from carc_env.search.evaluation import GREEDY
from carc_env.search.features import N_WEIGHTS
from carc_env.search.players import OnePly, learned
from carc_env.search.weights import weights_for


def test_self_play_is_what_a_table_plays():
    game, table = SelfPlay(Rules()).play(GREEDY, Deal(5)), Table(Rules(), seed=5)
    while not table.is_over:
        table.step(table.greedy_action())
    lead = table.scores[0] - table.scores[1]
    assert game.final.tolist() == [lead, -lead] + [0] * (MAX_PLAYERS - 2)
    assert len(game.seats) > 60 and {*game.seats.tolist()} == {0, 1}
    assert game.entries.min() >= 0 and game.entries.max() < N_WEIGHTS
    assert (game.ends[:-1] > 0).all() and np.abs(game.leads[-1]) <= np.abs(lead)


@pytest.mark.parametrize("evaluation", ["value", "insight"])
def test_who_learns_against_greedy_plays_as_it_does_at_a_table(evaluation):
    rules = Rules(n_players=3)
    value = learned(weights_for(rules, evaluation))
    player, table = OnePly(value), Table(rules, seed=5)
    while not table.is_over:
        table.step(player.act(table) if table.decider == 1 else table.greedy_action())
    game = SelfPlay(rules).play(value, Deal(5, greedy_seats=0b101))
    best = max(table.scores[0], table.scores[2])
    assert {*game.seats.tolist()} == {1}
    assert game.final[1] == table.scores[1] - best


@pytest.mark.parametrize(("share", "expected"), [(0.0, 0), (0.7, 70), (1.0, 100)])
def test_greedy_sits_at_its_share_of_the_tables_in_all_seats_but_one(share, expected):
    config = ValueConfig(rules=Rules(n_players=4), greedy_share=share, eval_games=4, threads=1)
    learner = ValueLearner(config)
    deals = [learner.deal(game) for game in range(100)]
    learner.close()
    seats = [deal.greedy_seats for deal in deals if deal.greedy_seats]
    assert abs(len(seats) - expected) <= 10 and len({deal.seed for deal in deals}) == 100
    assert {*seats} == ({0b1110, 0b1101, 0b1011, 0b0111} if expected else set())


def made_up_game(rng):
    """Return a game of ten steps by two seats; each state has six of eighty entries."""
    entries = np.array([rng.choice(80, 6, replace=False) for _ in range(10)], np.int32)
    ends, seats = np.full(10, 6, np.int32), np.arange(10, dtype=np.int32) % 2
    final = np.zeros(MAX_PLAYERS, np.float32)
    final[:2] = 12, -12
    return Trajectory(entries, ends, np.zeros(10, np.float32), seats, final)


def learn_weights(game, n):
    """Return the error of each of ``n`` times that weights learn from a game."""
    arrays = np.zeros((3, N_WEIGHTS), np.float32)
    return [learning.learn(len(game.ends), *game, *arrays, 0.5, 0.7) for _ in range(n)]


def learn_network(game, n):
    """Return the error of each of ``n`` times that a network learns from the game in its memory."""
    config = ValueConfig(hidden_units=8, learning_rate=0.01, td_lambda=0.7, memory_games=1, seed=1)
    teacher = Factored(np.zeros(N_WEIGHTS, np.float32), config)
    return [teacher.learn([game], 0.0) ** 2 * len(game.ends) for _ in range(n)]


@pytest.mark.parametrize(
    "learn", [pytest.param(learn_weights, marks=pytest.mark.interpreted), learn_network]
)
def test_a_game_that_is_learned_again_and_again_surprises_less(learn):
    errors = learn(made_up_game(np.random.default_rng(2)), 40)
    assert errors[0] > 100 and errors[-1] < 0.1 * errors[0]
    assert np.mean(errors[20:]) < np.mean(errors[:20])
