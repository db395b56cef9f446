"""The Gymnasium environment: the libraries' checks, opponents, seats, masks, rewards."""

import copy
import pickle

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env

import carc_env
from carc_env import Rules, Table
from carc_env.envs.opponents import RandomPlayer

ENV_ID = "carc_env/Carcassonne-v0"


def make(**arguments):
    return gymnasium.make(ENV_ID, **arguments).unwrapped


def play(env, rng, seed=None):
    """Play one game with random actions; return the total reward and the number of steps."""
    _, info = env.reset(seed=seed)
    total, n_steps, over = 0.0, 0, False
    while not over:
        action = rng.choice(np.flatnonzero(info["action_mask"]))
        _, reward, over, truncated, info = env.step(action)
        assert not truncated
        total += reward
        n_steps += 1
    return total, n_steps


@pytest.mark.parametrize("n_players", [2, 4])
def test_gymnasium_check_without_warnings(n_players):
    env = make(rules={"n_players": n_players}, illegal_action="noop")
    check_env(env, skip_render_check=True)


def test_stable_baselines_check_without_warnings():
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    checker.check_env(make(illegal_action="noop"))
    checker.check_env(make(rules=Rules(n_players=3), illegal_action="lose"))


def test_it_is_registered_by_the_import():
    assert ENV_ID in gymnasium.registry
    assert gymnasium.make(ENV_ID, rules=Rules(n_players=3)).unwrapped.rules.n_players == 3
    assert carc_env.__version__


@pytest.mark.parametrize(
    "opponents",
    [
        "random",
        RandomPlayer(),
        "greedy",
        ["greedy", "random"],
    ],
)
def test_opponents_play_the_other_seats(opponents):
    n_players = 3 if isinstance(opponents, list) else 2
    env = make(rules=Rules(n_players=n_players), opponents=opponents, reward="score_delta")
    rng = np.random.default_rng(0)
    for seed in range(3):
        total, n_steps = play(env, rng, seed)
        assert total == env.table.scores[env.seat]
        assert 20 < n_steps < 80
        assert env.table.is_over


def test_the_learner_always_decides():
    env = make(rules=Rules(n_players=4), seat="random")
    rng = np.random.default_rng(0)
    seats = set()
    for seed in range(12):
        _, info = env.reset(seed=seed)
        seats.add(info["seat"])
        for _ in range(5):
            assert env.table.decider == env.seat
            assert np.array_equal(env.action_masks(), info["action_mask"].astype(bool))
            assert env.action_masks().dtype == np.bool_
            action = rng.choice(np.flatnonzero(info["action_mask"]))
            *_, info = env.step(action)
    assert len(seats) == 4


def test_a_fixed_seat_is_kept():
    env = make(seat=1)
    for seed in range(4):
        assert env.reset(seed=seed)[1]["seat"] == 1


def test_the_outcome_adds_up_to_win_draw_or_loss():
    env = make()
    rng = np.random.default_rng(0)
    for seed in range(4):
        total, _ = play(env, rng, seed)
        own, other = env.table.scores[env.seat], env.table.scores[1 - env.seat]
        assert total == np.sign(own - other)


def test_the_same_seed_gives_the_same_games():
    envs = [make(), make()]
    rngs = [np.random.default_rng(1), np.random.default_rng(1)]
    for seed in (3, None, None):
        a, b = (play(env, rng, seed) for env, rng in zip(envs, rngs, strict=True))
        assert a == b
        assert envs[0].table.save_state() == envs[1].table.save_state()


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_go_on_the_same(duplicate):
    env = make()
    _, info = env.reset(seed=3)
    for _ in range(9):
        *_, info = env.step(np.flatnonzero(info["action_mask"])[0])
    twin = duplicate(env)
    assert np.array_equal(twin.action_masks(), env.action_masks())
    for _ in range(9):
        action = np.flatnonzero(info["action_mask"])[-1]
        mine, theirs = env.step(action), twin.step(action)
        assert np.array_equal(mine[0]["board"], theirs[0]["board"])
        assert mine[1:4] == theirs[1:4]
        info = mine[4]


def test_illegal_actions():
    env = make()
    env.reset(seed=1)
    before = env.table.save_state()
    with pytest.raises(ValueError, match="is not legal"):
        env.step(env.action_space.n - 1)
    assert env.table.save_state() == before
    env = make(illegal_action="lose")
    env.reset(seed=1)
    _, reward, terminated, _, info = env.step(env.action_space.n - 1)
    assert (reward, terminated) == (-1.0, True)
    assert not info["action_mask"].any() and not env.action_masks().any()
    with pytest.raises(ResetNeeded, match=r"call reset\(\)"):
        env.step(0)


