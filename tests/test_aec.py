"""The PettingZoo environment: the library's own checks, order, rewards, masks, illegal actions."""

import copy
import pickle
import warnings

import numpy as np
import pytest
from gymnasium.error import ResetNeeded

from carc_env import Rules, carcassonne_v1
from carc_env.engine.core.codes import Phase
from carc_env.layout.encodings import Planes
from carc_env.layout.observations import global_names, plane_names

with warnings.catch_warnings():
    # PettingZoo's tests import one of its own environments in a way that it has deprecated.
    warnings.simplefilter("ignore", DeprecationWarning)
    from pettingzoo.test import api_test, seed_test
    from pettingzoo.test.render_test import render_test
    from pettingzoo.test.save_obs_test import test_save_obs as check_save_obs

# PettingZoo warns about dict observations, except in environments that it lists by name.
pytestmark = [
    pytest.mark.filterwarnings("ignore:Observation is not a NumPy array"),
    pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be"),
]


def random_agent(env, rng):
    mask = env.observe(env.agent_selection)["action_mask"]
    return int(rng.choice(np.flatnonzero(mask)))


def play(env, rng, n_steps=10**6):
    """Continue the game; return the total reward of every agent."""
    totals = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter(n_steps):
        _, reward, terminated, truncated, _ = env.last()
        totals[agent] += reward
        env.step(None if terminated or truncated else random_agent(env, rng))
    return totals


@pytest.mark.parametrize("n_players", [2, 3, 6])
def test_api(n_players):
    api_test(carcassonne_v1.env(rules=Rules(n_players=n_players)), num_cycles=200)


def test_seeds():
    seed_test(carcassonne_v1.env, num_cycles=100)


def test_save_obs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    check_save_obs(carcassonne_v1.env(render_mode="rgb_array"))


def test_render():
    pytest.importorskip("resvg_py")
    render_test(carcassonne_v1.env)


def test_spaces_are_the_same_object_at_each_call():
    env = carcassonne_v1.env()
    for agent in env.possible_agents:
        assert env.observation_space(agent) is env.observation_space(agent)
        assert env.action_space(agent) is env.action_space(agent)


def test_a_board_is_flat_if_that_is_asked_for():
    env, flat = carcassonne_v1.env(), carcassonne_v1.env(flat_board=True)
    for one in (env, flat):
        one.reset(seed=1)
    board = env.observe("player_0")["observation"]["board"]
    row = flat.observe("player_0")["observation"]["board"]
    assert flat.observation_space("player_0")["observation"]["board"].contains(row)
    assert np.array_equal(row, board.transpose(1, 2, 0).ravel())
    with pytest.raises(ValueError, match="flat_board=True needs an encoding"):
        carcassonne_v1.env(encoding=Planes(Rules()), flat_board=True)


def test_the_mask_belongs_to_whoever_decides():
    env = carcassonne_v1.env(rules=Rules(n_players=3))
    env.reset(seed=1)
    rng = np.random.default_rng(0)
    for _ in range(60):
        for agent in env.agents:
            seen = env.observe(agent)
            assert seen["action_mask"].any() == (agent == env.agent_selection)
            assert env.observation_space(agent).contains(seen)
        env.step(random_agent(env, rng))


@pytest.mark.parametrize("n_players", [2, 5])
@pytest.mark.parametrize("reward", ["outcome", "score_delta", "margin", "projected"])
def test_rewards_reach_every_seat_and_add_up(reward, n_players):
    env = carcassonne_v1.env(rules=Rules(n_players=n_players), reward=reward)
    env.reset(seed=4)
    totals = list(play(env, np.random.default_rng(1)).values())
    scores = env.table.scores
    if reward == "score_delta":
        assert totals == list(scores)
    elif reward in ("margin", "projected"):
        rivals = [max(scores[:seat] + scores[seat + 1 :]) for seat in range(n_players)]
        assert totals == [own - rival for own, rival in zip(scores, rivals, strict=True)]
    else:
        assert sum(totals) == pytest.approx(0)
        assert totals.index(max(totals)) == scores.index(max(scores))
        assert max(totals) <= 1 and min(totals) >= -1


def test_the_same_seed_gives_the_same_sequence_of_games():
    envs = [carcassonne_v1.env(), carcassonne_v1.env()]
    for env in envs:
        env.reset(seed=5)
    for _ in range(2):
        assert play(envs[0], np.random.default_rng(3)) == play(envs[1], np.random.default_rng(3))
        assert envs[0].table.save_state() == envs[1].table.save_state()
        for env in envs:
            env.reset()


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_go_on_the_same_and_leave_the_original_alone(duplicate):
    env = carcassonne_v1.env(reward="margin")
    env.reset(seed=6)
    play(env, np.random.default_rng(0), 31)
    twin = duplicate(env)
    before = env.table.save_state()
    mine = play(twin, np.random.default_rng(2))
    assert env.table.save_state() == before
    assert play(env, np.random.default_rng(2)) == mine
    assert env.table.save_state() == twin.table.save_state()


