"""Processes that get one task after another."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from carc_env.agents.workers import spread

pytestmark = pytest.mark.once


def who_does(word: str, number: int) -> tuple[str, int, int]:
    """Return the work, the task, and the process id."""
    return word, number, os.getpid()


def test_each_worker_does_one_task_after_another() -> None:
    found = [*spread(partial(who_does, "dig"), range(6), 2)]
    assert sorted(one[:2] for one in found) == [("dig", k) for k in range(6)]
    assert len({one[2] for one in found} - {os.getpid()}) == 2
    assert [*spread(partial(who_does, "rest"), [], 2)] == []


def test_work_that_other_processes_cannot_get_is_refused() -> None:
    with pytest.raises(ValueError, match=r"other processes cannot get this: .*; use one worker"):
        [*spread(lambda task: task, [1, 2], 2)]


def test_who_stops_early_ends_all_workers() -> None:
    results = spread(partial(who_does, "dig"), range(4), 2)
    pids = [next(results)[2], next(results)[2]]
    results.close()  # type: ignore[attr-defined]
    until(lambda: not any(map(is_alive, pids)))


FORGETFUL = """
from carc_env.agents.workers import spread
left = spread(abs, [-1, -2, -3], 2)
print(next(left) > 0)
raise SystemExit(7)
"""


def test_a_program_that_forgets_to_close_it_ends() -> None:
    done = subprocess.run(
        [sys.executable, "-c", FORGETFUL], capture_output=True, text=True, timeout=120
    )
    assert (done.returncode, done.stdout, done.stderr) == (7, "True\n", "")


def busy_for_ever(folder: Path) -> None:
    (folder / f"{os.getpid()}").touch()
    while True:
        sum(range(1000))


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="looks at processes")
def test_workers_end_in_the_middle_of_their_work_when_their_parent_is_killed(
    tmp_path: Path,
) -> None:
    program = (
        "import sys; from pathlib import Path; from carc_env.agents.workers import spread\n"
        "from tests.test_workers import busy_for_ever\n"
        "if __name__ == '__main__':\n"
        "    [*spread(busy_for_ever, [Path(sys.argv[1])] * 2, 2)]\n"
    )
    script = tmp_path / "parent.py"
    script.write_text(program)
    (folder := tmp_path / "pids").mkdir()
    path = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    with subprocess.Popen([sys.executable, script, folder], env=path) as parent:
        until(lambda: len([*folder.iterdir()]) == 2)
        parent.kill()
    pids = [int(one.name) for one in folder.iterdir()]
    until(lambda: not any(map(is_alive, pids)))


def until(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + 600
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.02)


def is_alive(pid: int) -> bool:
    stat = Path(f"/proc/{pid}/stat")
    return stat.exists() and b") Z" not in stat.read_bytes()
