"""The native vector environment does the same as single environments side by side, but faster."""

import copy
import multiprocessing
import pickle
import random

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.vector.utils import batch_space

import carc_env
from carc_env.envs import games, naming
from carc_env.envs.distributions import OneOf
from carc_env.envs.single_agent import CarcassonneEnv
from carc_env.envs.vector import IGNORED_ACTION, CarcassonneVectorEnv
from carc_env.game.records import load_record
from carc_env.layout.encodings import Planes
from carc_env.seeds import seeds_of
from tests.soak import random_rules

N = 5


class Passer:
    """Agent that places the tile at the first legal place and never places a figure."""

    def act(self, table):
        passing = table.layout.first("pass")
        return passing if table.is_legal(passing) else table.legal_actions()[0]


MIXED = OneOf(
    [
        {"deck_size": 5},
        {"preset": "inns", "n_players": 3, "deck_size": 4},
        {"preset": "flier", "deck_size": 12},
        {"preset": "bridges", "n_players": 4, "deck_size": 9},
    ]
)
SETTINGS = [
    {},
    {"rules": {"n_players": 3, "view": 16}, "opponents": ["greedy", Passer()], "reward": "margin"},
    {"rules": carc_env.Rules.preset("all", n_players=4), "reward": "score_delta", "seat": 2},
    {"rules": {"n_players": 4, "deck_size": 1, "view": 12}, "reward": "margin"},
    {"rules": {"n_players": 3, "deck_size": 2, "view": 12}, "opponents": ["greedy", Passer()]},
    {"rules": MIXED, "opponents": "value", "reward": "projected"},
]


def random_actions(masks, rng):
    return np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])


def side_by_side(mode, **settings):
    single = SyncVectorEnv([lambda: CarcassonneEnv(**settings)] * N, autoreset_mode=mode)
    return single, CarcassonneVectorEnv(N, autoreset_mode=mode, **settings)


def assert_same(ours, theirs):
    assert ours.keys() == theirs.keys()
    for key in theirs:
        np.testing.assert_array_equal(ours[key], theirs[key], err_msg=key)


@pytest.mark.parametrize(
    "settings", SETTINGS, ids=["base", "three", "all", "one tile", "two tiles", "drawn rules"]
)
@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
def test_games_are_those_of_single_environments(settings, mode):
    compare(330, mode, **settings)


@pytest.mark.parametrize(
    "seed", [*range(2), *(pytest.param(k, marks=pytest.mark.long) for k in range(2, 20))]
)
@pytest.mark.filterwarnings("ignore:.* has no effect")
def test_games_under_random_rules_are_those_of_single_environments(seed):
    rng = random.Random(seed)
    drawn = OneOf([random_rules(rng, view=20, deck_size=4) for _ in range(4)])
    settings = {"encoding": rng.choice(["planes", "tokens", "features", "sparse"])}
    settings |= {"opponents": rng.choice(["random", "greedy"]), "reward": "margin"}
    compare(150, AutoresetMode.SAME_STEP, rules=drawn, **settings)


def compare(n_steps, mode, **settings):
    """Compare a vector environment with single ones, step by step."""
    theirs, ours = side_by_side(mode, **settings)
    rng, n_ended = np.random.default_rng(0), 0
    seen, info = ours.reset(seed=7)
    wanted, other = theirs.reset(seed=seeds_of(7, N))
    for _ in range(n_steps):
        assert_same(seen, wanted)
        np.testing.assert_array_equal(info["action_mask"], other["action_mask"])
        np.testing.assert_array_equal(info["seat"], other["seat"])
        assert info["scores"].tolist() == [list(scores) for scores in other["scores"]]
        actions = random_actions(info["action_mask"], rng)
        wanted, *results, other = theirs.step(actions)
        seen, *found, info = ours.step(actions)
        for one, another in zip(found, results, strict=True):
            np.testing.assert_array_equal(one, another)
        n_ended += int(results[1].sum())
        if mode == AutoresetMode.SAME_STEP and results[1].any():
            for i in np.flatnonzero(results[1]):
                assert_same(info["final_obs"][i], other["final_obs"][i])
                scores = info["final_info"]["scores"][i].tolist()
                assert scores == list(other["final_info"]["scores"][i])
            np.testing.assert_array_equal(info["_final_obs"], other["_final_obs"])
    assert n_ended >= N


