"""The recipe of a single file, ``scripts/ppo.py``."""

import itertools
import json
import signal
import subprocess
import sys
from dataclasses import replace
from functools import cache
from itertools import pairwise, zip_longest
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs torch: install carc_env[train]")

import ppo  # noqa: E402
from carc_env.agents import CheckpointError, read_checkpoint, write_checkpoint  # noqa: E402
from carc_env.agents.commands import training  # noqa: E402
from carc_env.agents.config import NetworkConfig  # noqa: E402
from carc_env.agents.evaluation import evaluate  # noqa: E402
from carc_env.agents.network_agent import NetworkAgent  # noqa: E402
from carc_env.agents.networks import Network  # noqa: E402
from carc_env.agents.training_env import TrainingEnv  # noqa: E402
from ppo import (  # noqa: E402
    Arguments,
    Clock,
    Frames,
    Learner,
    Player,
    Ragged,
    Rollout,
    estimate_advantages,
    judge,
    main,
    make_env,
)

from carc_env.envs.distributions import OneOf  # noqa: E402
from carc_env.envs.naming import make_agent  # noqa: E402
from carc_env.envs.vector import CarcassonneVectorEnv  # noqa: E402
from carc_env.game.table import Table  # noqa: E402
from carc_env.layout.encodings import Planes  # noqa: E402
from carc_env.rules import Layout, Rules  # noqa: E402
from tests.resuming import WITH_TENSORBOARD, check_resuming, files_in, finished  # noqa: E402

pytestmark = [pytest.mark.once, pytest.mark.usefixtures("one_thread")]

SCRIPT = Path(__file__).parent.parent / "scripts" / "ppo.py"
TINY = NetworkConfig(channels=4, blocks=2, hidden=8)
SMALL = Arguments(
    total_steps=256,
    rules=Rules(view=12),
    n_envs=8,
    n_steps=8,
    batch_size=32,
    network=TINY,
    eval_every=128,
    eval_games=4,
    eval_against=("random",),
    threads=1,
)


def rollout(seats, rewards, values, has_ended, last_values) -> Rollout:
    """What advantages depend on; the first axis of each counts steps."""
    return Rollout(
        frames=[],
        places=np.zeros(np.shape(values), np.int64),
        log_probabilities=np.zeros(np.shape(values), np.float32),
        values=np.asarray(values, np.float32),
        seats=np.asarray(seats),
        rewards=np.asarray(rewards, np.float32),
        has_ended=np.asarray(has_ended, bool),
        last_values=np.asarray(last_values, np.float32),
    )


# Advantages.


def test_a_seat_earns_until_it_decides_again():
    # One game for two: seat 0 decides twice, then seat 1, then seat 0 follows.
    r = rollout(
        seats=[[0], [0], [1], [0]],
        rewards=[[[1, 0]], [[0, 4]], [[2, 8]]],
        values=[[10], [20], [30]],
        has_ended=[[False], [False], [False]],
        last_values=[40],
    )
    found, is_known = estimate_advantages(r, gamma=0.5, gae_lambda=0.5)
    second = (0 + 2) + 0.5 * 40 - 20
    first = 1 + 0.5 * 20 - 10 + 0.25 * second
    assert found[:2, 0].tolist() == [first, second]
    # Nothing is known of what follows the decision of seat 1.
    assert is_known[:, 0].tolist() == [True, True, False]


def test_nothing_is_carried_over_the_end_of_a_game():
    # Seat 1 ends the first game: both are paid. Seat 1 begins the second one, seat 0 is next.
    r = rollout(
        seats=[[0], [1], [1], [0]],
        rewards=[[[0, 0]], [[-1, 1]], [[5, 7]]],
        values=[[0.25], [0.5], [3]],
        has_ended=[[False], [True], [False]],
        last_values=[100],
    )
    found, is_known = estimate_advantages(r, gamma=1.0, gae_lambda=1.0)
    assert found[:2, 0].tolist() == [-1 - 0.25, 1 - 0.5]
    assert is_known[:, 0].tolist() == [True, True, False]


