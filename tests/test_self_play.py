"""Self-play in the vector environment: the decider is the agent and gets what it has earned.

The tests compare each game with a PettingZoo environment and with accounts kept here.
"""

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from carc_env import Rules, Table
from carc_env.envs.aec import CarcassonneAEC
from carc_env.envs.rewards import SCHEMES, Ledger
from carc_env.envs.single_agent import CarcassonneEnv
from carc_env.envs.vector import IGNORED_ACTION, CarcassonneVectorEnv
from carc_env.seeds import seeds_of

N = 3
RULES = {
    "two": Rules(view=20),
    "three": Rules(n_players=3, view=20),
    "four": Rules(n_players=4, view=20),
    "all": Rules.preset("all", n_players=3, castle_choice="ask"),
    "every choice": Rules.preset("abbey-mayor", n_players=3, auto_single=False),
}


class Follower:
    """Plays one game of a vector environment in an AEC environment and keeps its accounts."""

    def __init__(self, rules, reward):
        self.aec = CarcassonneAEC(rules, reward=reward, encoding="tokens", legal_list=True)
        self.n_players = rules.n_players

    def begin(self, seed=None, saved=None):
        self.aec.reset(seed=seed, options={"state": saved} if saved else None)
        self.owed = np.zeros(self.n_players)
        self.earned = np.zeros(self.n_players)
        self.returned = np.zeros(self.n_players)
        self.decided = self.aec.table.decider

    def check_shown(self, seen, seat, scores):
        table = self.aec.table
        assert seat == (self.decided if table.is_over else table.decider)
        observation = self.aec.observe(f"player_{seat}")
        wanted = observation["observation"] | {"action_mask": observation["action_mask"]}
        if table.is_over:  # no decider: AEC has an empty mask, the vector mask an ignored action
            assert not wanted["action_mask"].any() and not wanted["n_legal"]
            wanted["action_mask"][IGNORED_ACTION] = wanted["n_legal"][0] = 1
            wanted["legal"][0] = IGNORED_ACTION
        assert seen.keys() == wanted.keys()
        for key, rows in wanted.items():
            assert seen[key].tobytes() == rows.tobytes(), key
        assert scores.tolist() == list(table.scores)

    def step(self, action, reward, rewards, seat):
        """Carry out an action and check the rewards that the vector environment gave for it."""
        self.decided = self.aec.table.decider
        self.aec.step(int(action))
        assert rewards.tolist() == list(self.aec.rewards.values())
        self.owed += rewards
        self.earned += rewards
        assert reward == self.owed[seat]
        if not self.aec.table.is_over:
            assert reward == self.aec.last()[1]
        self.owed[seat] = 0.0
        self.returned[seat] += reward

    def check_end(self, scheme):
        """Check what every seat has earned, and that it was returned or is still owed."""
        scores = np.array(self.aec.table.scores)
        lead = [scores[k] - np.delete(scores, k).max() for k in range(self.n_players)]
        balance = np.sign(scores[:, None] - scores).sum(axis=1) / (self.n_players - 1)
        wanted = {"outcome": balance, "score_delta": scores}.get(scheme, lead)
        np.testing.assert_allclose(self.earned, wanted, rtol=0, atol=1e-12)
        np.testing.assert_allclose(self.returned + self.owed, wanted, rtol=0, atol=1e-12)
        assert self.owed[self.decided] == 0


def chosen(mask, rng):
    return rng.choice(np.flatnonzero(mask))


def rows_of(seen, i):
    return {key: rows[i] for key, rows in seen.items()}