@pytest.mark.parametrize("opponents", ["insight", "weakened:noise=4"])
def test_what_opponents_need_is_made_again_for_each_game(opponents, monkeypatch):
    """The caches are too small for the rules that keep coming back."""
    monkeypatch.setattr(games, "MAX_WEIGHTS", 1)
    monkeypatch.setattr(naming, "MAX_LINE_UPS", 2)
    settings = {"rules": MIXED, "opponents": opponents, "reward": "margin"}
    theirs, ours = side_by_side(AutoresetMode.SAME_STEP, **settings)
    rng, n_ended = np.random.default_rng(0), 0
    (seen, info), (wanted, _) = ours.reset(seed=5), theirs.reset(seed=seeds_of(5, N))
    while n_ended < 4 * N:
        assert_same(seen, wanted)
        actions = random_actions(info["action_mask"], rng)
        wanted, *results, _ = theirs.step(actions)
        seen, *found, info = ours.step(actions)
        np.testing.assert_array_equal(found[0], results[0])
        n_ended += int(results[1].sum())


def test_threads_change_nothing():
    envs = [CarcassonneVectorEnv(7, num_threads=k, opponents="greedy") for k in (1, 3, 16)]
    rng = np.random.default_rng(1)
    infos = [env.reset(seed=3)[1] for env in envs]
    for _ in range(40):
        actions = random_actions(infos[0]["action_mask"], rng)
        steps = [env.step(actions) for env in envs]
        infos = [step[-1] for step in steps]
        for step in steps[1:]:
            assert_same(step[0], steps[0][0])
            np.testing.assert_array_equal(step[1], steps[0][1])
    for env in envs:
        env.close()


def test_make_vec_gives_the_native_environment():
    env = gymnasium.make_vec("carc_env/Carcassonne-v1", num_envs=3, rules={"n_players": 3})
    assert isinstance(env.unwrapped, CarcassonneVectorEnv)
    seen, info = env.reset(seed=1)
    assert env.observation_space.contains(seen)
    assert env.single_action_space.n == info["action_mask"].shape[1]
    assert env.metadata["autoreset_mode"] == AutoresetMode.NEXT_STEP
    np.testing.assert_array_equal(env.unwrapped.action_masks(), info["action_mask"] == 1)


@pytest.mark.interpreted
def test_an_illegal_action_is_refused_and_no_game_has_changed():
    env = CarcassonneVectorEnv(3, seat=0)
    _, info = env.reset(seed=1)
    before = env._games.states.tobytes()
    actions = random_actions(info["action_mask"], np.random.default_rng(0))
    actions[1] = np.flatnonzero(info["action_mask"][1] == 0)[5]
    with pytest.raises(ValueError, match=rf"game 1: action {actions[1]} is not legal for seat 0"):
        env.step(actions)
    assert env._games.states.tobytes() == before
    for wrong in (np.zeros(2, np.int64), np.zeros(3), actions.reshape(3, 1)):
        with pytest.raises(ValueError, match=r"actions must be integers of shape \(3,\)"):
            env.step(wrong)


@pytest.mark.parametrize(("choice", "reward", "ends"), [("noop", 0.0, False), ("lose", -1.0, True)])
@pytest.mark.interpreted
def test_illegal_actions_can_be_ignored_or_lose(choice, reward, ends):
    env = CarcassonneVectorEnv(2, seat=0, illegal_action=choice)
    _, info = env.reset(seed=1)
    illegal = np.array([np.flatnonzero(mask == 0)[0] for mask in info["action_mask"]])
    _, rewards, terminations, _, _ = env.step(illegal)
    assert rewards.tolist() == [reward] * 2 and terminations.tolist() == [ends] * 2


def assert_ignored(i, seen, *masks):
    """Check that row i shows the ignored action and no other one."""
    for mask in (seen["action_mask"], *masks):
        assert np.flatnonzero(mask[i]).tolist() == [IGNORED_ACTION]
    assert seen["n_legal"][i] == 1
    assert seen["legal"][i, 0] == IGNORED_ACTION and (seen["legal"][i, 1:] == -1).all()


