"""Where Ray is not installed, whatever needs it says how to get it."""

import subprocess
import sys
from pathlib import Path

import pytest
from carc_env.agents.cluster import connected

pytestmark = pytest.mark.once

SCRIPTS = Path(__file__).parents[2] / "scripts"
WITHOUT_RAY = """
import runpy, sys
sys.modules["ray"] = None
sys.path.insert(0, {folder!r})
sys.argv = {arguments!r}
runpy.run_path({script!r}, run_name="__main__")
"""


def test_connecting_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ImportError, match=r"needs Ray, .* pip install 'carc_env\[ray\]'"):
        with connected():
            pass


@pytest.mark.parametrize(
    "arguments", [["evaluate.py", "random", "greedy", "--ray"], ["train_rllib.py"]]
)
def test_scripts_name_the_extra(arguments: list[str]) -> None:
    pytest.importorskip("torch")
    code = WITHOUT_RAY.format(
        folder=str(SCRIPTS), arguments=arguments, script=str(SCRIPTS / arguments[0])
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "pip install 'carc_env[ray]'" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr


def test_an_address_needs_the_switch() -> None:
    command = [sys.executable, str(SCRIPTS / "evaluate.py"), "random", "greedy"]
    done = subprocess.run(
        [*command, "--address", "auto"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "add --ray" in done.stdout
