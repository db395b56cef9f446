"""Where Ray is not installed, whatever needs it says how to get it."""

import subprocess
import sys
from itertools import count
from types import SimpleNamespace
from typing import Any

import pytest
from carc_env.agents.cluster import connected, spread
from carc_env.agents.interrupt import Stopped

from carc_env import Rules

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


class NoRay:
    """As much of Ray as is needed to wait for results: they are ready in the order of ``ready``."""

    exceptions = SimpleNamespace(RayTaskError=RuntimeError, RayError=RuntimeError)

    def __init__(self, *ready: int | None) -> None:
        self.ready, self.cancelled = [*ready], list[int]()

    def remote(self, **_: Any) -> Any:
        return lambda work: SimpleNamespace(remote=lambda held, task, threads: task[0])

    def put(self, work: Any) -> Any:
        return work

    def get(self, number: int) -> tuple[int, str]:
        return number, f"result {number}"

    def wait(self, waiting: list[int], timeout: float) -> tuple[list[int], list[int]]:
        number = self.ready.pop(0)  # None: nothing in that time
        return [n for n in waiting if n == number], [n for n in waiting if n != number]

    def cancel(self, number: int, force: bool) -> None:
        self.cancelled.append(number)

    def cluster_resources(self) -> dict[str, float]:
        return {"CPU": 2}


def test_shares_of_self_play_come_in_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    from carc_env.agents.zero import GamesOnCluster, Plan, SelfPlay

    ray = NoRay(2, None, 0, 1)
    monkeypatch.setitem(sys.modules, "ray", ray)  # type: ignore[arg-type]
    players = SelfPlay(SimpleNamespace(cpu=lambda: None), Rules(), Plan(), 0.0)  # type: ignore[arg-type]
    found = [*GamesOnCluster().play(players, [[0], [1], [2]])]
    assert found == [f"result {k}" for k in range(3)]
    assert (ray.ready, ray.cancelled) == ([], [])


def test_what_raises_while_results_are_waited_for_cancels_the_rest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ray, n_looks = NoRay(1, None, None, 0, 2), count(1)
    monkeypatch.setitem(sys.modules, "ray", ray)  # type: ignore[arg-type]

    def look() -> None:
        if next(n_looks) == 3:
            raise Stopped

    found = []
    with pytest.raises(Stopped):
        for result in spread(str, [(0,), (1,), (2,)], meanwhile=look):
            found.append(result)
    assert (found, ray.cancelled) == ([(1, "result 1")], [0, 2])


def test_an_address_needs_the_switch() -> None:
    command = [sys.executable, "-m", "carc_env", "evaluate", "random", "greedy"]
    done = subprocess.run(
        [*command, "--address", "auto"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "add --ray" in done.stdout
