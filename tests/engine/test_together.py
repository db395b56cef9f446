"""Work distributed over processes: its results, and that nothing is left over."""

import io
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from numba.core.errors import TypingError

from carc_env.engine.compiler import cache, jit, progress, together
from carc_env.engine.compiler.together import n_processes, share_out

pytestmark = [
    pytest.mark.once,
    pytest.mark.skipif(sys.platform != "linux", reason="one process compiles"),
]
needs_compiler = pytest.mark.skipif(not jit.JIT, reason="nothing is compiled")
if jit.JIT:
    from carc_env.engine.compiler.target import needed_by


def children():
    """Return the processes that this process has started and not waited for."""
    lists = Path("/proc/self/task").glob("*/children")
    return {int(child) for found in lists for child in found.read_text().split()}


@pytest.fixture(autouse=True)
def nothing_stays_behind():
    files, processes = os.listdir("/proc/self/fd"), children()
    yield
    assert os.listdir("/proc/self/fd") == files
    assert children() <= processes


@pytest.mark.parametrize("n", [1, 2, 3])
def test_each_job_is_done_once_by_another_process(n):
    told = []
    made = share_out(range(50), lambda job: (job * job, os.getpid()), n, told.append)
    assert sorted(told) == [*range(50)]
    assert {job: square for job, (square, _) in made.items()} == {k: k * k for k in range(50)}
    processes = {process for _, process in made.values()}
    assert os.getpid() not in processes and len(processes) <= n


def test_large_results_come_back_whole():
    made = share_out(range(6), lambda job: bytes([job]) * 1_000_000, 2)
    assert made == {job: bytes([job]) * 1_000_000 for job in range(6)}


def test_any_thread_can_share_out_work():
    with ThreadPoolExecutor(1) as thread:
        assert thread.submit(share_out, range(5), str, 2).result() == {k: str(k) for k in range(5)}


def test_nothing_to_do_is_done_at_once():
    assert share_out([], abs, 2) == {}


def die_at_3(job):
    if job == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return job


def test_what_a_process_dies_of_is_left_to_the_caller():
    made = share_out(range(20), die_at_3, 2)
    assert made == {job: job for job in range(20) if job != 3}
    assert share_out(range(20), die_at_3, 1) == {0: 0, 1: 1, 2: 2}


def fail_at_3(job):
    if job == 3:
        raise ValueError
    return job


def test_after_a_failure_no_more_is_done():
    made = share_out(range(20), fail_at_3, 1)
    assert made == {0: 0, 1: 1, 2: 2, 3: None}


@pytest.mark.long
def test_a_process_that_hangs_is_ended(monkeypatch):
    monkeypatch.setattr(together, "PATIENCE", 5)
    made = share_out(range(4), lambda job: time.sleep(600 * (job == 2)) or job + 1, 2)
    assert made == {0: 1, 1: 2, 3: 4}


def test_an_interrupt_ends_all():
    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    try:
        with pytest.raises(KeyboardInterrupt):
            share_out(range(4), lambda job: time.sleep(600), 2)
    finally:
        signal.signal(signal.SIGALRM, before)


def test_an_interrupt_of_all_processes_is_left_to_the_first():
    def interrupt_myself(job):
        os.kill(os.getpid(), signal.SIGINT)
        return job

    assert share_out([1, 2], interrupt_myself, 2) == {1: 1, 2: 2}


def test_children_that_nobody_waits_for_are_no_trouble():
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        assert share_out([1, 2], abs, 2) == {1: 1, 2: 2}
    finally:
        signal.signal(signal.SIGCHLD, before)


def test_where_no_process_can_be_started_nothing_is_done(monkeypatch):
    def refuse():
        raise BlockingIOError

    monkeypatch.setattr(os, "fork", refuse)
    assert share_out([1, 2], abs, 2) == {}


def test_what_is_open_here_is_closed_there(tmp_path):
    def is_open(number):
        try:
            os.fstat(number)
        except OSError:
            return "closed"
        return "open"

    with (tmp_path / "lock").open("w") as lock:
        numbers = [lock.fileno(), sys.__stderr__.fileno()]
        assert [*share_out(numbers, is_open, 1).values()] == ["closed", "open"]
    assert share_out([2], lambda number: os.readlink(f"/proc/self/fd/{number}"), 1) == {
        2: os.devnull
    }


OTHER = """
import os, time
from pathlib import Path
from carc_env.engine.compiler.together import share_out

def sleep(folder):
    Path(folder, str(os.getpid())).touch()
    time.sleep(600)

share_out([{0!r}] * 2, sleep, 2)
"""


def test_with_a_killed_process_its_copies_end(tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-c", OTHER.format(str(tmp_path))], stdout=subprocess.PIPE
    )
    with process:
        while len(copies := [int(path.name) for path in tmp_path.iterdir()]) < 2:
            time.sleep(0.05)
            assert process.poll() is None
        process.kill()
        assert process.stdout.read() == b"", "nobody else holds the pipe"
    deadline = time.monotonic() + 600
    while any(map(is_alive, copies)):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def stat_of(process):
    """Return the state and the parent of a process; ``("X", 0)`` if nothing is left of it."""
    with suppress(FileNotFoundError, ProcessLookupError):
        state, parent, *_ = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        return state, int(parent)
    return "X", 0


def is_alive(process):
    return stat_of(process)[0] not in "XZ"


def test_one_processor_has_one_process(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {3})
    assert n_processes() == 1


def test_many_processors_have_no_more_processes_than_there_is_memory_for(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {*range(200)})
    assert n_processes() == together.MOST