def assert_masks_and_lists_agree(seen, *masks):
    for i, (n, legal) in enumerate(zip(seen["n_legal"][:, 0], seen["legal"], strict=True)):
        assert n > 0 and (legal[n:] == -1).all()
        for mask in (seen["action_mask"], *masks):
            assert np.flatnonzero(mask[i]).tolist() == sorted(legal[:n])


@pytest.mark.parametrize("opponents", ["random", "self"])
@pytest.mark.parametrize("mode", AutoresetMode)
def test_every_mask_has_an_action_and_behind_the_end_it_is_ignored(mode, opponents):
    """In every mode, you can draw from any row, apply a softmax to it or index into it."""
    env = CarcassonneVectorEnv(
        3,
        {"view": 12},
        opponents,
        encoding="tokens",
        observe_mask=True,
        legal_list=True,
        autoreset_mode=mode,
    )
    rng, n_ended = np.random.default_rng(0), 0
    seen, info = env.reset(seed=1)
    while n_ended < 6:
        assert_masks_and_lists_agree(seen, info["action_mask"], env.action_masks())
        seen, _, ended, _, info = env.step(random_actions(info["action_mask"], rng))
        for i in np.flatnonzero(ended).tolist():
            n_ended += 1
            if mode == AutoresetMode.SAME_STEP:
                rows = {name: row[None] for name, row in info["final_obs"][i].items()}
                assert_ignored(0, rows, info["final_info"]["action_mask"][i : i + 1])
            else:
                assert_ignored(i, seen, info["action_mask"], env.action_masks())
        if mode == AutoresetMode.DISABLED and ended.any():
            with pytest.raises(ValueError, match=r"is over: reset it with a reset_mask"):
                env.step(random_actions(info["action_mask"], rng))
            seen, info = env.reset(options={"reset_mask": ended})


@pytest.mark.parametrize("action", [IGNORED_ACTION, 17, -1, 10**6])
def test_what_is_done_in_a_game_that_is_over_does_not_matter(action):
    envs = [CarcassonneVectorEnv(2, {"view": 12}, opponents="self") for _ in range(2)]
    infos = [env.reset(seed=3)[1] for env in envs]
    ended = np.zeros(2, np.bool_)
    while not ended.any():
        actions = infos[0]["action_mask"].argmax(axis=1)
        steps = [env.step(actions) for env in envs]
        infos, ended = [step[-1] for step in steps], steps[0][2].copy()
    ignored = infos[0]["action_mask"].argmax(axis=1)
    for env, actions in zip(envs, (ignored, np.where(ended, action, ignored)), strict=True):
        env.step(actions)
    assert envs[0]._games.states.tobytes() == envs[1]._games.states.tobytes()


def test_who_has_lost_may_only_do_what_is_ignored():
    env = CarcassonneVectorEnv(3, seat=0, illegal_action="lose", observe_mask=True, legal_list=True)
    seen, info = env.reset(seed=1)
    actions = info["action_mask"].argmax(axis=1)
    actions[1] = -1
    seen, _, ended, _, info = env.step(actions)
    assert ended.tolist() == [False, True, False]
    assert_ignored(1, seen, info["action_mask"], env.action_masks())
    seen, _, ended, _, info = env.step(info["action_mask"].argmax(axis=1))
    assert not ended.any()
    assert_masks_and_lists_agree(seen, info["action_mask"])


class Failing(Passer):
    """Raises an error once ``fails`` is set."""

    fails = False

    def act(self, table):
        if self.fails:
            raise RuntimeError("no idea")
        return super().act(table)


def test_after_an_opponent_has_failed_only_a_reset_helps():
    rival = Failing()
    env = CarcassonneVectorEnv(2, opponents=rival, seat=0)
    _, info = env.reset(seed=1)
    rival.fails = True
    with pytest.raises(RuntimeError, match="no idea"):
        while True:
            _, _, _, _, info = env.step(info["action_mask"].argmax(axis=1))
    rival.fails = False
    with pytest.raises(ResetNeeded, match="an opponent failed"):
        env.step(info["action_mask"].argmax(axis=1))
    _, info = env.reset()
    env.step(info["action_mask"].argmax(axis=1))