def test_a_state_can_be_restored_at_reset():
    env = carcassonne_v1.env()
    env.reset(seed=6)
    play(env, np.random.default_rng(0), 50)
    saved, agent = env.table.save_state(), env.agent_selection
    play(env, np.random.default_rng(0))
    env.reset(options={"state": saved})
    assert env.table.save_state() == saved and env.agent_selection == agent
    assert env.agents == env.possible_agents


def test_who_never_decides_knows_the_end_of_a_short_game():
    env = carcassonne_v1.env({"n_players": 4, "deck_size": 1})
    env.reset(seed=1)
    asked = []
    for agent in env.agent_iter():
        observation, _, is_over, _, _ = env.last()
        asked.append(agent)
        env.step(None if is_over else int(observation["action_mask"].argmax()))
    assert sorted({*asked}) == env.possible_agents and not env.agents


@pytest.mark.parametrize("seed", [1.0, "1"])
def test_what_is_no_seed_is_refused(seed):
    with pytest.raises(TypeError, match="a seed must be an int, got"):
        carcassonne_v1.env().reset(seed=seed)


def test_an_illegal_action_raises_and_changes_nothing():
    env = carcassonne_v1.env()
    env.reset(seed=6)
    before = env.table.save_state()
    for wrong in (env.table.layout.first("pass"), -3, 10**6):
        with pytest.raises(ValueError, match=rf"action {wrong} is not legal .*PLACE_TILE"):
            env.step(wrong)
    assert env.table.save_state() == before and env.agents == env.possible_agents


def test_an_illegal_action_can_be_ignored():
    env = carcassonne_v1.env(illegal_action="noop")
    env.reset(seed=6)
    before, agent = env.table.save_state(), env.agent_selection
    env.step(env.table.layout.first("pass"))
    assert env.table.save_state() == before and env.agent_selection == agent
    assert env.infos[agent]["illegal_action"] == env.table.layout.first("pass")
    assert not any(env.rewards.values())


def test_an_illegal_action_can_lose_the_game():
    env = carcassonne_v1.env(illegal_action="lose")
    env.reset(seed=6)
    offender = env.agent_selection
    env.step(env.table.layout.first("pass"))
    assert all(env.terminations.values())
    assert not any(env.observe(agent)["action_mask"].any() for agent in env.agents)
    assert env.rewards == {a: -1.0 if a == offender else 0.0 for a in env.possible_agents}


def test_words_for_odd_calls():
    env = carcassonne_v1.env()
    env.reset(seed=1)
    with pytest.raises(ValueError, match="no agent is called 'player_9'"):
        env.observe("player_9")
    with pytest.raises(ValueError, match="action None is not legal"):
        env.step(None)
    with pytest.raises(ValueError, match=r"action 4112\.5 is not legal"):
        env.step(4112.5)


@pytest.mark.parametrize(
    "call",
    [
        lambda env: env.last(),
        lambda env: env.last(observe=False),
        lambda env: list(env.agent_iter()),
        lambda env: env.observe("player_0"),
        lambda env: env.step(0),
        lambda env: env.render(),
    ],
    ids=["last", "last reward", "agent_iter", "observe", "step", "render"],
)
def test_nothing_goes_on_before_the_first_reset(call):
    env = carcassonne_v1.env(render_mode="ansi")
    with pytest.raises(ResetNeeded, match=r"no game is in progress: call reset\(\) first"):
        call(env)


def test_after_the_end_there_is_nobody_to_act():
    env = carcassonne_v1.env(rules=Rules(view=12), render_mode="ansi")
    env.reset(seed=1)
    play(env, np.random.default_rng(0))
    assert list(env.agent_iter()) == [] and "A" in env.render()
    assert not env.observe("player_0")["action_mask"].any()
    with pytest.raises(ResetNeeded, match=r"call reset\(\) first"):
        env.step(None)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"state": b"carc_env"}, "not a saved state"),
        ({"sate": b""}, "an option of reset must be one of 'state', 'rules'; got 'sate'"),
    ],
)
def test_a_refused_reset_changes_nothing(options, words):
    env, twin = carcassonne_v1.env(), carcassonne_v1.env()
    for one in (env, twin):
        one.reset(seed=6)
        play(one, np.random.default_rng(0), 31)
    with pytest.raises(ValueError, match=words):
        env.reset(seed=9, options=options)
    for _ in range(2):
        assert env.table.save_state() == twin.table.save_state()
        assert env.agent_selection == twin.agent_selection and env.rewards == twin.rewards
        for one in (env, twin):
            one.reset()


def test_a_first_reset_that_is_refused_is_none():
    env = carcassonne_v1.env()
    with pytest.raises(ValueError, match="not a saved state"):
        env.reset(options={"state": b""})
    with pytest.raises(ResetNeeded, match=r"call reset\(\) first"):
        env.last()


