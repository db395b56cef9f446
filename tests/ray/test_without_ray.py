"""If Ray is not installed, everything that needs it explains how to install it."""

import subprocess
import sys

import pytest
from carc_env.agents.cluster import connected

pytestmark = pytest.mark.once

WITHOUT_RAY = """
import runpy, sys
sys.modules["ray"] = None
sys.argv = ["", *{arguments!r}]
runpy.run_module("carc_env", run_name="__main__")
"""


def test_connecting_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ImportError, match=r"needs ray, .* pip install 'carc_env\[ray\]'"):
        with connected():
            pass


def test_commands_name_the_extra() -> None:
    code = WITHOUT_RAY.format(arguments=["evaluate", "random", "greedy", "--ray"])
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "pip install 'carc_env[ray]'" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr


def test_an_address_needs_the_switch() -> None:
    command = [sys.executable, "-m", "carc_env", "evaluate", "random", "greedy"]
    done = subprocess.run(
        [*command, "--address", "auto"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "add --ray" in done.stdout