def test_nothing_goes_on_before_the_first_reset():
    env = CarcassonneVectorEnv(2, seat=0, render_mode="ansi")
    some = {"reset_mask": np.array([True, False])}
    for call in (
        lambda: env.step(np.zeros(2, np.int64)),
        env.render,
        lambda: env.table(0),
        lambda: env.reset(seed=1, options=some),
    ):
        with pytest.raises(ResetNeeded, match=r"call reset\(\) for all games"):
            call()
    seen, _ = env.reset(options={"reset_mask": np.ones(2, np.bool_)})
    assert np.isfinite(seen["globals"]).all() and env.table(0).n_tiles_left == 70


@pytest.mark.parametrize("copy", [False, True])
def test_in_a_partial_reset_the_other_games_earn_nothing(copy):
    env = CarcassonneVectorEnv(3, reward="score_delta", copy=copy)
    rng, some = np.random.default_rng(0), np.array([False, True, False])
    _, info = env.reset(seed=4)
    while not info["rewards"][~some].any():
        _, _, _, _, info = env.step(random_actions(info["action_mask"], rng))
    scores = info["scores"][~some].copy()
    _, info = env.reset(options={"reset_mask": some})
    assert not info["rewards"].any()
    np.testing.assert_array_equal(info["scores"][~some], scores)
    _, rewards, _, _, info = env.step(random_actions(info["action_mask"], rng))
    gained = info["scores"][~some] - scores
    np.testing.assert_array_equal(info["rewards"][~some], gained)
    np.testing.assert_array_equal(rewards[~some], gained[[0, 1], info["seat"][~some]])


def test_a_refused_reset_changes_nothing():
    env, twin = CarcassonneVectorEnv(2), CarcassonneVectorEnv(2)
    for one in (env, twin):
        one.reset(seed=3)
    with pytest.raises(ValueError, match="a seed must be 0 or more, got -1"):
        env.reset(seed=[5, -1])
    for _ in range(2):
        assert env._games.states.tobytes() == twin._games.states.tobytes()
        for one in (env, twin):
            one.reset()


@pytest.mark.once
@pytest.mark.skipif(
    "fork" not in multiprocessing.get_all_start_methods(), reason="processes cannot be forked here"
)
def test_threads_are_made_anew_in_a_forked_child():
    """The child continues with its own copy of the games."""
    env = CarcassonneVectorEnv(4, num_threads=2)
    _, info = env.reset(seed=1)
    actions = info["action_mask"].argmax(axis=1)
    _, _, _, _, info = env.step(actions)
    actions = info["action_mask"].argmax(axis=1)
    before = env._games.states.tobytes()
    ours, theirs = multiprocessing.Pipe()

    def play():
        seen, *_ = env.step(actions)
        theirs.send({key: rows.tobytes() for key, rows in seen.items()})

    child = multiprocessing.get_context("fork").Process(target=play)
    child.start()
    try:
        assert ours.poll(60), "the child hangs"
        stepped = ours.recv()
        child.join(60)
        assert child.exitcode == 0
    finally:
        child.kill()
    assert env._games.states.tobytes() == before
    seen, *_ = env.step(actions)
    assert stepped == {key: rows.tobytes() for key, rows in seen.items()}
    env.close()


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, pickle.dumps])
def test_copies_are_refused(duplicate):
    with pytest.raises(TypeError, match="cannot be copied or pickled"):
        duplicate(CarcassonneVectorEnv(2))


def test_a_table_knows_when_its_game_is_over():
    env = CarcassonneVectorEnv(1, opponents="self", autoreset_mode=AutoresetMode.DISABLED)
    _, info = env.reset(seed=0)
    table, ended = env.table(0), np.zeros(1, np.bool_)
    while not ended[0]:
        assert not table.is_over
        _, _, ended, _, info = env.step(info["action_mask"].argmax(axis=1))
    assert table.is_over and table.winners == env.table(0).winners != ()


