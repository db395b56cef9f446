"""Share out the work of compiling among processes, one for each processor.

The processes are copies of this one, so they know all that it knows, and hand back what they make.
They hold no file that anybody waits for, and end with this process. Jobs that they do not finish,
for whatever reason, are left to the caller.
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
"""Most processes; each takes up to 200 MB."""
PATIENCE = 120
"""Seconds to wait for processes that neither finish a job nor end."""
_END_WITH_PARENT = 1
"""Linux's PR_SET_PDEATHSIG."""


def n_processes() -> int:
    """Return how many processes can work in parallel: one if a copy of this one cannot go on."""
    return min(MOST, len(os.sched_getaffinity(0))) if sys.platform == "linux" else 1


def share_out(jobs: Sequence[Job], do: Callable[[Job], Made], n: int) -> Results[Job, Made]:
    """Let n processes do jobs, and return what they made, as far as they got.

    If a process fails at a job, None is returned for it, and no more jobs are done: the caller, who
    does the job again, sees the error.
    """
    results: Results[Job, Made] = {}
    processes: dict[Connection, int] = {}
    numbers, end = os.pipe()
    try:
        os.write(end, b"".join(k.to_bytes(2) for k in range(len(jobs))))
        os.close(end)
        with suppress(OSError):  # too many processes, or no memory for one more
            for _ in range(n):
                _start(processes, jobs, do, numbers)
        waiting = {*processes}
        while ready := waiting.intersection(wait(waiting, PATIENCE) if waiting else ()):
            for connection in ready:
                made: Made | None
                try:
                    k, made = connection.recv()
                except (EOFError, OSError):  # it has nothing more to do, or somebody ended it
                    waiting.remove(connection)
                    continue
                results[jobs[k]] = made
                if made is None:
                    return results
        return results
    finally:
        os.close(numbers)
        for connection, process in processes.items():
            with suppress(
                ProcessLookupError, ChildProcessError
            ):  # on systems where nobody waits for children
                os.kill(process, signal.SIGKILL)
                os.waitpid(process, 0)
            connection.close()


def _start(
    processes: dict[Connection, int],
    jobs: Sequence[Job],
    do: Callable[[Job], Made],
    numbers: int,
) -> None:
    """Copy this process to do jobs; note its number under the connection that delivers its results.

    Meanwhile no other thread may compile: its work would stay half done in the copy.
    """
    reader, writer = os.pipe()
    connection = Connection(reader, writable=False)
    try:
        with global_compiler_lock, warnings.catch_warnings():
            # Python warns of other threads, for whose locks a copy would wait forever: see
            # PATIENCE.
            warnings.simplefilter("ignore", DeprecationWarning)
            process = os.fork()
            if process == 0:
                _work(jobs, do, numbers, writer)
        processes[connection] = process
    finally:
        os.close(writer)


def _work(jobs: Sequence[Job], do: Callable[[Job], Made], numbers: int, writer: int) -> NoReturn:
    """Do jobs until none is left, in a process that then ends at once."""
    try:
        ctypes.CDLL(None).prctl(_END_WITH_PARENT, signal.SIGKILL)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that started this one ends it
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
    """Close all other files: a lock, or a pipe that somebody reads, ends with the parent."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in range(3):
        os.dup2(nothing, standard)
    for file in map(int, os.listdir("/proc/self/fd")):
        if file > 2 and file not in kept:
            with suppress(OSError):  # the list of files was itself a file
                os.close(file)
