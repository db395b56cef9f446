"""The recipe of a single file, ``scripts/ppo.py``."""

import itertools
import re
import signal
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise, zip_longest
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs torch: install carc_env[train]")
pytest.importorskip("tyro", reason="training needs tyro: install carc_env[train]")

from carc_env.agents import read_checkpoint  # noqa: E402
from carc_env.agents.interrupt import Interruption  # noqa: E402

from carc_env.envs.vector import CarcassonneVectorEnv  # noqa: E402
from carc_env.rules import Rules  # noqa: E402
from scripts import ppo  # noqa: E402
from scripts.ppo import (  # noqa: E402
    Arguments,
    Clock,
    Frames,
    Player,
    Ragged,
    Rollout,
    SumOfRows,
    begin,
    estimate_advantages,
    improve,
    main,
    make_env,
    make_network,
)

pytestmark = [pytest.mark.once, pytest.mark.usefixtures("one_thread")]

SCRIPT = Path(__file__).parent.parent / "scripts" / "ppo.py"
SMALL = Arguments(
    frames=128,
    rules="{view: 12}",
    envs=8,
    steps=8,
    minibatch=32,
    hidden=8,
    eval_every=1,
    eval_games=4,
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
    found, is_known = estimate_advantages(r, gamma=0.5, lam=0.5)
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
    found, is_known = estimate_advantages(r, gamma=1.0, lam=1.0)
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
    found, is_known = estimate_advantages(r, gamma=0.9, lam=0.8)
    for game in range(16):
        wanted = by_hand(r, game, 0.9, 0.8)
        assert np.flatnonzero(is_known[:, game]).tolist() == sorted(wanted)
        for t, advantage in wanted.items():
            assert found[t, game] == pytest.approx(advantage, rel=1e-4, abs=1e-5)


def test_rewards_of_a_rollout_add_up_to_the_scores():
    a = Arguments(
        rules="{view: 12}", reward="score_delta", reward_scale=1.0, envs=6, steps=300, hidden=8
    )
    env = make_env(a)
    torch.manual_seed(0)
    r = Player(env, make_network(env, a), a, seed=1).play(Clock())
    assert r.has_ended.sum() > env.num_envs
    for game in range(env.num_envs):
        last_end = np.flatnonzero(r.has_ended[:, game])[-1]
        left = r.rewards[last_end + 1 :, game].sum(0)
        assert tuple(left.tolist()) == env.table(game).scores
    env.close()


# The network.


def test_ragged_rows_are_taken_in_order():
    padded = np.array([[5, 6, -1], [-1, -1, -1], [7, -1, -1], [1, 2, 3]], np.int32)
    rows = Ragged.of(padded, np.array([2, 0, 1, 3]))
    taken = rows.take(torch.tensor([3, 1, 0, 3]))
    assert taken.items.tolist() == [1, 2, 3, 5, 6, 1, 2, 3]
    assert taken.counts.tolist() == [3, 0, 2, 3]
    joined = Ragged.join([rows, taken])
    assert joined.items.tolist() == [5, 6, 7, 1, 2, 3, *taken.items.tolist()]
    assert joined.take(torch.tensor([6])).items.tolist() == [5, 6]


def test_the_sum_of_rows_has_the_gradient_of_torch():
    torch.manual_seed(0)
    table = torch.randn(20, 4, dtype=torch.float64, requires_grad=True)
    counts = torch.tensor([3, 0, 7, 5])
    items = torch.randint(20, (15,), dtype=torch.int32)
    ours = SumOfRows.apply(table, items, counts)
    theirs = torch.stack([table[part.long()].sum(0) for part in items.split(counts.tolist())])
    torch.testing.assert_close(ours, theirs)
    weights = torch.randn(4, 4, dtype=torch.float64)
    (wanted,) = torch.autograd.grad((theirs * weights).sum(), table)
    (found,) = torch.autograd.grad((ours * weights).sum(), table)
    torch.testing.assert_close(found, wanted)


def test_probabilities_are_those_of_the_listed_actions():
    env = CarcassonneVectorEnv(5, Rules(view=12), "self", encoding="sparse", legal_list=True)
    seen, info = env.reset(seed=3)
    torch.manual_seed(0)
    network = make_network(env, SMALL)
    frames = Frames.of(seen)
    log_probabilities, values = network(frames)
    assert values.shape == (5,)
    n_legal = info["action_mask"].sum(1)
    for row, n in zip(log_probabilities, n_legal.tolist(), strict=True):
        assert row[:n].exp().sum().item() == pytest.approx(1.0, abs=1e-5)
        assert row[n:].isneginf().all()
    one = network(frames.take(torch.tensor([2])))
    torch.testing.assert_close(one[0][0], log_probabilities[2, : n_legal[2]])
    torch.testing.assert_close(one[1][0], values[2])
    # The buffers of the environment are written again; frames are copies.
    env.step(seen["legal"][:, 0])
    torch.testing.assert_close(network(frames)[1], values)
    env.close()


# The command line.


def settings(**changes: object) -> list[str]:
    names = ("rules", "envs", "steps", "minibatch", "hidden", "eval_every", "eval_games", "threads")
    chosen = {name: getattr(SMALL, name) for name in names} | changes
    return [
        str(x) for name, value in chosen.items() for x in (f"--{name.replace('_', '-')}", value)
    ]


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    """Runs the command line in this process; returns the exit status and what it printed."""
    monkeypatch.chdir(tmp_path)

    def main_with(*arguments: object) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["ppo.py", *map(str, arguments)])
        return main(), capsys.readouterr().out

    return main_with