def test_without_autoreset_games_begin_when_they_are_told_to():
    env = CarcassonneVectorEnv(3, autoreset_mode=AutoresetMode.DISABLED)
    rng = np.random.default_rng(2)
    _, info = env.reset(seed=4)
    ended = np.zeros(3, np.bool_)
    while not ended.any():
        _, _, ended, _, info = env.step(random_actions(info["action_mask"], rng))
    with pytest.raises(ValueError, match=rf"game {ended.argmax()} is over"):
        env.step(np.zeros(3, np.int64))
    others = [env.table(i).save_state() for i in np.flatnonzero(~ended)]
    _, info = env.reset(options={"reset_mask": ended})
    assert [env.table(i).save_state() for i in np.flatnonzero(~ended)] == others
    assert (info["scores"][ended] == 0).all() and info["action_mask"].any(axis=1).all()
    for mask in (np.zeros(3, np.bool_), np.ones(2, np.bool_), np.ones(3, np.int64)):
        with pytest.raises(ValueError, match="reset_mask must be bool"):
            env.reset(options={"reset_mask": mask})


def test_buffers_are_reused_unless_copies_are_wanted():
    for copies in (False, True):
        env = CarcassonneVectorEnv(2, seat=0, copy=copies)
        first, info = env.reset(seed=1)
        kept = first["board"].copy()
        env.step(random_actions(info["action_mask"], np.random.default_rng(0)))
        assert np.array_equal(first["board"], kept) == copies


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"num_envs": 0}, "the number of games must be a positive int, got 0"),
        ({"num_threads": 0}, "num_threads must be a positive int"),
        ({"seat": 2}, "seat must be 0 to 1"),
        ({"render_mode": "human"}, "render_mode must be"),
        ({"autoreset_mode": "sometimes"}, "one of 'NextStep', 'SameStep', 'Disabled'; got 'some"),
        ({"opponents": "strong"}, "agent 'strong' is neither built in"),
        ({"opponents": Passer}, "is a class: make an instance of it"),
    ],
)
def test_bad_settings_are_refused(settings, reason):
    with pytest.raises(ValueError, match=reason):
        CarcassonneVectorEnv(**settings)


def test_seeds_must_fit():
    env = CarcassonneVectorEnv(2)
    with pytest.raises(ValueError, match="3 seeds for 2 games"):
        env.reset(seed=[1, 2, 3])
    with pytest.raises(ValueError, match="a seed must be 0 or more, got -1"):
        env.reset(seed=-1)
    with pytest.raises(ValueError, match="a seed must be 0 or more, got -2"):
        env.reset(seed=[1, -2])
    for wrong in (1.0, "1", [0, 2.0], np.ones(2)):
        with pytest.raises(TypeError, match=r"a seed must be an int, got .* of type (float|str)"):
            env.reset(seed=wrong)


@pytest.mark.parametrize(
    "given",
    [
        np.int64(3),
        np.array(3),
        tuple(seeds_of(3, 2)),
        np.array(seeds_of(3, 2), np.uint64),
        [np.uint64(seed) for seed in seeds_of(3, 2)],
    ],
    ids=lambda given: type(given).__name__,
)
def test_a_seed_may_be_any_integer_and_seeds_any_sequence(given):
    ours, theirs = CarcassonneVectorEnv(2), CarcassonneVectorEnv(2)
    ours.reset(seed=given)
    theirs.reset(seed=3)
    assert ours._games.states.tobytes() == theirs._games.states.tobytes()


def test_unknown_options_are_refused():
    with pytest.raises(
        ValueError, match=r"of reset must be one of 'reset_mask', 'states', 'rules'; got 'state'"
    ):
        CarcassonneVectorEnv(2).reset(options={"state": b""})


@pytest.mark.parametrize("encoding", ["planes", "tokens", "sparse"])
def test_the_space_of_many_games_is_that_of_gymnasium_and_keeps_bounds_once(encoding):
    env = CarcassonneVectorEnv(
        3, {"view": 12}, encoding=encoding, observe_mask=True, legal_list=True
    )
    wanted = batch_space(env.single_observation_space, 3)
    space = env.observation_space
    assert space == wanted and repr(space) == repr(wanted)
    assert pickle.loads(pickle.dumps(space)) == copy.deepcopy(space) == space
    seen, _ = env.reset(seed=1)
    assert space.contains(seen) and not space.contains(seen | {"globals": seen["globals"] + 200})
    for one in (space, wanted):
        one.seed(7)
    sample = space.sample()
    assert_same(sample, wanted.sample())
    assert space.contains(sample)
    for name, box in space.items():
        for bound in (box.low, box.high, box.bounded_below, box.bounded_above):
            assert bound.shape == seen[name].shape and bound.strides[0] == 0


