"""Long work in processes of their own, so that nobody who thinks can hold up the server.

A network holds the interpreter's lock, and so may an agent of one's own. Each process is handed one
task after the other. It is started with its first one, spawned, since kernels that run in threads
do not survive a fork, and ends with the server, however that ends: what it waits at is a pipe that
the system closes then. One that dies is replaced with the next task.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import threading
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from multiprocessing.connection import Connection
from typing import Any, TypeVar

from carc_env.processes import end_with_parent

T = TypeVar("T")
Tell = Callable[[Any], None]
PASSED_ON = (ValueError, ImportError)
"""What work may raise for its caller; all else is a fault of the work."""


class WorkerDied(RuntimeError):
    """A process ended in the middle of its work."""


class WorkFailed(RuntimeError):
    """Work ran into a fault; its traceback is a note."""


class Workers:
    """Processes that do work when there is some.

    Parameters
    ----------
    n : int
        The most processes.
    """

    def __init__(self, n: int) -> None:
        self._threads = ThreadPoolExecutor(n, "workers")  # each waits for a process of its own
        self._mine = threading.local()
        self._all: list[_Worker] = []

    async def do(self, work: Callable[..., T], *args: Any, told: Tell | None = None) -> T:
        """What a function returns, called in one of the processes as soon as one is free.

        Parameters
        ----------
        work : callable
            A function of a module. Its arguments and its result are pickled.
        args
            Its arguments.
        told : callable, optional
            Gets what the function tells meanwhile by the argument ``tell`` that it then has.

        Raises
        ------
        WorkerDied
            The process ended. The next task gets a new one.
        WorkFailed
            The function raised anything but ``ValueError`` or ``ImportError``, which are raised
            as they are.
        """
        loop = asyncio.get_running_loop()

        def hear(content: Any) -> None:
            if told is not None:
                loop.call_soon_threadsafe(told, content)

        result: T = await loop.run_in_executor(
            self._threads, partial(self._do, (work, args, told is not None), hear)
        )
        return result

    def _do(self, task: Any, hear: Tell) -> Any:
        """Have the process of this thread do a task."""
        if not hasattr(self._mine, "worker"):
            self._mine.worker = _Worker()
            self._all.append(self._mine.worker)
        return self._mine.worker.do(task, hear)

    def close(self) -> None:
        """End all processes, whatever they do."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        for worker in self._all:
            worker.end()


class _Worker:
    """One process, and the pipe to it."""

    def __init__(self) -> None:
        self._process: Any = None
        self._pipe: Connection
        self._has_ended = False

    def do(self, task: Any, hear: Tell) -> Any:
        """Hand over a task and wait for its end."""
        if self._process is None or not self._process.is_alive():
            self._start()
        try:
            self._pipe.send(task)
            while (answer := self._pipe.recv())[0] == "told":
                hear(answer[1])
        except (EOFError, ConnectionError):
            self._process.join()
            raise WorkerDied(
                f"the process that was thinking has ended with status {self._process.exitcode} "
                "(killed for want of memory?); there will be a new one"
            ) from None
        kind, content = answer
        if kind == "done":
            return content
        error_type, text, trace = content
        error = error_type(text)
        error.add_note(trace)
        raise error

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()
        if self._has_ended:
            self.end()

    def end(self) -> None:
        """End the process; whoever waits for it is told that it died."""
        self._has_ended = True
        if self._process is not None:
            self._process.kill()


def _serve(pipe: Connection) -> None:
    """What a process does: it works until the pipe is closed."""
    end_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # read when torch is imported
    while True:
        try:
            work, args, may_tell = pipe.recv()
        except (EOFError, ConnectionError):
            return
        extra = {"tell": partial(_tell, pipe)} if may_tell else {}
        try:
            answer: tuple[str, Any] = "done", work(*args, **extra)
        except PASSED_ON as error:
            kind = ValueError if isinstance(error, ValueError) else ImportError
            answer = "failed", (kind, str(error), traceback.format_exc())
        except Exception as error:
            text = f"{type(error).__name__}: {error}"
            answer = "failed", (WorkFailed, text, traceback.format_exc())
        try:
            pipe.send(answer)
        except ConnectionError:
            return


def _tell(pipe: Connection, content: Any) -> None:
    """Send word in the middle of some work."""
    pipe.send(("told", content))