def by_hand(r: Rollout, game: int, gamma: float, lam: float) -> dict[int, float]:
    """Advantages of one game by the definition: sums over the decisions that follow."""
    n_steps = len(r.values)
    ends = np.flatnonzero(r.has_ended[:, game]).tolist()
    bounds = [0, *(end + 1 for end in ends), n_steps]
    found = {}
    for first, behind in pairwise(bounds):
        for seat in range(r.rewards.shape[2]):
            own = [t for t in range(first, behind) if r.seats[t, game] == seat]
            is_over = behind - 1 in ends
            changes = []
            for t, follows in zip_longest(own, own[1:]):
                if follows is not None:
                    next_value = r.values[follows, game]
                elif is_over:
                    next_value = 0.0
                elif r.seats[-1, game] == seat:
                    next_value = r.last_values[game]
                else:
                    break
                earned = r.rewards[t : behind if follows is None else follows, game, seat].sum()
                changes.append(earned + gamma * next_value - r.values[t, game])
            for k in range(len(changes)):
                found[own[k]] = sum((gamma * lam) ** j * c for j, c in enumerate(changes[k:]))
    return found


@pytest.mark.parametrize("n_players", [2, 4])
def test_advantages_are_those_of_the_definition(n_players):
    rng = np.random.default_rng(n_players)
    shape = 40, 16
    r = rollout(
        seats=rng.integers(n_players, size=(41, 16)),
        rewards=rng.normal(size=(*shape, n_players)),
        values=rng.normal(size=shape),
        has_ended=rng.random(shape) < 0.1,
        last_values=rng.normal(size=16),
    )
    found, is_known = estimate_advantages(r, gamma=0.9, gae_lambda=0.8)
    for game in range(16):
        wanted = by_hand(r, game, 0.9, 0.8)
        assert np.flatnonzero(is_known[:, game]).tolist() == sorted(wanted)
        for t, advantage in wanted.items():
            assert found[t, game] == pytest.approx(advantage, rel=1e-4, abs=1e-5)


def test_rewards_of_a_rollout_add_up_to_the_scores():
    a = Arguments(
        rules=Rules(view=12),
        reward="score_delta",
        reward_scale=1.0,
        n_envs=6,
        n_steps=300,
        network=TINY,
    )
    env = make_env(a)
    torch.manual_seed(0)
    r = Player(env, network_of(a), a, seed=1).play(Clock())
    assert r.has_ended.sum() > env.num_envs
    for game in range(env.num_envs):
        last_end = np.flatnonzero(r.has_ended[:, game])[-1]
        left = r.rewards[last_end + 1 :, game].sum(0)
        assert tuple(left.tolist()) == env.table(game).scores
    env.close()


def test_final_info_is_asked_about_games_that_have_ended_alone():
    """About the others it may say anything."""

    class Spoilt(TrainingEnv):
        def step(self, actions):
            *told, ended, truncated, info = super().step(actions)
            if ended.any():
                info["final_info"]["rewards"][~ended] = np.nan
            return *told, ended, truncated, info

    a = Arguments(rules=Rules(view=12), reward="score_delta", n_envs=6, n_steps=150, network=TINY)
    encoding = Planes(a.rules, flat_board=True, legal_list=True)
    network, rollouts = network_of(a), []
    for kind in (TrainingEnv, Spoilt):
        env = kind(a.n_envs, a.rules, a.opponents, a.scheme, encoding=encoding)
        torch.manual_seed(0)
        rollouts.append(Player(env, network, a, seed=1).play(Clock()))
        env.close()
    clean, spoilt = rollouts
    assert (clean.has_ended.any(axis=1) & ~clean.has_ended.all(axis=1)).any()
    assert clean.rewards[clean.has_ended].any()
    np.testing.assert_array_equal(spoilt.rewards, clean.rewards)


