"""Processes that are handed one task after the other."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from carc_env.agents.workers import Crew, WorkerError

pytestmark = pytest.mark.once


def who_does(word: str, number: int) -> tuple[str, int, int]:
    """The work, the task, and the process."""
    return word, number, os.getpid()


def halved(number: int) -> int:
    if number % 2:
        raise ValueError(f"{number} is odd")
    return number // 2


def ended(number: int) -> None:
    if number % 2:
        os._exit(number)


@pytest.fixture
def crew() -> Iterator[Crew]:
    made = Crew(2)
    yield made
    made.close()


def test_workers_stay_for_the_next_work(crew: Crew) -> None:
    first, second = ([*crew.spread(partial(who_does, word), range(6))] for word in ("dig", "build"))
    for word, found in (("dig", first), ("build", second)):
        assert {one[0] for one in found} == {word}
        assert sorted(one[1] for one in found) == [*range(6)]
    staff = {one[2] for one in first}
    assert staff == {one[2] for one in second} and len(staff) == 2
    assert [*crew.spread(partial(who_does, "rest"), [])] == []
    crew.close()
    ((_, _, new),) = crew.spread(partial(who_does, "dig"), [0])
    assert new not in staff


@pytest.mark.parametrize(("work", "message"), [(halved, "1 is odd"), (ended, "with status 1")])
def test_after_an_error_others_take_their_place(
    crew: Crew, work: Callable[[int], object], message: str
) -> None:
    with pytest.raises(WorkerError, match=message):
        list(crew.spread(work, [2, 1]))
    assert sorted(crew.spread(halved, [4, 6, 8])) == [2, 3, 4]


def test_who_has_died_while_there_was_nothing_to_do_is_replaced(crew: Crew) -> None:
    staff = {pid for _, _, pid in crew.spread(partial(who_does, "dig"), range(2))}
    for process in crew._workers.values():
        process.kill()
        process.join()
    found = [*crew.spread(partial(who_does, "dig"), range(2))]
    assert len(found) == 2 and staff.isdisjoint(pid for _, _, pid in found)


def test_one_work_at_a_time(crew: Crew) -> None:
    unfinished = crew.spread(halved, [2, 4, 6])
    next(unfinished)
    with pytest.raises(RuntimeError, match="still doing other work"):
        next(crew.spread(abs, [-1]))
    assert len([*unfinished]) == 2


def test_what_raises_meanwhile_ends_all_of_them(crew: Crew) -> None:
    processes = []

    def look() -> None:
        processes.extend(crew._workers.values())
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(crew.spread(halved, [2, 4, 6], meanwhile=look))
    assert len(processes) == 2 and not any(process.is_alive() for process in processes)
    assert [*crew.spread(halved, [8])] == [4]


FORGETFUL = """
from carc_env.agents.workers import Crew
crew = Crew(2)
print(sorted(crew.spread(abs, [-1, -2, -3])))
raise SystemExit(7)
"""


def test_a_program_that_forgets_to_close_it_ends() -> None:
    done = subprocess.run(
        [sys.executable, "-c", FORGETFUL], capture_output=True, text=True, timeout=120
    )
    assert (done.returncode, done.stdout, done.stderr) == (7, "[1, 2, 3]\n", "")


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
        "import sys; from pathlib import Path; from carc_env.agents.workers import Crew\n"
        "from tests.test_workers import busy_for_ever\n"
        "if __name__ == '__main__':\n"
        "    [*Crew(2).spread(busy_for_ever, [Path(sys.argv[1])] * 2)]\n"
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
