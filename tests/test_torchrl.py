"""The recipe for TorchRL: legal actions alone, and a short run from the command line."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torchrl", reason="install carc_env[train]")

import train_torchrl

pytestmark = pytest.mark.once

SCRIPT = Path(train_torchrl.__file__)


def test_torchrl_takes_legal_actions_only():
    env = train_torchrl.make_env(train_torchrl.Settings(view=12))
    steps = env.rollout(150, break_when_any_done=False)
    chosen = steps["action_mask"].gather(1, steps["action"].unsqueeze(1))
    assert chosen.all() and steps["next", "done"].any()
    assert len(set(steps["action"].tolist())) > 20
    env.close()


def test_the_recipe_runs():
    options = ["--frames", "600", "--batch", "300", "--hidden", "16", "--view", "12"]
    run = subprocess.run(
        [sys.executable, "-W", "error", SCRIPT, *options],
        check=True,
        capture_output=True,
        text=True,
    )
    lines = run.stdout.splitlines()
    assert [re.split(r" decisions", line)[0].strip() for line in lines] == ["300", "600"]
