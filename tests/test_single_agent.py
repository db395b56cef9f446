"""The Gymnasium environment: the libraries' checks, opponents, seats, masks and rewards."""

import copy
import pickle
from collections import Counter

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv

import carc_env
from carc_env import Rules, Table
from carc_env.envs.illegal import IGNORED_ACTION
from carc_env.envs.opponents import RandomPlayer

ENV_ID = "carc_env/Carcassonne-v1"


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
    assert np.flatnonzero(info["action_mask"]) == np.flatnonzero(env.action_masks()) == [0]
    with pytest.raises(ResetNeeded, match=r"call reset\(\)"):
        env.step(0)


def test_nothing_goes_on_before_the_first_reset():
    env = make()
    assert np.flatnonzero(env.action_masks()) == [IGNORED_ACTION]
    with pytest.raises(ResetNeeded, match=r"call reset\(\)"):
        env.step(IGNORED_ACTION)


def test_after_the_end_masks_and_lists_allow_the_action_that_is_ignored():
    env = make(rules={"deck_size": 2, "view": 12}, observe_mask=True, legal_list=True)
    play(env, np.random.default_rng(0), seed=1)
    last, info = env._observe(), env._info()
    assert np.flatnonzero(info["action_mask"]).tolist() == [IGNORED_ACTION]
    assert np.flatnonzero(last["action_mask"]).tolist() == [IGNORED_ACTION]
    assert last["n_legal"] == 1 and last["legal"][0] == IGNORED_ACTION
    assert (last["legal"][1:] == -1).all()
    seen, info = env.reset()
    assert seen["n_legal"] == info["action_mask"].sum() > 1 and last["n_legal"] == 1


class Sampler(gymnasium.Wrapper):
    """Adds a random next action to the info after each step, including the last one."""

    def step(self, action):
        *result, info = self.env.step(action)
        info["next"] = np.random.default_rng(0).choice(np.flatnonzero(info["action_mask"]))
        return *result, info


def sampled():
    return Sampler(make(rules={"deck_size": 3, "view": 12}))


@pytest.mark.parametrize(
    ("kind", "mode"),
    [(SyncVectorEnv, "NextStep"), (SyncVectorEnv, "SameStep"), (AsyncVectorEnv, "SameStep")],
)
def test_actions_can_be_drawn_from_every_mask_in_vectors_of_gymnasium(kind, mode):
    envs = kind([sampled] * 2, autoreset_mode=mode)
    rng, n_ended = np.random.default_rng(0), 0
    _, info = envs.reset(seed=[1, 2])
    while n_ended < 4:
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in info["action_mask"]])
        _, _, ended, _, info = envs.step(actions)
        n_ended += ended.sum()
    envs.close()


@pytest.mark.parametrize("seed", [np.int64(3), np.uint8(3), np.array(3)])
def test_a_seed_may_be_any_integer(seed):
    env, twin = make(), make()
    env.reset(seed=seed)
    twin.reset(seed=3)
    assert env.table.save_state() == twin.table.save_state()


@pytest.mark.parametrize(
    ("seed", "error", "words"),
    [
        (1.0, TypeError, "a seed must be an int, got 1.0 of type float"),
        ("1", TypeError, "a seed must be an int, got '1' of type str"),
        (-1, ValueError, "a seed must be 0 or more, got -1"),
    ],
)
def test_what_is_no_seed_is_refused_and_nothing_has_changed(seed, error, words):
    env = make()
    env.reset(seed=1)
    before = env.table.save_state()
    with pytest.raises(error, match=words):
        env.reset(seed=seed)
    assert env.table.save_state() == before
    env.step(env.table.legal_actions()[0])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"rules": {"n_players": 4, "deck_size": 2}, "seat": 2}, "seat 2 never decides in a game"),
        ({"opponents": "champion"}, "agent 'champion' is neither built in"),
        ({"opponents": [["greedy"]]}, r"an opponent needs a method act\(table\)"),
        ({"opponents": ["greedy", "random"]}, "opponents: there are 1 seats to fill, got 2"),
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
    """Plays at random, but raises an error once ``fails`` is set."""

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
    assert np.flatnonzero(env.action_masks()) == [IGNORED_ACTION]
    with pytest.raises(ResetNeeded, match=r"an opponent failed .*: call reset\(\)"):
        env.step(env.table.legal_actions()[0])
    assert env.table.save_state() == before
    _, info = env.reset()
    env.step(info["action_mask"].argmax())


def states_of_a_game(seed):
    """Return the states before each decision of a random game and at its end, and its table."""
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
        (
            {"state": Table(Rules(n_players=3)).save_state()},
            "the state was saved under other rules",
        ),
        ({"state": states_of_a_game(1)[0][-1]}, "the game of the state is over"),
        ({"sate": b""}, "an option of reset must be one of 'state', 'rules'; got 'sate'"),
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


@pytest.mark.parametrize("deck_size", [1, 2, 3])
def test_the_learner_decides_in_every_game_however_few_tiles_there_are(deck_size):
    env = make(rules={"n_players": 4, "deck_size": deck_size})
    seats, rng = Counter(), np.random.default_rng(0)
    for seed in range(20):
        assert play(env, rng, seed=seed)[1] > 0
        seats[env.seat] += 1
    assert sorted(seats) == [*range(deck_size)]


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