# The network.


def network_of(config):
    return Network(config.rules, config.network)


def test_ragged_rows_are_taken_in_order():
    padded = torch.tensor([[5, 6, -1], [-1, -1, -1], [7, -1, -1], [1, 2, 3]])
    rows = Ragged.of(padded, torch.tensor([2, 0, 1, 3]))
    taken = rows.take(torch.tensor([3, 1, 0, 3]))
    assert taken.items.tolist() == [1, 2, 3, 5, 6, 1, 2, 3]
    assert taken.counts.tolist() == [3, 0, 2, 3]
    joined = Ragged.join([rows, taken])
    assert joined.items.tolist() == [5, 6, 7, 1, 2, 3, *taken.items.tolist()]
    assert joined.take(torch.tensor([6])).items.tolist() == [5, 6]


def test_probabilities_are_those_of_the_listed_actions():
    env = make_env(SMALL)
    seen, _ = env.reset(seed=3)
    torch.manual_seed(0)
    network = network_of(SMALL)
    frames = Frames.of(seen, 12 * 12)
    log_probabilities, values = judge(network, frames, 12)
    assert values.shape == (SMALL.n_envs,)
    n_legal = seen["n_legal"][:, 0]
    for row, n in zip(log_probabilities, n_legal.tolist(), strict=True):
        assert row[:n].exp().sum().item() == pytest.approx(1.0, abs=1e-5)
        assert row[n:].isneginf().all()
    one = judge(network, frames.take(torch.tensor([2])), 12)
    torch.testing.assert_close(one[0][0], log_probabilities[2, : n_legal[2]])
    torch.testing.assert_close(one[1][0], values[2])
    # The buffers of the environment are written again; frames are copies.
    env.step(seen["legal"][:, 0])
    torch.testing.assert_close(judge(network, frames, 12)[1], values)
    env.close()


@pytest.mark.parametrize("extractor", ["turned", "light"])
def test_rows_of_games_that_are_over_are_judged_too(extractor):
    rules = Rules(view=12, deck_size=2)
    config = replace(SMALL, rules=rules, network=NetworkConfig(extractor, 4, 1, 8))
    env = CarcassonneVectorEnv(3, rules, encoding=Planes(rules, flat_board=True, legal_list=True))
    seen, info = env.reset(seed=1)
    ended = np.zeros(3, np.bool_)
    while not ended.any() or ended.all():
        seen, _, ended, _, info = env.step(info["action_mask"].argmax(axis=1))
    log_probabilities, values = judge(network_of(config), Frames.of(seen, 12 * 12), 12)
    assert values.isfinite().all()
    over = torch.from_numpy(ended)
    assert (log_probabilities[over, 0] == 0).all()
    assert log_probabilities[over, 1:].isneginf().all()
    sums = log_probabilities.detach().exp().sum(1)
    torch.testing.assert_close(sums, torch.ones(3))


def test_a_gpu_reads_observations_where_they_are_written(monkeypatch):
    """Only for a GPU is memory pinned, and the environment writes into just that."""
    asked = []

    def empty(shape, *, dtype, pin_memory):
        asked.append(torch.zeros(shape, dtype=dtype))
        assert pin_memory
        return asked[-1]

    monkeypatch.setattr(torch, "empty", empty)
    make_env(SMALL).close()
    assert not asked
    env = make_env(SMALL, torch.device("cuda"))
    seen, _ = env.reset(seed=0)
    written = [rows.ctypes.data for rows in seen.values()]
    assert written == [tensor.data_ptr() for tensor in asked]
    assert len(asked) == 4 and all(tensor.any() for tensor in asked)
    env.close()


