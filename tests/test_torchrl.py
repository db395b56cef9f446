"""The recipe for TorchRL: legal actions alone, and a short run from the command line."""

import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torchrl", reason="install carc_env[train]")

import train_torchrl
from carc_env.agents import read_checkpoint
from carc_env.agents.learned import adam_arrays

pytestmark = pytest.mark.once

SCRIPT = Path(train_torchrl.__file__)


def test_torchrl_takes_legal_actions_only():
    env = train_torchrl.make_env(train_torchrl.Settings(view=12))
    steps = env.rollout(150, break_when_any_done=False)
    chosen = steps["action_mask"].gather(1, steps["action"].unsqueeze(1))
    assert chosen.all() and steps["next", "done"].any()
    assert len(set(steps["action"].tolist())) > 20
    env.close()


def decisions_in(told):
    return re.findall(r"^ *([\d,]+) decisions", told, re.MULTILINE)


OPTIONS = ["--batch", "300", "--hidden", "16", "--view", "12"]


def test_the_recipe_runs(tmp_path):
    run = subprocess.run(
        [sys.executable, "-W", "error", SCRIPT, "--frames", "600", *OPTIONS],
        check=True,
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert decisions_in(run.stdout) == ["300", "600"]
    assert read_checkpoint(tmp_path / "runs" / "torchrl.ckpt")[0]["steps"] == 600


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_recipe_and_what_it_learned_goes_on(
    number, tmp_path, monkeypatch, capsys, one_thread
):
    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["train_torchrl.py", *arguments, *OPTIONS])
        return train_torchrl.main(), capsys.readouterr().out

    learn = train_torchrl.learn

    def learn_and_interrupt(*arguments):
        signal.raise_signal(number)
        learn(*arguments)

    monkeypatch.chdir(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(train_torchrl, "learn", learn_and_interrupt)
        status, told = run("--frames", "900", "--save", "a.ckpt")
    assert status == 128 + number
    assert decisions_in(told) == ["300"]
    assert "go on with: --load a.ckpt --save a.ckpt" in told
    arrays = read_checkpoint(tmp_path / "a.ckpt")[1]
    began = {}

    def learn_and_look(data, loss, optimizer, n):
        began.setdefault("parameters", [p.detach().clone() for p in loss.parameters()])
        began.setdefault("averages", {k: v.copy() for k, v in adam_arrays(optimizer).items()})
        learn(data, loss, optimizer, n)

    monkeypatch.setattr(train_torchrl, "learn", learn_and_look)
    status, told = run("--frames", "900", "--load", "a.ckpt", "--save", "b.ckpt")
    assert status == 0
    assert decisions_in(told) == ["600", "900"]
    saved = [array for name, array in arrays.items() if name.startswith("network/")]
    assert len(saved) == len(began["parameters"])
    for one, other in zip(began["parameters"], saved, strict=True):
        np.testing.assert_array_equal(one.numpy(), other)
    assert began["averages"]
    for name, array in began["averages"].items():
        np.testing.assert_array_equal(arrays[name], array)
    status, told = run("--save", "a.ckpt")
    assert status == 1 and "a.ckpt is there already" in told