def test_the_state_of_a_finished_game_ends_it_for_all_agents():
    env = carcassonne_v1.env(rules=Rules(n_players=3))
    env.reset(seed=6)
    play(env, np.random.default_rng(0))
    saved, scores = env.table.save_state(), env.table.scores
    env.reset(options={"state": saved})
    seen = []
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, _ = env.last()
        assert (reward, terminated, truncated) == (0, True, False)
        assert not observation["action_mask"].any()
        seen.append(agent)
        env.step(None)
    assert sorted(seen) == env.possible_agents and env.agents == []
    assert env.table.scores == scores


@pytest.mark.parametrize(
    ("argument", "words"),
    [
        ({"rules": 3}, "rules must be the name of a preset or a mapping of switches"),
        ({"reward": "money"}, "reward must be one of 'outcome'"),
        ({"illegal_action": "shrug"}, "illegal_action must be one of 'raise'"),
        ({"render_mode": "film"}, "render_mode must be one of None, 'rgb_array'"),
    ],
)
def test_unknown_arguments_are_refused(argument, words):
    with pytest.raises(ValueError, match=words):
        carcassonne_v1.env(**argument)


def test_render_modes(monkeypatch):
    pytest.importorskip("resvg_py")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    frames = []
    for mode in ("rgb_array", "ansi", "human"):
        env = carcassonne_v1.env(render_mode=mode)
        env.reset(seed=2)
        frames.append(env.render())
        env.close()
    assert frames[0].shape == (720, 960, 3) and frames[0].dtype == np.uint8
    assert frames[0].std() > 10
    assert "A" in frames[1] and len(frames[1].splitlines()) > 3
    assert frames[2] is None
    env = carcassonne_v1.env()
    env.reset(seed=1)
    with pytest.raises(ValueError, match="render_mode="):
        env.render()


def test_whoever_owns_the_wagon_decides_although_it_is_anothers_turn():
    rules = Rules.preset("abbey-mayor", n_players=4)
    env = carcassonne_v1.env(rules=rules, reward="score_delta")
    names = global_names(rules)
    planes = plane_names(rules)
    rng = np.random.default_rng(0)
    n_decisions = 0
    for seed in range(40):
        env.reset(seed=seed)
        totals = dict.fromkeys(env.possible_agents, 0.0)
        for agent in env.agent_iter():
            seen, reward, terminated, _, _ = env.last()
            totals[agent] += reward
            if terminated:
                env.step(None)
                continue
            table = env.table
            seat = env.possible_agents.index(agent)
            assert seat == table.decider and seen["action_mask"].any()
            if table.phase == Phase.WAGON and seat != table.turn_player:
                numbers = dict(zip(names, seen["observation"]["globals"], strict=True))
                assert (numbers["decides 0"], numbers["turn 0"]) == (1, 0)
                board = dict(zip(planes, seen["observation"]["board"], strict=True))
                assert board["wagon from"].sum() == 1
                assert not env.observe(env.possible_agents[table.turn_player])["action_mask"].any()
                n_decisions += 1
            env.step(random_agent(env, rng))
        assert tuple(totals.values()) == env.table.scores
    assert n_decisions > 0


@pytest.mark.parametrize("preset", ["abbey-mayor", "bridges", "all"])
def test_api_with_expansions(preset):
    api_test(carcassonne_v1.env(rules=Rules.preset(preset, n_players=3)), num_cycles=300)


def test_everybody_bids_with_an_observation_and_a_mask_of_his_own():
    rules = Rules.preset("bridges", n_players=3)
    names = global_names(rules)
    env, rng = carcassonne_v1.env(rules=rules), np.random.default_rng(2)
    n_bids = 0
    for seed in range(4):
        env.reset(seed=seed)
        for agent in env.agent_iter():
            seen, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
                continue
            table = env.table
            if table.phase == Phase.BAZAAR_BID:
                bazaar = table.position().bazaar
                seat = env.possible_agents.index(agent)
                numbers = dict(zip(names, seen["observation"]["globals"], strict=True))
                assert seat == table.decider and numbers["phase bazaar_bid"] == 1
                assert numbers[f"lot {bazaar.lot} for sale"] == 1
                assert numbers[f"lot {bazaar.lot} {bazaar.offer[bazaar.lot].tile}"] == 1
                assert numbers[f"chooser {(bazaar.chooser - seat) % 3}"] == 1
                assert numbers["bid"] == pytest.approx((bazaar.price or 0) / 10)
                if bazaar.bidder is not None:
                    assert numbers[f"bidder {(bazaar.bidder - seat) % 3}"] == 1
                for k, lot in enumerate(bazaar.offer):
                    owners = [numbers[f"lot {k} owner {other}"] for other in range(3)]
                    wanted = [0.0] * 3
                    if lot.owner is not None:
                        wanted[(lot.owner - seat) % 3] = 1.0
                    assert owners == wanted
                n_bids += 1
            env.step(random_agent(env, rng))
    assert n_bids > 20