@pytest.mark.parametrize("extractor", ["light", "turned"])
def test_the_network_plays_what_it_finds_most_probable(extractor):
    """At a table it sees what the vector environment shows."""
    env = make_env(SMALL)
    seen, _ = env.reset(seed=3)
    torch.manual_seed(0)
    network = network_of(SMALL.replace(network=replace(TINY, extractor=extractor)))
    torch.nn.init.normal_(network.tile_head.weight)
    places = judge(network, Frames.of(seen, 12 * 12), 12)[0].argmax(1)
    wanted = [int(row[place]) for row, place in zip(seen["legal"], places, strict=True)]
    assert len({*places.tolist()}) > 1
    agent = NetworkAgent(network, SMALL.rules)
    assert agent.act_many([env.table(i) for i in range(SMALL.n_envs)]) == wanted
    env.close()


# Runs.


@cache
def whole_run(config):
    """A run from its beginning to its end, for those who look at it only."""
    return finished(Learner(config))


@pytest.mark.parametrize("opponents", [("self",), ("random", "greedy")])
def test_a_run_that_goes_on_is_the_same_run(opponents, tmp_path):
    """With its games, curve, schedule and random numbers."""
    config = SMALL.replace(opponents=opponents)
    straight = finished(Learner(config), tmp_path / "half.ckpt", n_rows=3)
    check_resuming(straight, tmp_path / "half.ckpt")


def test_a_run_draws_the_rules_of_its_games(tmp_path):
    """It learns from seats that not every game has, and its checkpoint plays all of the rules."""
    kinds = [Rules(view=12), Rules(view=12, n_players=3), Rules.preset("inns", view=12)]
    deal = OneOf(kinds, layout=Layout(*kinds, kinds[2].replace(n_players=3)))
    tests = {"base": kinds[0], "inns for 3": kinds[2].replace(n_players=3)}
    config = SMALL.replace(opponents=("self",), eval_games=6)
    straight = finished(Learner(config, deal, tests), tmp_path / "half.ckpt", n_rows=3)
    first = straight.curve[0]
    rates = [first[f"random ({name}) win_rate"] for name in tests]
    assert first["random win_rate"] == sum(rates) / 2
    check_resuming(straight, tmp_path / "half.ckpt", deal, tests)
    with pytest.raises(CheckpointError, match="draws rules from a distribution: pass its OneOf"):
        Learner.resume(tmp_path / "half.ckpt")
    agent = make_agent(tmp_path / "half.ckpt")
    assert agent.rules.layout is None
    for rules in (*kinds, *deal.rules, *tests.values()):
        table = Table(rules, seed=1)
        assert table.is_legal(agent.act(table))


def test_a_layout_is_an_option():
    """Not a subcommand, which would take all arguments that follow."""
    layout = Layout(Rules(view=12), Rules(view=12, n_players=3))
    given = ["--rules.layout", json.dumps(layout.to_plain()), "--rules.view", "12", "--n-envs", "8"]
    config = training.settings_of(ppo.SCRIPT, None, "", given)
    assert config.rules.layout == layout and config.n_envs == 8
    assert training.settings_of(ppo.SCRIPT, None, "", given[2:]).rules == Rules(view=12)


def test_a_script_takes_a_distribution(tmp_path):
    deal = OneOf([Rules(view=12), Rules(view=12, deck_size=30)])
    config = SMALL.replace(folder=str(tmp_path / "run"), total_steps=64)
    script = training.recipe(Learner, deal)
    learner, status = training.train(script, config)
    assert status == 0 and learner.distribution is deal
    again, _ = training.train(script, config.replace(total_steps=128), tmp_path / "run/latest.ckpt")
    assert again.steps == 128 and again.curve[:2] == learner.curve


def test_it_is_evaluated_at_first_and_on_the_same_decks():
    learner = Learner(SMALL)
    first = learner.update()
    rivals = {"random": make_agent("random", SMALL.rules)}
    found = evaluate(learner.agent, rivals, SMALL.rules, SMALL.eval_games)
    assert first == {"steps": 0, **found}
    finished(learner)
    evaluated = [row["steps"] for row in learner.curve if "random win_rate" in row]
    assert evaluated == [0, 128, 256]
    assert {"entropy", "explained", "kl", "policy_loss", "value_loss"} < {*learner.curve[1]}