def play_and_follow(rules, scheme, mode, n_ends):
    """Play and compare each step until ``n_ends`` games have ended; return the followers."""
    env = CarcassonneVectorEnv(
        N,
        rules,
        "self",
        reward=scheme,
        encoding="tokens",
        observe_mask=True,
        legal_list=True,
        autoreset_mode=mode,
    )
    followers, rng, n_ended = (
        [Follower(rules, scheme) for _ in range(N)],
        np.random.default_rng(0),
        0,
    )
    seen, info = env.reset(seed=7)
    for follower, seed in zip(followers, seeds_of(7, N), strict=True):
        follower.begin(seed=seed)
    over = np.zeros(N, np.bool_)
    while n_ended < n_ends:
        for i, follower in enumerate(followers):
            if not over[i] or mode != AutoresetMode.DISABLED:
                follower.check_shown(rows_of(seen, i), info["seat"][i], info["scores"][i])
        actions = np.array([chosen(mask, rng) for mask in info["action_mask"]])
        begins = over
        seen, rewards, over, truncated, info = env.step(actions)
        assert not truncated.any()
        for i, follower in enumerate(followers):
            if begins[i]:
                assert rewards[i] == 0 and not info["rewards"][i].any()
                follower.begin(saved=env.table(i).save_state())
                continue
            ended_here = over[i] and mode == AutoresetMode.SAME_STEP
            told = info["final_info"] if ended_here else info
            follower.step(actions[i], rewards[i], told["rewards"][i], told["seat"][i])
            assert over[i] == follower.aec.table.is_over
            if ended_here:
                final = info["final_obs"][i]
                follower.check_shown(final, told["seat"][i], told["scores"][i])
                assert not info["rewards"][i].any()
            if over[i]:
                follower.check_end(scheme)
                n_ended += 1
                if ended_here:
                    follower.begin(saved=env.table(i).save_state())
        if mode == AutoresetMode.SAME_STEP:
            over = np.zeros(N, np.bool_)
        elif mode == AutoresetMode.DISABLED and over.any():
            before = over
            seen, info = env.reset(options={"reset_mask": before})
            for i in np.flatnonzero(before):
                assert not info["rewards"][i].any()
                followers[i].begin(saved=env.table(i).save_state())
            over = np.zeros(N, np.bool_)
    return followers


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
def test_every_seat_gets_what_the_aec_environment_gives(rules, scheme):
    play_and_follow(rules, scheme, AutoresetMode.NEXT_STEP, n_ends=2 * N)


@pytest.mark.parametrize("mode", [AutoresetMode.SAME_STEP, AutoresetMode.DISABLED])
def test_every_seat_gets_the_same_however_games_begin_again(mode):
    for scheme in SCHEMES:
        play_and_follow(RULES["three"], scheme, mode, n_ends=2 * N)


@pytest.mark.parametrize("mode", AutoresetMode)
def test_a_lost_game_costs_the_offender_and_nobody_else(mode):
    env = CarcassonneVectorEnv(
        2, RULES["three"], "self", illegal_action="lose", autoreset_mode=mode
    )
    _, info = env.reset(seed=5)
    for _ in range(4):
        _, _, _, _, info = env.step(info["action_mask"].argmax(axis=1))
    offender, legal = info["seat"][0], info["action_mask"].argmax(axis=1)
    illegal = np.array([info["action_mask"][0].argmin(), legal[1]])
    _, rewards, ended, _, info = env.step(illegal)
    told = info["final_info"] if mode == AutoresetMode.SAME_STEP else info
    assert rewards.tolist() == [-1, 0] and ended.tolist() == [True, False]
    assert told["seat"][0] == offender
    assert told["rewards"][0].tolist() == [-1.0 * (seat == offender) for seat in range(3)]
    assert not told["rewards"][1].any()


@pytest.mark.parametrize("opponents", ["random", "self"])
@pytest.mark.parametrize("action", [-1, -2, -3, -4, 10**6, 2**40, *range(-(2**62) - 2, 1 - 2**62)])
def test_numbers_that_are_no_actions_are_illegal(opponents, action):
    """Some negative numbers have a meaning between the environment and the engine."""
    rules = Rules(view=12)
    env = CarcassonneVectorEnv(2, rules, opponents)
    _, info = env.reset(seed=1)
    actions = info["action_mask"].argmax(axis=1)
    actions[1] = action
    before = [env.table(i).save_state() for i in range(2)]
    with pytest.raises(ValueError, match=f"game 1: action {action} is not legal"):
        env.step(actions)
    assert [env.table(i).save_state() for i in range(2)] == before
    env = CarcassonneVectorEnv(2, rules, opponents, illegal_action="lose")
    env.reset(seed=1)
    _, rewards, ended, _, _ = env.step(actions)
    assert rewards.tolist() == [0, -1] and ended.tolist() == [False, True]


def test_a_lead_over_rivals_with_less_than_nothing_counts_in_full():
    """A bid above a player's own score can lead to negative points (BAZ-12)."""
    table, ledger = Table(Rules(n_players=3), seed=1), Ledger("margin", 3)
    ledger.open(table, table.scores)
    table.states["players"]["score"][0, :3] = 5, -3, -7
    assert ledger.give(table) == [8, -8, -12]


def test_self_play_has_no_seat_of_its_own():
    with pytest.raises(ValueError, match="in self-play every seat decides: leave out seat=0"):
        CarcassonneVectorEnv(2, opponents="self", seat=0)
    with pytest.raises(ValueError, match="agent 'self' is neither built in"):
        CarcassonneEnv(opponents="self")


