"""OpenSpiel, if it is installed: its own checks and algorithms run on the game."""

import numpy as np
import pytest

from carc_env import Rules, Table
from carc_env.engine.core.tiles import DESIGN

pyspiel = pytest.importorskip(
    "pyspiel", reason="OpenSpiel is not installed: pip install 'carc_env[openspiel]'"
)
pytest.importorskip("carc_env.envs.open_spiel")


def game_of(**parameters):
    return pyspiel.load_game("carc_env", parameters)


def play(game, rng):
    """Play a random game; return its states."""
    states = [game.new_initial_state()]
    while not states[-1].is_terminal():
        after = states[-1].clone()
        if after.is_chance_node():
            outcomes, shares = zip(*after.chance_outcomes(), strict=True)
            after.apply_action(int(rng.choice(outcomes, p=shares)))
        else:
            after.apply_action(int(rng.choice(after.legal_actions())))
        states.append(after)
    return states


@pytest.mark.parametrize(
    ("rules", "players"), [("base", 2), ("big-box", 6), ("{preset: flier, auto_single: false}", 3)]
)
def test_a_game_goes_as_it_does_at_a_table(rules, players):
    game = game_of(rules=rules, players=players)
    states = play(game, np.random.default_rng(1))
    kinds = set()
    for state in states[::7]:
        kinds.add(state.current_player())
        if state.is_chance_node():
            assert sum(share for _, share in state.chance_outcomes()) == pytest.approx(1)
            assert max(code for code, _ in state.chance_outcomes()) < game.max_chance_outcomes()
        elif not state.is_terminal():
            assert state.legal_actions() == state.table.legal_actions()
            assert max(state.legal_actions()) < game.num_distinct_actions()
    assert kinds >= {pyspiel.PlayerId.CHANCE, *range(players)}
    end = states[-1]
    assert end.table.is_over and end.num_players() == players
    assert sum(end.returns()) == pytest.approx(0)
    assert end.returns()[end.table.winners[0]] == max(end.returns()) > 0
    assert states[0].table.n_tiles_left > 0 and states[0].history() == []  # copies are independent


def test_tensors_are_those_of_the_encoding():
    game = game_of(encoding="tokens", deck_size=3)
    state = play(game, np.random.default_rng(2))[3]
    shown = state.table.observe(1, "tokens")
    flat = np.concatenate([array.astype(np.float32).ravel() for array in shown.values()])
    assert game.observation_tensor_shape() == [len(flat)]
    np.testing.assert_array_equal(state.observation_tensor(1), flat)
    np.testing.assert_array_equal(state.information_state_tensor(1), flat)
    assert state.information_state_string(1) == " ".join(map(str, state.history()))


def test_the_seed_decides_which_tiles_are_left_out():
    first = {seed: game_of(deck_size=4, seed=seed).new_initial_state() for seed in (5, 6)}
    table = Table(Rules(deck_size=4), seed=5)
    codes = {code for code, _ in first[5].chance_outcomes()}
    assert DESIGN[table.tile_in_hand] in codes
    assert codes != {code for code, _ in first[6].chance_outcomes()}


def test_a_state_survives_saving():
    game = game_of(deck_size=6)
    for state in play(game, np.random.default_rng(3)):
        _, same = pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(game, state))
        assert str(same) == str(state) and same.history() == state.history()
        assert same.current_player() == state.current_player()


def test_mcts_beats_random_play():
    from open_spiel.python.algorithms import mcts

    game, rng, returns = game_of(deck_size=8), np.random.RandomState(1), []
    for seat in (0, 1, 0, 1):
        evaluator = mcts.RandomRolloutEvaluator(n_rollouts=1, random_state=rng)
        bot = mcts.MCTSBot(game, 1.0, 60, evaluator, random_state=rng)
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, shares = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(int(rng.choice(outcomes, p=shares)))
            elif state.current_player() == seat:
                state.apply_action(bot.step(state))
            else:
                state.apply_action(int(rng.choice(state.legal_actions())))
        returns.append(state.returns()[seat])
    assert sum(returns) > 0


def test_exploitability_of_a_tiny_game():
    """With two tiles, one for each player, the second player loses points only by playing badly."""
    from open_spiel.python import policy
    from open_spiel.python.algorithms import expected_game_score, exploitability

    game = game_of(rules="{preset: base, abbot: false}", deck_size=2, seed=3)
    uniform = policy.UniformRandomPolicy(game)
    found = exploitability.exploitability(game, uniform)
    values = expected_game_score.policy_value(game.new_initial_state(), [uniform, uniform])
    assert values.sum() == pytest.approx(0) and 0 < found <= 1
    assert exploitability.nash_conv(game, uniform) == pytest.approx(2 * found)


def test_dqn_learns_from_its_environment():
    for package in ("torch", "tree"):
        pytest.importorskip(package)
    from open_spiel.python import rl_environment
    from open_spiel.python.pytorch import dqn

    env = rl_environment.Environment(game_of(deck_size=3, encoding="tokens"))
    env.seed(1)
    size, n_actions = env.observation_spec()["info_state"][0], env.action_spec()["num_actions"]
    options = {"batch_size": 4, "min_buffer_size_to_learn": 4, "learn_every": 6}
    options["replay_buffer_capacity"] = 50
    agents = [dqn.DQN(seat, size, n_actions, (8,), **options) for seat in range(2)]
    for _ in range(6):
        step = env.reset()
        while not step.last():
            seat = step.observations["current_player"]
            step = env.step([agents[seat].step(step).action])
        assert sum(step.rewards) == 0
        for agent in agents:
            agent.step(step)
    assert all(agent.loss is not None for agent in agents)
