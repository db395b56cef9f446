"""Data sets of games, and networks that imitate what is in them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from carc_env import Rules, Table

torch = pytest.importorskip("torch", reason="torch is not installed")
from carc_env.agents.checkpoint import CheckpointError, read_checkpoint, write_checkpoint  # noqa: E402
from carc_env.agents.config import ImitationConfig, NetworkConfig, TrainConfig  # noqa: E402
from carc_env.agents.dataset import (  # noqa: E402
    CHECKSUMS,
    Dataset,
    Decisions,
    Games,
    Recipe,
    file_name,
    joined,
    read_file,
    read_games,
    read_meta,
    write_file,
)
from carc_env.agents.imitation import ImitationLearner, shares_of, shown_cells  # noqa: E402
from carc_env.agents.networks import Cells, Network  # noqa: E402

from carc_env.envs.naming import make_agent  # noqa: E402
from carc_env.layout.encodings import Planes  # noqa: E402
from carc_env.seeds import Stream, seed_of  # noqa: E402
from tests.resuming import WITH_TENSORBOARD, check_resuming, files_in, finished  # noqa: E402
from tests.scripts import run_here  # noqa: E402

SCRIPTS = Path(__file__).parent.parent / "scripts"
RECIPE = Recipe(Rules(view=14), games=2, seed=5)
SMALL = NetworkConfig(channels=8, blocks=1, hidden=16)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A set of three files."""
    folder = tmp_path_factory.mktemp("data")
    for number in range(3):
        write_file(folder / file_name(number), RECIPE, RECIPE.make(number))
    return folder


def settings(*data: Path, **changes: object) -> ImitationConfig:
    return ImitationConfig(
        data=tuple(map(str, data)),
        network=SMALL,
        total_steps=32 * 120,
        learning_rate=5e-3,
        batch_size=32,
        eval_every=32 * 60,
        eval_games=2,
        threads=1,
    ).replace(**changes)


def test_a_file_holds_what_was_seen_and_what_came_of_it(data: Path) -> None:
    """Its games played again: the same observations, actions, values and margins."""
    found = read_file(data / file_name(1))
    teacher = make_agent("value", RECIPE.rules)
    boards = dense_boards(found, (14, 14, found_planes()))
    encoding = Planes(RECIPE.rules)
    at, firsts = 0, np.cumsum(found.n_legal) - found.n_legal
    for game in (2, 3):
        table, first = Table(RECIPE.rules, seed=seed_of(Stream.TRAINING, RECIPE.seed, game)), at
        while not table.is_over:
            legal = table.legal_actions()
            if len(legal) == 1:
                table.step(legal[0])
                continue
            seen = table.observe(encoding=encoding)
            assert np.array_equal(boards[at], seen["board"].transpose(1, 2, 0))
            assert np.array_equal(found.globals[at], seen["globals"])
            part = slice(firsts[at], firsts[at] + found.n_legal[at])
            values = {line.action: line.value for line in teacher.analyse(table)}  # type: ignore[attr-defined]
            assert found.legal[part].tolist() == legal
            assert found.values[part] == pytest.approx([values[a] for a in legal], rel=1e-6)
            assert (found.seats[at], found.games[at]) == (table.decider, game)
            table.step(int(found.actions[at]))
            at += 1
        lead = table.scores[0] - table.scores[1]
        assert found.margins[first:at].tolist() == [
            -lead if seat else lead for seat in found.seats[first:at]
        ]
    assert at == found.n


def found_planes() -> int:
    return Planes(RECIPE.rules).boxes()["board"].shape[0]


def test_a_file_is_a_function_of_recipe_and_number(data: Path) -> None:
    again = RECIPE.make(2)
    for old, new in zip(read_games(data / file_name(2)), again, strict=True):
        assert np.array_equal(old, new)
    assert read_meta(data / file_name(0)) == RECIPE.to_dict()