def test_threads_change_nothing_in_self_play():
    arguments = {"rules": Rules.preset("all", n_players=3), "opponents": "self", "reward": "margin"}
    envs = [
        CarcassonneVectorEnv(7, encoding="sparse", num_threads=k, **arguments) for k in (1, 3, 16)
    ]
    steps = [env.reset(seed=3) for env in envs]
    rng = np.random.default_rng(1)
    n_ended = 0
    while n_ended < 7:
        for seen, *results, info in steps[1:]:
            wanted, *their_results, their_info = steps[0]
            assert all(seen[key].tobytes() == wanted[key].tobytes() for key in wanted)
            assert all(map(np.array_equal, results, their_results))
            assert all(np.array_equal(info[key], their_info[key]) for key in their_info)
        actions = np.array([chosen(mask, rng) for mask in steps[0][-1]["action_mask"]])
        steps = [env.step(actions) for env in envs]
        n_ended += steps[0][2].sum()
    for env in envs:
        env.close()


# Opponents that decide at many tables at once.


class Chooser:
    """Picks a legal action by the number of tiles left; counts how often it is asked."""

    def __init__(self):
        self.n_asked = 0

    def act(self, table):
        self.n_asked += 1
        legal = table.legal_actions()
        return legal[(7 * table.n_tiles_left + len(legal) // 2) % len(legal)]


class BatchChooser(Chooser):
    """Makes the same choices for many tables in one call; counts the calls."""

    def __init__(self):
        super().__init__()
        self.n_calls = 0

    def act_many(self, tables):
        assert len({table.states.ctypes.data for table in tables}) == len(tables) > 0
        self.n_calls += 1
        return [self.act(table) for table in tables]


@pytest.mark.parametrize(
    "rules", [RULES["two"], RULES["four"], RULES["all"]], ids=["2", "4", "all"]
)
@pytest.mark.parametrize("num_threads", [1, 2])
def test_opponents_that_take_many_tables_are_asked_once_for_all(rules, num_threads):
    """There are as many calls as in the busiest game, and games are as with single opponents."""
    batched, singles = BatchChooser(), [Chooser() for _ in range(N)]
    env = CarcassonneVectorEnv(N, rules, batched, reward="score_delta", num_threads=num_threads)
    others = [CarcassonneVectorEnv(1, rules, one, reward="score_delta") for one in singles]
    rng, n_ended = np.random.default_rng(3), 0
    _, info = env.reset(seed=2)
    for other, seed in zip(others, seeds_of(2, N), strict=True):
        other.reset(seed=[seed])
    while n_ended < N:
        actions = np.array([chosen(mask, rng) for mask in info["action_mask"]])
        for player in (batched, *singles):
            player.n_asked = 0
        batched.n_calls = 0
        seen, rewards, ended, _, info = env.step(actions)
        for i, other in enumerate(others):
            wanted, reward, is_over, _, _ = other.step(actions[i : i + 1])
            assert all(seen[key][i].tobytes() == wanted[key][0].tobytes() for key in wanted)
            assert (rewards[i], ended[i]) == (reward[0], is_over[0])
        asked = [player.n_asked for player in singles]
        assert batched.n_asked == sum(asked)
        assert batched.n_calls == max(asked)
        n_ended += ended.sum()
    env.close()


def test_opponents_of_all_kinds_play_side_by_side():
    rules = Rules(n_players=4, view=20)
    batched, alone = BatchChooser(), Chooser()
    env = CarcassonneVectorEnv(N, rules, ["greedy", batched, alone], seat=1)
    single = CarcassonneEnv(rules, ["greedy", Chooser(), Chooser()], seat=1)
    _, info = env.reset(seed=6)
    _, other = single.reset(seed=seeds_of(6, 1)[0])
    over = False
    while not over:
        np.testing.assert_array_equal(info["action_mask"][0], other["action_mask"])
        actions = info["action_mask"].argmax(axis=1)
        seen, rewards, ended, _, info = env.step(actions)
        wanted, reward, over, _, other = single.step(actions[0])
        assert all(np.array_equal(seen[key][0], wanted[key]) for key in wanted)
        assert (rewards[0], ended[0]) == (reward, over)
    assert batched.n_asked > batched.n_calls > 0 and alone.n_asked > 0


def test_what_opponents_answer_is_checked():
    class Cheat(Chooser):
        def act_many(self, tables):
            return [-1 for _ in tables]

    class Forgetful(Chooser):
        def act_many(self, tables):
            return []

    for player, reason in (
        (Cheat(), "Cheat: action -1 is not legal for seat 0"),
        (Forgetful(), "Forgetful at seat 0: act_many gave 0 actions for 2 tables"),
    ):
        env = CarcassonneVectorEnv(2, Rules(view=12), player, seat=1)
        with pytest.raises(ValueError, match=reason):
            env.reset(seed=1)
