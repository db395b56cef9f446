"""Work that is shared out among processes, one for each processor, for what compiling takes.

They are copies of this process, so they know all that it knows, and hand back what they make. They
hold nothing that anybody waits for, and end with this process. What they do not finish, for
whatever reason, is left to the caller.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection, wait
from typing import Any, NoReturn

MOST = 8
"""Processes, each of which takes about 100 MB."""
PATIENCE = 120
"""Seconds to wait for a process that neither finishes nor ends."""
_END_WITH_PARENT = 1  # PR_SET_PDEATHSIG


def n_processes() -> int:
    """How many processes can work side by side: one where copies of this one would not be safe.

    On Linux alone all of numba works in a copy, and a copy lacks the other threads, whose locks
    nobody would ever open.
    """
    if sys.platform != "linux" or threading.active_count() > 1:
        return 1
    return min(MOST, len(os.sched_getaffinity(0)))


def share_out(jobs: Sequence[Any], do: Callable[[Any], Any], n: int) -> Iterator[tuple[Any, Any]]:
    """Let n processes do jobs; yields each job with what was made of it, as far as they get.

    If one fails at a job, no more are done: whoever does it again sees the error.
    """
    numbers, end = os.pipe()
    os.write(end, b"".join(k.to_bytes(2) for k in range(len(jobs))))
    os.close(end)
    started: dict[Connection, int] = {}
    try:
        for _ in range(n):
            results, process = _start(jobs, do, numbers)
            started[results] = process
        waiting = set(started)
        while waiting and (ready := wait([*waiting], PATIENCE)):
            for results in ready:
                try:
                    k, made = results.recv()
                except (EOFError, OSError):  # it has finished, or was ended
                    waiting.discard(results)
                    continue
                if made is None:
                    return
                yield jobs[k], made
    finally:
        os.close(numbers)
        for results, process in started.items():
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
            results.close()


def _start(jobs: Sequence[Any], do: Callable[[Any], Any], numbers: int) -> tuple[Connection, int]:
    """Copy this process to do jobs; returns where its results come from, and its number."""
    reader, writer = os.pipe()
    with warnings.catch_warnings():
        # Threads of libraries that wait for work, which the copy never gives them.
        warnings.simplefilter("ignore", DeprecationWarning)
        process = os.fork()
    if process == 0:
        _work(jobs, do, numbers, writer)
    os.close(writer)
    return Connection(reader, writable=False), process


def _work(jobs: Sequence[Any], do: Callable[[Any], Any], numbers: int, writer: int) -> NoReturn:
    """Do jobs until none is left, in a process that then ends at once."""
    try:
        ctypes.CDLL(None).prctl(_END_WITH_PARENT, signal.SIGKILL)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent is interrupted, and ends this
        _keep_only(numbers, writer)
        results = Connection(writer, readable=False)
        while number := os.read(numbers, 2):
            k = int.from_bytes(number)
            made = None
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
    for first, last in zip(
        (2, *sorted(kept)), (*sorted(kept), os.sysconf("SC_OPEN_MAX")), strict=True
    ):
        os.closerange(first + 1, last)