def test_batches_show_every_decision_once_and_go_on_anywhere(data: Path) -> None:
    dataset = Dataset([data])
    whole = joined([read_file(path) for path in dataset.files])
    n = whole.n // 10
    batches = dataset.batches(10, seed=3)
    epoch = [next(batches) for _ in range(n)]
    assert [number for number, _ in epoch] == list(range(n))
    keys = {(b.games[k], b.globals[k].tobytes(), b.seats[k]) for _, b in epoch for k in range(10)}
    assert len(keys) == 10 * n
    number, later = next(dataset.batches(10, seed=3, first=n + 2))
    next(batches), next(batches)
    assert number == n + 2
    for old, new in zip(next(batches)[1], later, strict=True):
        assert np.array_equal(old, new)


def dense_boards(batch: Decisions, shape: tuple[int, int, int]) -> np.ndarray:
    """The boards of a batch, uint8 (B, view, view, planes)."""
    size = int(np.prod(shape))
    boards = np.zeros((batch.n, size), np.uint8)
    boards[np.repeat(np.arange(batch.n), batch.n_active), batch.indices] = batch.weights
    return boards.reshape(batch.n, *shape)


def test_a_network_reads_what_is_stored_as_it_reads_boards(data: Path) -> None:
    found = read_file(data / file_name(0))
    shape = (14, 14, found_planes())
    network = Network(RECIPE.rules, SMALL)
    numbers = torch.from_numpy(found.globals)
    shown, places = shown_cells(found, shape)
    cells = Cells.of(torch.from_numpy(places), found.n, 14)
    stored = network.answer(torch.from_numpy(shown), cells, numbers)
    seen = network(torch.from_numpy(dense_boards(found, shape)), numbers)
    assert all(torch.equal(one, other) for one, other in zip(stored, seen, strict=True))


def test_a_part_of_decisions_keeps_what_belongs_together(data: Path) -> None:
    whole = read_file(data / file_name(0))
    which = np.array([7, 3, 20])
    part, boards = whole.pick(which), dense_boards(whole, (14, 14, found_planes()))
    assert np.array_equal(dense_boards(part, (14, 14, found_planes())), boards[which])
    firsts = np.cumsum(whole.n_legal) - whole.n_legal
    legal = [whole.legal[firsts[k] : firsts[k] + whole.n_legal[k]] for k in which]
    assert np.array_equal(part.legal, np.concatenate(legal))


def test_shares_follow_values(data: Path) -> None:
    batch = read_file(data / file_name(0)).pick(np.array([2, 1]))
    n = int(batch.n_legal[0])
    assert n > 2, n
    values = np.full(len(batch.values), -1.0, np.float32)
    values[0], values[1] = 2.0, np.nan
    shares = shares_of(batch._replace(values=values), temperature=3.0)
    assert float(shares[0] / shares[2]) == pytest.approx(np.e, rel=1e-5)
    assert shares[1] == 0
    assert [float(part.sum()) for part in (shares[:n], shares[n:])] == pytest.approx([1, 1])


def test_a_run_learns_and_goes_on_as_if_nothing_had_happened(data: Path, tmp_path: Path) -> None:
    whole = finished(ImitationLearner(settings(data)), tmp_path / "half.ckpt", n_rows=4)
    rows = whole.curve
    assert [row["steps"] for row in rows if "greedy win_rate" in row] == [0, 1920, 3840]
    assert rows[-1]["loss"] < 0.8 * rows[1]["loss"]
    assert rows[-1]["agreement"] > rows[1]["agreement"]
    check_resuming(whole, tmp_path / "half.ckpt")


