"""Distribute compilation among several processes, one per processor.

The processes are copies of this one, so they know everything that it knows, and they send back
their results. They hold no file that another process waits for, and they end with this process.
Jobs that they do not finish, for whatever reason, are left to the caller.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from typing import NoReturn, TypeVar

from numba.core.compiler_lock import global_compiler_lock

Job = TypeVar("Job")
Made = TypeVar("Made")
Results = dict[Job, Made | None]
MOST = 8
"""Maximum number of processes; each takes up to 200 MB."""
PATIENCE = 120
"""Seconds to wait for processes that neither finish a job nor end."""
_END_WITH_PARENT = 1
"""Linux's PR_SET_PDEATHSIG."""


def n_processes() -> int:
    """Return how many processes can work in parallel; one where copies of this one cannot run."""
    return min(MOST, len(os.sched_getaffinity(0))) if sys.platform == "linux" else 1


def share_out(
    jobs: Sequence[Job],
    do: Callable[[Job], Made],
    n: int,
    told: Callable[[Job], None] = lambda _: None,
) -> Results[Job, Made]:
    """Let n processes do the jobs, and return the results that they have finished.

    ``told`` is called after each job.

    If a job fails in a process, its result is None and no more jobs are done. The caller then
    repeats the job and sees the error.
    """
    results: Results[Job, Made] = {}
    processes: dict[Connection, int] = {}
    numbers, end = os.pipe()
    try:
        os.write(end, b"".join(k.to_bytes(2) for k in range(len(jobs))))
        os.close(end)
        with suppress(OSError):  # too many processes, or no memory for another
            for _ in range(n):
                _start(processes, jobs, do, numbers)
        waiting = {*processes}
        while ready := waiting.intersection(wait(waiting, PATIENCE) if waiting else ()):
            for connection in ready:
                made: Made | None
                try:
                    k, made = connection.recv()
                except (EOFError, OSError):  # no more jobs, or somebody ended the process
                    waiting.remove(connection)
                    continue
                results[jobs[k]] = made
                if made is None:
                    return results
                told(jobs[k])
        return results
    finally:
        os.close(numbers)
        for connection, process in processes.items():
            with suppress(
                ProcessLookupError, ChildProcessError
            ):  # on systems where children are not waited for
                os.kill(process, signal.SIGKILL)
                os.waitpid(process, 0)
            connection.close()


def _start(
    processes: dict[Connection, int],
    jobs: Sequence[Job],
    do: Callable[[Job], Made],
    numbers: int,
) -> None:
    """Fork this process to do jobs; record its process ID under the connection for its results.

    No other thread may compile during the fork, because its work would stay half done in the copy.
    """
    reader, writer = os.pipe()
    connection = Connection(reader, writable=False)
    try:
        with global_compiler_lock, warnings.catch_warnings():
            # Python warns about other threads, whose locks could block a copy forever: see
            # PATIENCE.
            warnings.simplefilter("ignore", DeprecationWarning)
            process = os.fork()
            if process == 0:
                _work(jobs, do, numbers, writer)
        processes[connection] = process
    finally:
        os.close(writer)


def _work(jobs: Sequence[Job], do: Callable[[Job], Made], numbers: int, writer: int) -> NoReturn:
    """Do jobs until none are left, in a process that then ends at once."""
    try:
        ctypes.CDLL(None).prctl(_END_WITH_PARENT, signal.SIGKILL)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process ends this one
        _keep_only(numbers, writer)
        results = Connection(writer, readable=False)
        while number := os.read(numbers, 2):
            k, made = int.from_bytes(number), None
            try:
                made = do(jobs[k])
            finally:
                results.send((k, made))
    finally:
        os._exit(0)


def _keep_only(*kept: int) -> None:
    """Close all other files: a lock, or a pipe that somebody reads, must end with the parent."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in range(3):
        os.dup2(nothing, standard)
    for file in map(int, os.listdir("/proc/self/fd")):
        if file > 2 and file not in kept:
            with suppress(OSError):  # the list of files was itself an open file
                os.close(file)
