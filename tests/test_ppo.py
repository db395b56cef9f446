"""The recipe of a single file, ``scripts/ppo.py``."""

import re
import subprocess
import sys
from itertools import pairwise, zip_longest
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs torch: install carc_env[train]")
pytest.importorskip("tyro", reason="training needs tyro: install carc_env[train]")

from carc_env.rules import Rules  # noqa: E402
from carc_env.vector import CarcassonneVectorEnv  # noqa: E402
from scripts.ppo import (  # noqa: E402
    Arguments,
    Clock,
    Frames,
    Network,
    Player,
    Ragged,
    Rollout,
    SumOfRows,
    estimate_advantages,
    load,
    main,
    make_env,
    make_network,
    save,
)

pytestmark = pytest.mark.once

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


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


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
    r = Player(env, make_network(env, a), a).play(Clock())
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


def test_parameters_are_kept_as_arrays(tmp_path):
    torch.manual_seed(0)
    first, second = Network(30, 4, 6, 8), Network(30, 4, 6, 8)
    save(first, tmp_path / "a.npz")
    load(second, tmp_path / "a.npz")
    for name, wanted in first.state_dict().items():
        assert torch.equal(second.state_dict()[name], wanted), name
    with pytest.raises(ValueError, match=r"a\.npz belongs to other --rules or another --hidden"):
        load(Network(30, 4, 6, 16), tmp_path / "a.npz")
    assert [path.name for path in tmp_path.iterdir()] == ["a.npz"]
    (tmp_path / "a.npz").write_bytes((tmp_path / "a.npz").read_bytes()[:500])
    with pytest.raises(ValueError, match=r"a\.npz is cut off or damaged"):
        load(second, tmp_path / "a.npz")


# The command line.


def settings(**changes: object) -> list[str]:
    names = ("rules", "envs", "steps", "minibatch", "hidden", "eval_every", "eval_games", "threads")
    chosen = {name: getattr(SMALL, name) for name in names} | changes
    return [
        str(x) for name, value in chosen.items() for x in (f"--{name.replace('_', '-')}", value)
    ]


@pytest.fixture
def run(monkeypatch, capsys):
    """Runs the command line in this process; returns the exit status and what it printed."""

    def main_with(*arguments: object) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["ppo.py", *map(str, arguments)])
        return main(), capsys.readouterr().out

    return main_with


def test_a_run_learns_evaluates_and_is_kept(tmp_path, run):
    path = tmp_path / "ppo.npz"
    command = [sys.executable, SCRIPT, "--frames", "128", "--save", path, *settings()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert re.search(r" 128 frames +[\d,]+/s \(environment \d+%", done.stdout)
    evaluations = re.findall(r"against random: wins .* of 4 games, points .*", done.stdout)
    assert len(evaluations) == 2
    status, again = run("--frames", 0, "--load", path, *settings())
    assert status == 0
    assert re.findall(r"against random: .*", again) == evaluations[1:]


@pytest.mark.parametrize("opponents", ["random", "greedy"])
def test_other_seats_can_be_played_by_others(opponents, run):
    rules = "{view: 12, n_players: 3}"
    status, told = run("--frames", 64, "--opponents", opponents, *settings(rules=rules))
    assert status == 0
    assert " 64 frames" in told


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (("--save", "nowhere/ppo.npz"), "there is no folder nowhere"),
        (("--load", "nowhere.npz"), "nowhere.npz"),
        (("--rules", "{n_players: 9}"), "n_players"),
        (("--envs", "0"), "--envs must be at least 1"),
        (("--steps", "1"), "--steps must be at least 2"),
    ],
)
def test_wrong_arguments_are_refused(wrong, message, run):
    status, told = run("--frames", 64, "--threads", 1, *wrong)
    assert status == 1
    assert told.startswith("error: ") and message in told