def test_what_was_learned_plays_and_warms_up_ppo(data: Path, tmp_path: Path) -> None:
    learner = ImitationLearner(settings(data))
    learner.update(), learner.update()
    learner.save(tmp_path / "net.ckpt")
    agent = make_agent(tmp_path / "net.ckpt", RECIPE.rules)
    table = Table(RECIPE.rules, seed=1)
    assert agent.act(table) == learner.agent.act(table)
    pytest.importorskip("sb3_contrib", reason="sb3-contrib is not installed")
    from carc_env.agents.learner import Learner

    config = TrainConfig(rules=RECIPE.rules, network=SMALL, n_envs=2, n_steps=16, batch_size=32)
    warm = Learner(config)
    heads = [run.agent.network.tile_head.weight for run in (learner, warm)]
    assert not torch.equal(*heads)
    warm.begin_with(tmp_path / "net.ckpt")
    assert torch.equal(*heads)
    assert not warm.agent.network.value_head.weight.any()  # rewards are others
    like = Learner(config.replace(reward="margin", init_temperature=0.5))
    like.begin_with(tmp_path / "net.ckpt")
    assert torch.equal(like.agent.network.tile_head.weight, 2 * heads[0])
    values = [run.agent.network.value_head.weight for run in (learner, like)]
    assert torch.equal(*values)
    with pytest.raises(CheckpointError, match="another network"):
        other = config.replace(network=NetworkConfig(channels=4))
        Learner(other).begin_with(tmp_path / "net.ckpt")
    more = Learner(config.replace(rules=Rules.preset("abbey-mayor", view=14)))
    more.begin_with(tmp_path / "net.ckpt")
    assert torch.equal(more.agent.network.tile_head.weight, heads[0])


def test_a_network_of_several_rules_learns_and_plays_each(data: Path, tmp_path: Path) -> None:
    """Data sets take turns, also in a run that goes on."""
    three = Recipe(Rules(view=12, n_players=3), games=2, seed=6)
    write_file(tmp_path / file_name(0), three, three.make(0))
    both = settings(data, tmp_path, total_steps=32 * 40, eval_games=6)
    learner = finished(ImitationLearner(both), tmp_path / "half.ckpt", n_rows=2)
    learner.save(tmp_path / "end.ckpt")
    assert {"greedy win_rate", "greedy (rules 2) win_rate"} <= learner.curve[0].keys()
    for rules in (RECIPE.rules, three.rules, three.rules.replace(view=20)):
        agent, table = make_agent(tmp_path / "end.ckpt", rules), Table(rules, seed=1)
        assert table.is_legal(agent.act(table))
    check_resuming(learner, tmp_path / "half.ckpt")
    with pytest.raises(CheckpointError, match="other rules"):
        ImitationLearner.resume(tmp_path / "end.ckpt", settings(data))
    meta, arrays = read_checkpoint(tmp_path / "end.ckpt")
    write_checkpoint(tmp_path / "older.ckpt", {**meta, "decks": 0}, arrays)
    with pytest.raises(CheckpointError, match="its run has decks of version 0"):
        ImitationLearner.resume(tmp_path / "older.ckpt")


def test_what_is_no_data_is_refused(data: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"make some with scripts/make_dataset\.py"):
        Dataset([tmp_path])
    (tmp_path / file_name(0)).write_bytes(b"no archive")
    with pytest.raises(ValueError, match="not a file of a data set"):
        Dataset([tmp_path])
    other = Recipe(Rules(view=16), games=1)
    write_file(tmp_path / file_name(0), other, other.make(0))
    with pytest.raises(ValueError, match="other rules"):
        Dataset([data, tmp_path])
    with pytest.raises(ValueError, match="fewer than 100000 decisions"):
        next(Dataset([data]).batches(100_000, 0))
    with pytest.raises(ValueError, match="cannot teach"):
        Recipe(Rules(), teacher="random").make(0)