@pytest.fixture
def rates(monkeypatch):
    """The learning rate of each update."""
    original = ppo.learn
    found: list[float] = []

    def learn_and_note(network, optimizer, *rest):
        found.append(optimizer.param_groups[0]["lr"])
        return original(network, optimizer, *rest)

    monkeypatch.setattr(ppo, "learn", learn_and_note)
    return found


def test_a_run_begins_with_a_network_of_other_rules(tmp_path):
    """It takes over what both know, once; the file is not asked for again."""
    first = whole_run(SMALL)
    first.save(path := tmp_path / "first.ckpt")
    config = SMALL.replace(init=str(path), rules=Rules.preset("all", view=12))
    learner = Learner.begin(config)
    learner.close()
    old, new = (x.network.state_dict() for x in (first, learner))
    assert torch.equal(old["tile_head.weight"], new["tile_head.weight"])
    assert old["told.weight"].shape != new["told.weight"].shape
    learner.save(tmp_path / "second.ckpt")
    path.unlink()
    Learner.begin(config, tmp_path / "second.ckpt").close()
    with pytest.raises(FileNotFoundError):
        Learner.begin(config)


def test_the_learning_rate_falls_in_a_line(rates):
    whole_run(SMALL.replace(learning_rate=0.5, final_learning_rate=0.1))
    assert rates == pytest.approx([0.5, 0.4, 0.3, 0.2])


# The command line.

OPTIONS = (
    "--rules.view 12 --n-envs 8 --n-steps 8 --batch-size 32 --network.channels 4 "
    "--network.blocks 2 --network.hidden 8 --eval-every 128 --eval-games 4 --eval-against random "
    "--checkpoint-every 64 --threads 1"
).split()


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    """Runs the command line in this process; returns the exit status and what it printed."""
    monkeypatch.chdir(tmp_path)

    def main_with(*arguments: object) -> tuple[int, str]:
        return main([*map(str, arguments)]), capsys.readouterr().out

    return main_with


@pytest.mark.long
def test_a_run_learns_evaluates_and_is_kept(tmp_path):
    command = [sys.executable, SCRIPT, "--total-steps", "256", *OPTIONS]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("against random: wins") == 3
    assert "steps/s without the evaluations (environment " in done.stdout
    assert files_in(tmp_path / "runs" / "ppo") == WITH_TENSORBOARD


def test_a_signal_ends_the_run_behind_its_update(monkeypatch, run, tmp_path):
    learn, count = Learner.learn, itertools.count(1)

    def learn_and_interrupt(learner):
        if next(count) == 3:
            signal.raise_signal(signal.SIGTERM)
        return learn(learner)

    with monkeypatch.context() as patch:
        patch.setattr(Learner, "learn", learn_and_interrupt)
        status, told = run("--total-steps", 256, *OPTIONS)
    assert status == 128 + signal.SIGTERM
    assert "Interrupted at step 192" in told
    assert "python scripts/ppo.py runs/ppo/latest.ckpt   to continue" in told
    assert read_checkpoint(tmp_path / "runs" / "ppo" / "latest.ckpt")[0]["steps"] == 192
    status, told = run("runs/ppo/latest.ckpt")
    assert status == 0 and "Continuing at step 192" in told and "Done at step 256" in told
    assert read_checkpoint(tmp_path / "runs" / "ppo" / "latest.ckpt")[0]["curve"] == (
        whole_run(SMALL).curve
    )