def test_every_game_is_drawn():
    env = CarcassonneVectorEnv(2, render_mode="ansi")
    env.reset(seed=1)
    assert len(env.render()) == 2 and all("A" in text for text in env.render())


# Arrays that the caller provides.


class Sum(Planes):
    """Encoding with an array that the engine does not draw."""

    def boxes(self):
        return super().boxes() | {"sum": gymnasium.spaces.Box(0, 2**20, (1,), np.int64)}

    def write(self, rows, table, seat):
        rows["sum"][0] = rows["board"].sum(dtype=np.int64)


def arrays_for(env):
    """Return arrays for everything that is observed, filled with an arbitrary value."""
    spaces = env.observation_space.spaces
    return {name: np.full(box.shape, 77, box.dtype) for name, box in spaces.items()}


@pytest.mark.parametrize("num_threads", [1, 2])
@pytest.mark.parametrize("encoding", ["planes", "tokens", "sparse", Sum])
def test_observations_are_written_into_arrays_of_the_caller(encoding, num_threads):
    """Games are the same as without such arrays; the environment creates the missing ones."""
    settings = {"encoding": encoding, "observe_mask": True, "legal_list": True}
    plain = CarcassonneVectorEnv(N, **settings)
    out = arrays_for(plain)
    del out["globals"]
    env = CarcassonneVectorEnv(N, **settings, num_threads=num_threads, out=out)
    ours, _ = env.reset(seed=3)
    theirs, info = plain.reset(seed=3)
    rng = np.random.default_rng(0)
    for _ in range(80):
        assert_same(ours, theirs)
        assert all(ours[name] is array or ours[name].base is array for name, array in out.items())
        actions = random_actions(info["action_mask"], rng)
        ours, (theirs, _, _, _, info) = env.step(actions)[0], plain.step(actions)
    env.close()


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("board", lambda rows: rows[:-1], r"out\['board'\] must be uint8 of shape \(5, "),
        ("globals", lambda rows: rows.astype(np.float64), "must be float32 .* got float64"),
        ("globals", np.asfortranarray, "must be C-contiguous, aligned and writeable"),
        ("globals", lambda rows: np.broadcast_to(rows[:1], rows.shape), "must be C-contiguous"),
        ("planes", lambda rows: rows, "a name in out must be one of 'board', 'globals'"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(name, change, message):
    arrays = arrays_for(CarcassonneVectorEnv(N))
    with pytest.raises(ValueError, match=message):
        CarcassonneVectorEnv(N, out={name: change(arrays.get(name, arrays["board"]))})


def test_planes_that_lie_otherwise_in_memory_are_refused():
    """The engine cannot write into an array of the shape (n, planes, view, view)."""
    form = Planes(carc_env.Rules())
    arrays = arrays_for(CarcassonneVectorEnv(N, encoding=form))
    with pytest.raises(ValueError, match="pass flat_board=True"):
        CarcassonneVectorEnv(N, encoding=form, out=arrays)


@pytest.mark.parametrize("preset", ["flier", "hills-sheep"])
def test_records_of_games_with_chance_and_random_opponents_are_those_games(preset, tmp_path):
    envs = CarcassonneVectorEnv(3, carc_env.Rules.preset(preset), "random", records=tmp_path)
    _, info = envs.reset(seed=0)
    rng, scores = np.random.default_rng(0), []
    while len(scores) < 4:
        actions = [rng.choice(np.flatnonzero(mask)) for mask in info["action_mask"]]
        _, _, ended, _, info = envs.step(np.array(actions))
        scores += info["scores"][ended].tolist()
    kept = [load_record(path.read_text("utf-8")) for path in sorted(tmp_path.iterdir())]
    assert [list(game.scores) for game in kept] == scores
    assert any(move.token is not None for game in kept for move in game.moves)
