"""A training run records its origin and prepares its process."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

pytest.importorskip("tyro")
pytest.importorskip("matplotlib")
from carc_env.agents import run_folder
from carc_env.agents.commands import train_value
from carc_env.agents.run_folder import commit
from carc_env.agents.value_learner import ValueConfig, ValueLearner

from carc_env import Rules, __version__

pytestmark = pytest.mark.once

SCRIPTS = Path(__file__).resolve().parents[1] / "scripts"
TRAINING = sorted(SCRIPTS.glob("train_*.py"))


def committed(folder):
    """Turn a folder into a repository and commit everything in it."""
    if shutil.which("git") is None:
        pytest.skip("needs git")
    author = ("-c", "user.name=one", "-c", "user.email=one@example.org")
    for command in (("init", "-q"), ("add", "."), (*author, "commit", "-q", "-m", "theirs")):
        subprocess.run(["git", *command], cwd=folder, check=True)


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Install the package into the repository of another project, which ignores it."""
    (tmp_path / ".gitignore").write_text("site-packages\n")
    committed(tmp_path)
    agents = tmp_path / "site-packages/carc_env/agents"
    agents.mkdir(parents=True)
    monkeypatch.setattr(run_folder, "__file__", str(agents / "run_folder.py"))


def test_a_change_anywhere_but_in_the_pages_is_one_of_the_code(tmp_path, monkeypatch):
    names = ("agents/run_folder.py", "carc_env/rules.py", "docs/results.md", "setup.py")
    files = [tmp_path / name for name in names]
    for file in files:
        file.parent.mkdir(exist_ok=True)
        file.touch()
    committed(tmp_path)
    monkeypatch.setattr(run_folder, "__file__", str(files[0]))
    (tmp_path / "notes.txt").touch()  # untracked
    for file in files:
        assert re.fullmatch("[0-9a-f]{12}", commit())
        file.write_text("new")
        assert commit().endswith(" with changes") == (file.parent.name != "docs")
        file.write_text("")


@pytest.mark.usefixtures("package")
def test_the_commit_of_another_project_is_not_that_of_an_installed_package():
    assert commit() == "unknown"


@pytest.mark.usefixtures("package")
def test_a_run_names_the_version_and_lets_idle_threads_sleep(tmp_path, monkeypatch):
    """Learning a value does not need torch, but its opponents may, so both apply here, too."""
    monkeypatch.delenv("OMP_WAIT_POLICY", raising=False)
    monkeypatch.setattr(ValueLearner, "update", lambda self: pytest.fail("it is done"))
    monkeypatch.setattr(ValueLearner, "is_done", True)
    folder, policies = tmp_path / "run", []
    begin = ValueLearner.begin

    def watched(*given):
        policies.append(os.environ.get("OMP_WAIT_POLICY"))
        return begin(*given)

    monkeypatch.setattr(ValueLearner, "begin", watched)
    _, status = train_value.train(ValueConfig(str(folder), rules=Rules(view=12), threads=1))
    origin = yaml.safe_load((folder / "origin.yaml").read_text())
    assert (origin["carc_env"], origin["commit"], status) == (__version__, "unknown", 0)
    assert policies == ["PASSIVE"]


TORCH = re.compile(
    r"^(?:from|import) (?:torch|tensordict|sb3_contrib|"
    r"carc_env\.agents\.(?:network_agent|networks|sb3_env))\b",
    re.M,
)


@pytest.mark.parametrize("path", TRAINING, ids=lambda path: path.stem)
def test_scripts_prepare_the_processor_before_they_import_torch(path):
    text = path.read_text(encoding="utf-8")
    if found := TORCH.search(text):
        assert 0 <= text.find("prepare_cpu()") < found.start()