def test_a_kill_leaves_what_was_saved_last(monkeypatch, run, tmp_path):
    """As if everything ended in the middle of the third update."""

    def killed(learner):
        if learner.steps == 128:
            raise RuntimeError("killed")
        return learn(learner)

    learn = Learner.learn
    with monkeypatch.context() as patch, pytest.raises(RuntimeError, match="killed"):
        patch.setattr(Learner, "learn", killed)
        run("--total-steps", 256, *OPTIONS)
    assert run("runs/ppo/latest.ckpt")[0] == 0
    curve = read_checkpoint(tmp_path / "runs" / "ppo" / "latest.ckpt")[0]["curve"]
    assert curve == whole_run(SMALL).curve


def test_what_was_learned_is_not_replaced_by_another_run(run, tmp_path):
    assert run("--total-steps", 64, *OPTIONS)[0] == 0
    path = tmp_path / "runs" / "ppo" / "latest.ckpt"
    before = path.read_bytes()
    status, told = run("--total-steps", 64, "--seed", 2, *OPTIONS)
    assert status == 1 and "runs/ppo already contains a run: continue it by passing" in told
    assert path.read_bytes() == before
    assert run("--total-steps", 64, "--seed", 2, "--overwrite", *OPTIONS)[0] == 0
    assert path.read_bytes() != before


def test_files_that_do_not_fit_are_refused(run, tmp_path):
    assert run("--total-steps", 64, "--folder", "a", *OPTIONS)[0] == 0
    for changes, message in (
        (("--network.hidden", 16), "network cannot change when a run resumes"),
        (("--rules", "{view: 14}"), "rules cannot change when a run resumes: view: 12 -> 14"),
    ):
        status, told = run("a/latest.ckpt", *changes)
        assert status == 1 and f"error: a/latest.ckpt: {message}" in told
    meta, arrays = read_checkpoint("a/latest.ckpt")
    write_checkpoint("other.ckpt", {**meta, "recipe": "other.py"}, arrays)
    status, told = run("other.ckpt")
    assert status == 1 and "error: other.ckpt: not a checkpoint of ppo.py" in told
    write_checkpoint("older.ckpt", {k: v for k, v in meta.items() if k != "decks"}, arrays)
    status, told = run("older.ckpt")
    assert status == 1 and "error: older.ckpt: its run has decks of version 0" in told
    write_checkpoint("cut.ckpt", meta, {k: v for k, v in arrays.items() if k != "games"})
    status, told = run("cut.ckpt", "--folder", "b")
    assert status == 1 and "training state is not valid: KeyError('games')" in told


def test_other_seats_can_be_played_by_others(run):
    three = ("--rules", "{view: 12, n_players: 3}", "--eval-games", 3)
    status, told = run("--total-steps", 64, "--opponents", "greedy", *OPTIONS, *three)
    assert status == 0
    assert "learns against greedy, 3 players" in told and "Done at step 64" in told


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"n_envs": 0}, "n_envs should be greater than 0"),
        ({"n_epochs": 0}, "n_epochs should be greater than 0"),
        ({"n_steps": 1}, "n_steps must be at least 2"),
        ({"eval_games": 3}, "eval_games must be a multiple of rules.n_players = 2"),
    ],
)
def test_wrong_settings_are_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        SMALL.replace(**wrong)


def test_the_network_and_what_it_sees_are_on_the_device(monkeypatch):
    asked = []
    monkeypatch.setattr(Frames, "of", lambda *given: asked.append(given))
    learner = Learner(SMALL.replace(device="meta"))  # which has shapes and no numbers
    assert {parameter.device.type for parameter in learner.network.parameters()} == {"meta"}
    learner.player.look()
    learner.close()
    assert asked == [(learner.player.seen, 12 * 12, torch.device("meta"))]


def test_words_that_mean_nothing_are_refused(run):
    for arguments, message in (
        (("--device", "cuda:99"), "torch has no device 'cuda:99' here ("),
        (("--device", "gpu"), "pass --device cpu, or install a build of torch for it"),
        (("nowhere.ckpt",), "nowhere.ckpt"),
        (("--rules", "{n_players: 9}"), "n_players"),
    ):
        status, told = run(*arguments)
        assert status == 1 and "error: " in told and message in told