def test_a_run_learns_evaluates_and_is_kept(tmp_path, run):
    path = tmp_path / "ppo.ckpt"
    command = [sys.executable, SCRIPT, "--frames", "128", "--save", path, *settings()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert re.search(r" 128 frames +[\d,]+/s \(environment \d+%", done.stdout)
    evaluations = re.findall(r"against random: wins .* of 4 games, points .*", done.stdout)
    assert len(evaluations) == 2
    status, again = run("--frames", 0, "--load", path, *settings())
    assert status == 0
    assert re.findall(r"against random: .*", again) == evaluations[1:]
    assert [found.name for found in tmp_path.iterdir()] == ["ppo.ckpt"]


# Runs that go on.


@pytest.fixture
def learn(monkeypatch):
    """Notes the learning rate of each update; sends a signal in one of them."""
    original = ppo.learn
    rates: list[float] = []

    def interrupt(in_update: int, number: signal.Signals) -> None:
        count = itertools.count(1)

        def learn_and_interrupt(network, optimizer, *rest):
            if next(count) == in_update:
                signal.raise_signal(number)
            rates.append(optimizer.param_groups[0]["lr"])
            return original(network, optimizer, *rest)

        monkeypatch.setattr(ppo, "learn", learn_and_interrupt)

    interrupt.rates = rates
    return interrupt


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_run_behind_its_update(number, learn, run, tmp_path):
    learn(2, number)
    status, told = run("--frames", 256, "--save", "a.ckpt", *settings(eval_every=9))
    assert status == 128 + number
    assert " 128 frames " in told and " 192 frames " not in told
    assert "against random" not in told  # nobody has to wait for the evaluation
    assert "goes on with: --load a.ckpt --save a.ckpt" in told
    assert read_checkpoint(tmp_path / "a.ckpt")[0]["steps"] == 128
    learn(0, number)
    status, told = run("--frames", 256, "--load", "a.ckpt", "--save", "a.ckpt", *settings())
    assert status == 0
    counted = re.findall(r"^ +(\d+) frames .*environment", told, re.MULTILINE)
    assert counted == ["192", "256"]
    assert learn.rates == [SMALL.learning_rate * (1 - k / 4) for k in range(4)]


def test_a_loaded_run_computes_what_the_saved_one_would_have(tmp_path):
    """With new games, all else goes on: parameters, Adam, schedule, drawn decisions."""
    half, whole = (replace(SMALL, frames=frames, save=tmp_path / "a.ckpt") for frames in (64, 128))
    torch.manual_seed(0)
    env = make_env(whole)
    learned = begin(env, whole)
    improve(learned, env, half, Interruption())
    learned.save(tmp_path / "half.ckpt")
    improve(learned, make_env(whole), whole, Interruption())
    learned.save(tmp_path / "straight.ckpt")
    torch.manual_seed(5)
    env = make_env(whole)
    again = begin(env, replace(whole, load=tmp_path / "half.ckpt"))
    assert again.steps == 64
    improve(again, env, whole, Interruption())
    again.save(tmp_path / "loaded.ckpt")
    straight, loaded = (read_checkpoint(tmp_path / f"{n}.ckpt") for n in ("straight", "loaded"))
    assert straight[0] == loaded[0] and loaded[0]["steps"] == 128
    assert straight[1].keys() == loaded[1].keys()
    for name, array in straight[1].items():
        np.testing.assert_array_equal(loaded[1][name], array, err_msg=name)
    assert any(name.startswith("adam/") for name in loaded[1])


def test_what_was_learned_is_not_replaced_by_another_run(run, tmp_path):
    assert run("--frames", 64, *settings())[0] == 0
    path = tmp_path / "runs" / "ppo.ckpt"
    before = path.read_bytes()
    status, told = run("--frames", 64, "--seed", 2, *settings())
    assert status == 1
    assert "runs/ppo.ckpt is there already: go on with it by --load runs/ppo.ckpt" in told
    assert path.read_bytes() == before
    assert run("--frames", 64, "--seed", 2, "--overwrite", *settings())[0] == 0
    assert path.read_bytes() != before


def test_files_that_do_not_fit_are_refused(run, tmp_path):
    assert run("--frames", 64, "--save", "a.ckpt", *settings())[0] == 0
    for changes, message in (
        ({"hidden": 16}, "a.ckpt: hidden cannot change: it was 8, it is 16 now"),
        ({"rules": "{view: 14}"}, "a.ckpt: rules cannot change"),
    ):
        status, told = run("--load", "a.ckpt", "--frames", 0, *settings(**changes))
        assert status == 1 and told.startswith(f"error: {message}")
    np.savez(tmp_path / "old.npz", planes=np.zeros(3))
    status, told = run("--load", "old.npz", "--frames", 0, *settings())
    assert status == 1 and "old.npz: not a checkpoint" in told
    assert "An .npz file holds parameters without the rules and the optimiser" in told


@pytest.mark.parametrize("opponents", ["random", "greedy"])
def test_other_seats_can_be_played_by_others(opponents, run):
    rules = "{view: 12, n_players: 3}"
    status, told = run("--frames", 64, "--opponents", opponents, *settings(rules=rules))
    assert status == 0
    assert " 64 frames" in told


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (("--save", "ppo.npz"), "the name of a checkpoint ends in .ckpt, got ppo.npz"),
        (("--load", "nowhere.ckpt"), "nowhere.ckpt"),
        (("--rules", "{n_players: 9}"), "n_players"),
        (("--envs", "0"), "--envs must be at least 1"),
        (("--steps", "1"), "--steps must be at least 2"),
    ],
)
def test_wrong_arguments_are_refused(wrong, message, run):
    status, told = run("--frames", 64, "--threads", 1, *wrong)
    assert status == 1
    assert told.startswith("error: ") and message in told
