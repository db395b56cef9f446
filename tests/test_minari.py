"""Data sets in Minari's format, with one episode per seat."""

from pathlib import Path

import numpy as np
import pytest
from carc_env.agents.dataset import Recipe, file_name, write_file
from carc_env.agents.positions import Positions

from carc_env import Rules
from carc_env.__main__ import main

minari = pytest.importorskip("minari", reason="the export needs Minari: install carc_env[minari]")

pytestmark = pytest.mark.once


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Store 20 three-player games, 18 of them for training; Minari has no data sets yet."""
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "minari"))
    recipe = Recipe(Rules(view=14, n_players=3), ("greedy", "random"), "", explore=0, games=20)
    (tmp_path / "data").mkdir()
    write_file(tmp_path / "data" / file_name(0), recipe, recipe.make(0))
    return tmp_path / "data"


def test_an_exported_data_set_holds_the_episodes_of_all_seats(
    data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("carc_env.agents.commands.data.AT_ONCE", 30)  # 54 episodes in two parts
    assert main(["data", "minari", str(data), "carc/mixed-v0", "--reward", "projected"]) == 0
    assert "54 episodes" in capsys.readouterr().out
    found = minari.load_dataset("carc/mixed-v0")
    positions = Positions([data], encoding="tokens")
    for got, wanted in zip(found, positions.episodes("projected"), strict=True):
        assert got.actions.tolist() == [step.action for step in wanted.steps]
        assert got.rewards.tolist() == [step.reward for step in wanted.steps]
        assert np.flatnonzero(got.terminations).tolist() == [len(wanted.steps) - 1]
        assert not got.truncations.any()
        views = [step.before for step in wanted.steps] + [wanted.steps[-1].after]
        for name in ("tokens", "globals", "action_mask"):
            rows = np.stack([view.arrays[name] for view in views])
            assert np.array_equal(got.observations[name], rows)
            assert rows[0] in found.observation_space[name]
        assert {*got.infos["game"]} == {wanted.game} and {*got.infos["player"]} == {wanted.player}
    env = found.recover_environment()
    assert env.observation_space == found.observation_space
    assert env.action_space == found.action_space
    seen, _ = env.reset(seed=1)
    assert seen in found.observation_space


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["carc/mixed"], "must end with a version, such as carc/mixed-v0"),
        (["carc/mixed-v0", "--encoding", "token"], "did you mean 'tokens'"),
    ],
)
def test_wrong_options_of_an_export_are_told(
    data: Path, arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["data", "minari", str(data), *arguments]) == 1
    assert words in " ".join(capsys.readouterr().out.split())


def test_an_export_of_nothing_is_refused(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recipe = Recipe(Rules(view=14), ("random",), "", explore=0, games=1)
    write_file(data / file_name(0), recipe, recipe.make(0))
    assert main(["data", "minari", str(data), "carc/x-v0", "--split", "test"]) == 1
    assert "no games for the split 'test'" in " ".join(capsys.readouterr().out.split())
