"""Rows of a curve in TensorBoard and in Weights & Biases, and what a run says that has neither."""

import subprocess
import sys
import types
from pathlib import Path

import pytest

pytest.importorskip("tensorboard", reason="install carc_env[train]")

from carc_env.agents.commands import train_value
from carc_env.agents.logs import Logs
from carc_env.agents.value_config import ValueConfig
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from tests.resuming import WITH_TENSORBOARD, files_in

pytestmark = pytest.mark.once

ROWS = [
    {"steps": 0, "greedy win_rate": 0.25, "runs/a.ckpt score": 61.5},
    {"steps": 64, "entropy": 1.5},
]
SMALL = ValueConfig(total_games=8, round_games=4, eval_games=2, threads=1)


def shown_in_tensorboard(folder: Path) -> dict[str, list[tuple[int, float]]]:
    read = EventAccumulator(str(folder / "tensorboard"))
    read.Reload()
    return {
        tag: [(event.step, event.tensor_proto.float_val[0]) for event in read.Tensors(tag)]
        for tag in read.Tags()["tensors"]
    }


@pytest.fixture
def wandb(monkeypatch):
    """A module in the place of wandb that notes what it is told."""
    told: list[object] = []

    class Run:
        def log(self, values, step):
            told.append((step, values))

        def finish(self):
            told.append("finish")

    def init(**settings):
        told.append(settings)
        return Run()

    monkeypatch.setitem(sys.modules, "wandb", types.SimpleNamespace(init=init))
    return told


def test_rows_are_shown_as_they_come(tmp_path):
    logs = Logs(tmp_path, SMALL)
    for row in ROWS:
        logs.write(row)
    wanted = {
        "greedy/win_rate": [(0, 0.25)],
        "runs/a.ckpt/score": [(0, 61.5)],
        "training/entropy": [(64, 1.5)],
    }
    assert shown_in_tensorboard(tmp_path) == wanted  # a kill would lose nothing
    logs.close()
    again = Logs(tmp_path, SMALL)
    again.write({"steps": 128, "entropy": 0.5})
    again.close()
    wanted["training/entropy"].append((128, 0.5))
    assert {*shown_in_tensorboard(tmp_path)} == {*wanted}


def test_a_project_of_weights_and_biases_gets_the_same(tmp_path, wandb):
    logs = Logs(tmp_path, SMALL.replace(wandb="carcassonne"))
    for row in ROWS:
        logs.write(row)
    logs.close()
    begun, *rows, end = wandb
    assert begun["project"] == "carcassonne" and begun["group"] == str(tmp_path)
    assert begun["config"]["total_games"] == 8
    assert rows == [
        (0, {"greedy/win_rate": 0.25, "runs/a.ckpt/score": 61.5}),
        (64, {"training/entropy": 1.5}),
    ]
    assert end == "finish"


def test_a_run_writes_its_curve_everywhere(tmp_path, wandb):
    config = SMALL.replace(folder=str(tmp_path / "run"), wandb="carcassonne")
    learner, status = train_value.train(config)
    assert status == 0
    curve = {
        f"{'training' if name == 'error' else 'greedy'}/{name.rpartition(' ')[2]}": [
            (int(row["steps"]), pytest.approx(row[name])) for row in learner.curve if name in row
        ]
        for name in {name for row in learner.curve for name in row} - {"steps"}
    }
    assert shown_in_tensorboard(tmp_path / "run") == curve
    assert [step for step, _ in wandb[1:-1]] == [0, 4, 8]
    assert files_in(tmp_path / "run") == WITH_TENSORBOARD | {"value.npz"}


def test_wandb_is_asked_for_where_it_is_missing(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "wandb", None)
    config = tmp_path / "config.yaml"
    config.write_text(f"{{wandb: carcassonne, folder: {tmp_path / 'run'}}}")
    assert train_value.main([str(config)]) == 1
    assert "not installed: pip install wandb" in capsys.readouterr().out


WITHOUT = """
import sys
for name in ("torch", "tensorboard", "wandb"):
    sys.modules[name] = None
from carc_env.agents.commands import train_value
from carc_env.agents.value_config import ValueConfig
config = ValueConfig(folder={folder!r}, total_games=8, round_games=4, eval_games=2, threads=1)
sys.exit(train_value.train(config)[1])
"""


def test_a_value_is_learned_without_any_of_them(tmp_path):
    program = WITHOUT.format(folder=str(tmp_path / "run"))
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "run" / "curve.png").exists()
    assert not (tmp_path / "run" / "tensorboard").exists()