def test_elsewhere_one_process_compiles(monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    assert n_processes() == 1


@pytest.fixture
def compile_engine(monkeypatch):
    """Compile a small engine from scratch, in as many processes as the test asks for."""

    def compile_with(n, text=SMALL):
        compiled, engine, kept = cache.Cache({}), ModuleType(f"{jit.ENGINE}.small"), {}
        with monkeypatch.context() as patched:
            patched.setitem(sys.modules, engine.__name__, engine)
            patched.setattr(jit, "_cache", compiled)
            patched.setattr(jit, "_waiting", [])
            patched.setattr(jit, "n_processes", lambda: n)
            patched.setattr(compiled, "save", lambda: kept.update(compiled.kernels))
            exec(text, vars(engine))
            jit.prepare_kernels()
        return engine, kept

    return compile_with


SMALL = """
from carc_env.engine.compiler.jit import entry_point, i8, kernel
from carc_env.engine.compiler.linking import shared

@kernel(i8(i8))
def doubled(n):
    return 2 * n

@kernel(i8(i8), inline=True)
def factorial(n):
    return n * factorial(n - 1) if n > 1 else 1

@shared(i8(i8))
def both(n):
    return doubled(n) + factorial(n)

@entry_point(i8(i8[::1]))
def total(numbers):
    n = 0
    for number in numbers:
        n += both(number)
    return n

@entry_point(i8(i8))
def again(n):
    return both(n) * doubled(n)
"""


@needs_compiler
@pytest.mark.parametrize("n", [1, 2])
def test_kernels_are_the_same_in_any_number_of_processes(compile_engine, n):
    engine, kept = compile_engine(n)
    assert engine.total(np.arange(5)) == 20 + 34
    assert engine.again(4) == (8 + 24) * 8
    names = {f"{jit.ENGINE}.small.{name}" for name in ("both", "total", "again")}
    assert {*kept} == names


IN_A_MODULE = """
from types import ModuleType
from carc_env.engine.compiler.jit import entry_point, i8, kernel

def doubled(n):
    return 2 * n

room = ModuleType("room")
room.doubled = kernel(i8(i8))(doubled)
del doubled

@kernel(i8(i8))
def tripled(n):
    return room.doubled(n) + n

@entry_point(i8(i8))
def six_times(n):
    return room.doubled(tripled(n))
"""


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_terminal_shows_a_bar_and_a_log_lines(monkeypatch, capsys):
    heard = []
    monkeypatch.setattr(progress, "listeners", [heard.append])
    monkeypatch.setattr(progress, "SECONDS_BETWEEN_LINES", -1)
    told = progress.Progress("all", 4)
    told.advance(1)
    told.end("done")
    lines = capsys.readouterr().err.splitlines()
    assert lines == [f"carc_env: {w}" for w in ("compiling all ...", *LINES, "done")]
    monkeypatch.setattr(sys, "stderr", Terminal())
    progress.Progress("all", 4).advance(2)
    assert "\r[###############---------------]  50%" in sys.stderr.getvalue()
    assert heard == [0, 0.25, 0, 0.5]


LINES = ("compiling: 0%", "compiling: 25%")


@needs_compiler
def test_kernels_are_also_found_as_names_of_modules(compile_engine):
    engine, _ = compile_engine(2, IN_A_MODULE)
    assert needed_by(engine.six_times) == {engine.room.doubled.code, engine.tripled.code}
    assert engine.six_times(7) == 42


@needs_compiler
def test_with_processes_that_die_the_caller_compiles(compile_engine, monkeypatch):
    asked = []

    def die(jobs, do, n, told):
        asked.append(len(jobs))
        return share_out(jobs, lambda job: os.kill(os.getpid(), signal.SIGKILL), n)

    monkeypatch.setattr(jit, "share_out", die)
    engine, kept = compile_engine(2)
    assert asked == [2, 3]
    assert engine.again(4) == (8 + 24) * 8
    assert len(kept) == 3


@needs_compiler
@pytest.mark.parametrize("n", [1, 2])
def test_an_error_of_a_kernel_is_that_of_the_caller(compile_engine, n):
    with pytest.raises(TypingError, match="len"):
        compile_engine(n, SMALL.replace("2 * n", "len(n)"))


def copies_of(process):
    """Return the processes that a process has started."""
    return [
        int(path.name) for path in Path("/proc").glob("[0-9]*") if stat_of(path.name)[1] == process
    ]


@pytest.fixture
def importing(tmp_path):
    """Import the engine in other processes, which have a separate cache."""
    processes = []

    def start():
        env = {**os.environ, "CARC_ENV_CACHE_DIR": str(tmp_path)}
        code = "import carc_env as c; c.engine.compiler.jit.prepare_kernels()"
        command = [sys.executable, "-c", code]
        processes.append(subprocess.Popen(command, env=env, stderr=subprocess.PIPE, text=True))
        return processes[-1]

    yield start
    for process in processes:
        process.kill()
        process.wait()
        process.stderr.close()


@pytest.mark.long
@pytest.mark.anew
@needs_compiler
@pytest.mark.skipif(n_processes() == 1, reason="one process compiles")
def test_the_next_import_compiles_what_a_killed_one_left(importing, tmp_path):
    first = importing()
    while not (copies := copies_of(first.pid)):
        time.sleep(0.05)
        assert first.poll() is None
    second = importing()
    assert "waiting" in second.stderr.readline()
    first.kill()
    said = second.communicate()[1]
    assert second.returncode == 0 and "compiled in" in said
    assert not any(map(is_alive, copies))
    (file,) = (tmp_path / cache.SUBFOLDER).iterdir()
    written = file.stat().st_mtime_ns
    assert importing().communicate()[1] == ""
    assert file.stat().st_mtime_ns == written
