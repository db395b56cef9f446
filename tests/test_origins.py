"""What a training run notes about where it comes from, and how it prepares its process."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

pytest.importorskip("tyro")
pytest.importorskip("matplotlib")
from carc_env.agents.commands import train_value, training
from carc_env.agents.commands.training import commit
from carc_env.agents.value_learner import ValueConfig, ValueLearner

from carc_env import Rules, __version__

pytestmark = pytest.mark.once

SCRIPTS = Path(__file__).resolve().parents[1] / "scripts"
TRAINING = sorted(SCRIPTS.glob("train_*.py"))


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A repository of another project, with an installed package that it ignores."""
    if shutil.which("git") is None:
        pytest.skip("needs git")
    author = ("-c", "user.name=one", "-c", "user.email=one@example.org")
    (tmp_path / ".gitignore").write_text("site-packages\n")
    for command in (("init", "-q"), ("add", "."), (*author, "commit", "-q", "-m", "theirs")):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    commands = tmp_path / "site-packages/carc_env/agents/commands"
    commands.mkdir(parents=True)
    monkeypatch.setattr(training, "__file__", str(commands / "training.py"))


@pytest.mark.usefixtures("package")
def test_the_commit_of_another_project_is_not_that_of_an_installed_package():
    assert commit() == "unknown"


@pytest.mark.usefixtures("package")
def test_a_run_names_the_version_and_lets_idle_threads_sleep(tmp_path, monkeypatch):
    """Both also where agents are met that need torch, as here no training does."""
    monkeypatch.delenv("OMP_WAIT_POLICY", raising=False)
    monkeypatch.setattr(ValueLearner, "update", lambda self: pytest.fail("it is done"))
    monkeypatch.setattr(ValueLearner, "is_done", True)
    folder, policies = tmp_path / "run", []
    warm_up = ValueLearner.warm_up

    def watched(learner):
        policies.append(os.environ.get("OMP_WAIT_POLICY"))
        warm_up(learner)

    monkeypatch.setattr(ValueLearner, "warm_up", watched)
    _, status = train_value.train(ValueConfig(str(folder), rules=Rules(view=12), threads=1))
    origin = yaml.safe_load((folder / "origin.yaml").read_text())
    assert (origin["carc_env"], origin["commit"], status) == (__version__, "unknown", 0)
    assert policies == ["PASSIVE"]


TORCH = re.compile(
    r"^(?:from|import) (?:torch|tensordict|sb3_contrib|"
    r"carc_env\.agents\.(?:learner|network_agent|networks|policy|sb3_env))\b",
    re.M,
)


@pytest.mark.parametrize("path", TRAINING, ids=lambda path: path.stem)
def test_scripts_prepare_the_processor_before_they_import_torch(path):
    text = path.read_text(encoding="utf-8")
    if found := TORCH.search(text):
        assert 0 <= text.find("prepare_cpu()") < found.start()