def run(script: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPTS / script), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.long
@pytest.mark.once
def test_the_scripts_make_data_go_on_and_train(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    make = [folder, "--games", 4, "--games-per-file", 2, "--rules", "{view: 14}"]
    done = run("make_dataset.py", *make, "--workers", 2)
    assert done.returncode == 0, done.stdout + done.stderr
    first, second = sorted(folder.glob("games-*.npz"))
    before = [path.read_bytes() for path in (first, second)]
    second.unlink()
    done = run_here("make_dataset.py", *make, "--workers", 1)
    assert done.returncode == 0, done.stdout
    assert [path.read_bytes() for path in (first, second)] == before
    done = run_here("data", "check", folder)
    assert done.returncode == 0 and "2 files are unchanged" in done.stdout
    checksums = (folder / CHECKSUMS).read_text()
    (folder / CHECKSUMS).write_text(checksums.replace(file_name(1), file_name(2)))
    done = run_here("data", "check", folder)
    assert done.returncode == 1 and f"{file_name(1)}, {file_name(2)}" in done.stdout
    done = run_here("make_dataset.py", *make, "--explore", 0.5)
    assert done.returncode == 1 and "made with other arguments" in done.stdout
    (tmp_path / "small.yaml").write_text(
        f"{{data: [{folder}], total_steps: 640, batch_size: 32, eval_games: 2, threads: 1, "
        "network: {channels: 8, blocks: 1, hidden: 16}}"
    )
    to = tmp_path / "run"
    done = run_here("train_imitation", tmp_path / "small.yaml", "--folder", to)
    assert done.returncode == 0, done.stdout
    assert files_in(to) == WITH_TENSORBOARD
    done = run_here("train_imitation", to / "latest.ckpt", "--total-steps", 1280)
    assert done.returncode == 0 and "Continuing at step 640: a" in done.stdout, done.stdout


def test_arrays_have_a_row_in_the_description() -> None:
    from carc_env.agents import dataset

    assert dataset.__doc__ is not None
    assert all(f"``{name}``" in dataset.__doc__ for name in Games._fields)


# The networks that come with the package.


@pytest.mark.parametrize("n", [300, pytest.param(2_000, marks=pytest.mark.long)])
def test_a_shipped_network_never_sees_what_is_hidden(n: int) -> None:
    rules = Rules(view=20)
    agent, seen, seed = make_agent("imitation", rules), 0, 0
    while seen < n:
        table, asked, twins = Table(rules, seed=seed), [], []
        while not table.is_over:
            if len(table.legal_actions()) > 1:
                asked.append(table.clone()), twins.append(table.clone())
                twins[-1].reshuffle(seen + len(twins))
                assert twins[-1].save_state() != table.save_state() or table.n_tiles_left < 3
            is_random = (seed + len(asked)) % 2 == 0
            table.step(table.random_action() if is_random else table.greedy_action())
        before = [one.save_state() for one in asked]
        actions = agent.act_many(asked)
        assert agent.act_many(twins) == actions
        assert all(a in one.legal_actions() for a, one in zip(actions, asked, strict=True))
        assert [one.save_state() for one in asked] == before
        seen, seed = seen + len(asked), seed + 1


def test_a_shipped_network_plays_what_it_knows_in_any_view() -> None:
    anywhere = make_agent("imitation")
    tables = [Table(r, seed=1) for r in (Rules(), Rules(view=24), Rules(abbot=False, deck_size=40))]
    assert anywhere.act_many(tables) == [make_agent("imitation", t.rules).act(t) for t in tables]
    with pytest.raises(CheckpointError, match="the network was not made for turn 2, decides 2"):
        make_agent("imitation", Rules(n_players=3))


@pytest.mark.long
@pytest.mark.once
def test_a_network_is_shipped_without_what_trains_it(data: Path, tmp_path: Path) -> None:
    learner = ImitationLearner(settings(data))
    learner.update(), learner.update()
    learner.save(tmp_path / "run.ckpt")
    done = run_here("ship_network.py", tmp_path / "run.ckpt", tmp_path / "net.ckpt")
    assert done.returncode == 0, done.stdout
    small, table = tmp_path / "net.ckpt", Table(RECIPE.rules, seed=2)
    assert str(tmp_path).encode() not in small.read_bytes()  # it tells names, not places
    assert small.stat().st_size < 0.5 * (tmp_path / "run.ckpt").stat().st_size
    assert make_agent(small).act(table) == learner.agent.act(table)
    done = run("ship_network.py", tmp_path / "run.ckpt", small)
    assert done.returncode == 1 and "already exists" in done.stdout