def test_nothing_goes_on_before_the_first_reset():
    with pytest.raises(ResetNeeded, match=r"call reset\(\)"):
        make().unwrapped.step(0)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"opponents": "champion"}, "agent 'champion' is neither built in"),
        ({"opponents": [["greedy"]]}, r"an opponent needs a method act\(table\)"),
        ({"opponents": ["greedy", "random"]}, "opponents: 1 seats to fill, got 2"),
        ({"seat": 2}, "seat must be 0 to 1 or 'random', got 2"),
        ({"reward": "money"}, "reward must be one of"),
        ({"rules": {"n_players": 7}}, "n_players must be an int from 2 to 6"),
        ({"rules": {"counts": 1}}, "switch must be one of .*; got 'counts'"),
    ],
)
def test_bad_arguments_are_refused(arguments, words):
    with pytest.raises(ValueError, match=words):
        make(**arguments)


class Failing(RandomPlayer):
    """Fails as soon as it is told to."""

    fails = False

    def act(self, table):
        if self.fails:
            raise RuntimeError("no idea")
        return super().act(table)


@pytest.mark.parametrize("in_reset", [False, True])
def test_after_an_opponent_has_failed_only_a_reset_helps(in_reset):
    rival = Failing()
    env = make(opponents=rival, seat=1)
    _, info = env.reset(seed=1)
    rival.fails = True
    with pytest.raises(RuntimeError, match="no idea"):
        while True:
            if in_reset:
                env.reset()
            *_, info = env.step(info["action_mask"].argmax())
    rival.fails = False
    before = env.table.save_state()
    assert not env.action_masks().any()
    with pytest.raises(ResetNeeded, match=r"an opponent failed .*: call reset\(\)"):
        env.step(env.table.legal_actions()[0])
    assert env.table.save_state() == before
    _, info = env.reset()
    env.step(info["action_mask"].argmax())


def states_of_a_game(seed):
    """The states before each decision of a random game, and that of its end."""
    table = Table(Rules(), seed=seed)
    states = [table.save_state()]
    while not table.is_over:
        table.step(table.random_action())
        states.append(table.save_state())
    return states, table


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"state": b"carc_env"}, "not a saved state"),
        ({"state": Table(Rules(n_players=3)).save_state()}, "the state is of other rules"),
        ({"state": states_of_a_game(1)[0][-1]}, "the game of the state is over"),
        ({"sate": b""}, "an option of reset must be one of 'state'; got 'sate'"),
    ],
)
def test_a_refused_reset_changes_nothing(options, words):
    env, twin = make(), make()
    for one in (env, twin):
        _, info = one.reset(seed=3)
        one.step(info["action_mask"].argmax())
    with pytest.raises(ValueError, match=words):
        env.reset(seed=9, options=options)
    assert (env.seat, env.table.save_state()) == (twin.seat, twin.table.save_state())
    action = twin.table.legal_actions()[-1]
    mine, theirs = env.step(action), twin.step(action)
    assert np.array_equal(mine[0]["board"], theirs[0]["board"]) and mine[1:4] == theirs[1:4]
    for one in (env, twin):
        one.reset()
    assert (env.seat, env.table.save_state()) == (twin.seat, twin.table.save_state())


def test_a_game_that_opponents_end_at_once_is_no_game_for_the_learner():
    states, table = states_of_a_game(2)
    table.load_state(states[-2])
    env = make(seat=1 - table.decider)
    env.reset(seed=1)
    with pytest.raises(ValueError, match=rf"before seat {env.seat}, the learner, was asked"):
        env.reset(options={"state": states[-2]})
    with pytest.raises(ResetNeeded, match=r"call reset\(\)"):
        env.step(0)
    env = make(seat=table.decider)
    _, info = env.reset(options={"state": states[-2]})
    assert info["action_mask"].any() and env.table.save_state() == states[-2]


def test_scores_are_by_seat_and_the_seat_of_the_learner_is_told():
    env = make(rules=Rules(n_players=3), reward="score_delta")
    rng, seats = np.random.default_rng(0), set()
    for seed in range(4):
        _, info = env.reset(seed=seed)
        total, over = 0.0, False
        while not over:
            _, reward, over, _, info = env.step(rng.choice(np.flatnonzero(info["action_mask"])))
            total += reward
        assert total == info["scores"][info["seat"]]
        seats.add(info["seat"])
    assert len(seats) > 1


def test_rendering_needs_a_mode():
    pytest.importorskip("resvg_py")
    env = make(render_mode="rgb_array")
    env.reset(seed=1)
    assert env.render().shape == (720, 960, 3)
    env.close()
