"""Data sets of games, and the network that learned to imitate one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from carc_env import Rules, Table

pytest.importorskip("torch", reason="torch is not installed")
from carc_env.agents.checkpoint import CheckpointError
from carc_env.agents.dataset import (
    CHECKSUMS,
    Dataset,
    Games,
    Recipe,
    file_name,
    read_games,
    read_meta,
    write_file,
)

from carc_env.envs.naming import make_agent
from tests.scripts import run_here

SCRIPTS = Path(__file__).parent.parent / "scripts"
RECIPE = Recipe(Rules(view=14), games=2, seed=5)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a data set of three files; return its folder."""
    folder = tmp_path_factory.mktemp("data")
    for number in range(3):
        write_file(folder / file_name(number), RECIPE, RECIPE.make(number))
    return folder


def test_a_file_is_a_function_of_recipe_and_number(data: Path) -> None:
    again = RECIPE.make(2)
    for old, new in zip(read_games(data / file_name(2)), again, strict=True):
        assert np.array_equal(old, new)
    assert read_meta(data / file_name(0)) == RECIPE.to_dict()


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
    with pytest.raises(ValueError, match="cannot teach"):
        Recipe(Rules(), teacher="random").make(0)


def run(script: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPTS / script), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.long
@pytest.mark.once
def test_the_script_makes_data_and_goes_on(tmp_path: Path) -> None:
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


def test_arrays_have_a_row_in_the_description() -> None:
    from carc_env.agents import dataset

    assert dataset.__doc__ is not None
    assert all(f"``{name}``" in dataset.__doc__ for name in Games._fields)


# The networks shipped with the package.


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
