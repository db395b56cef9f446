"""Long-running work in separate processes, so that thinking cannot block the server.

Networks hold the interpreter lock, and your own agents may, too. Each process is given one task at
a time. It starts with its first task and ends with the server, however the server ends: the process
waits at a pipe, which the system then closes. If a process dies, the next task gets a new process.

The games that own the waiting tasks are served in turn. A task whose result nobody is waiting for
any more is ended.
"""

from __future__ import annotations

import asyncio
import os
import signal
import traceback
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from multiprocessing.connection import Connection
from typing import Any, TypeVar

from carc_env.processes import end_with_parent, fresh_processes

T = TypeVar("T")
Tell = Callable[[Any], None]
PASSED_ON = (ValueError, ImportError)
"""Errors in work that are passed on to its caller; all others count as bugs in the work."""


class WorkerDied(RuntimeError):
    """A process ended in the middle of its work."""


class WorkFailed(RuntimeError):
    """Work failed with an unexpected error; its traceback is attached as a note."""


class Workers:
    """Processes that do work on request.

    Parameters
    ----------
    n : int
        Maximum number of processes.
    grace : float
        Seconds that work may continue when nobody is waiting for it any more. Its process is then
        ended, and a new process takes seconds to start.
    """

    def __init__(self, n: int, grace: float) -> None:
        self._threads = ThreadPoolExecutor(n, "workers")  # each thread waits for a process
        self._free = [_Worker() for _ in range(n)]
        self._all = tuple(self._free)
        self._grace = grace
        self._waiting: list[tuple[Hashable, asyncio.Future[_Worker]]] = []
        self._turns: dict[Hashable, int] = {}
        self._n_turns = 0

    async def do(
        self,
        work: Callable[..., T],
        *args: Any,
        told: Tell | None = None,
        whose: Hashable = None,
    ) -> T:
        """Run a function in one of the processes, when it is its turn, and return its result.

        If the caller is cancelled, waiting work is dropped, and work in progress is ended after the
        grace period.

        Parameters
        ----------
        work : callable
            A module-level function. Its arguments and its result are pickled.
        args
            Its arguments.
        told : callable, optional
            Receives the progress that the function reports through its ``tell`` argument.
        whose : hashable
            The owner of the work. The waiting owner who was served longest ago is next.

        Raises
        ------
        WorkerDied
            The process ended. The next task gets a new process.
        WorkFailed
            The function raised an error other than ``ValueError`` and ``ImportError``, which are
            passed on unchanged.
        """
        loop = asyncio.get_running_loop()
        worker = await self._turn(whose)

        def hear(content: Any) -> None:
            if told is not None:
                loop.call_soon_threadsafe(told, content)

        def done(job: asyncio.Future[Any]) -> None:
            if not job.cancelled():
                job.exception()  # nobody retrieves the exception of abandoned work
            self._release(worker)

        task = work, args, told is not None
        worker.is_wanted = True
        job = loop.run_in_executor(self._threads, worker.do, task, hear)
        job.add_done_callback(done)
        try:
            result: T = await asyncio.shield(job)
        except asyncio.CancelledError:
            loop.call_later(self._grace, worker.stop_unless, job)
            raise
        return result

    async def _turn(self, whose: Hashable) -> _Worker:
        """Wait for a process."""
        if self._free:
            self._note_turn(whose)
            return self._free.pop()
        given: asyncio.Future[_Worker] = asyncio.get_running_loop().create_future()
        self._waiting.append((whose, given))
        try:
            return await given
        except asyncio.CancelledError:
            if given.done() and not given.cancelled():  # in the meantime
                self._release(given.result())
            raise

    def _release(self, worker: _Worker) -> None:
        """Give a process to the waiting owner who was served longest ago."""
        self._waiting = [turn for turn in self._waiting if not turn[1].cancelled()]
        if not self._waiting:
            self._turns.clear()
            self._free.append(worker)
            return
        turn = min(self._waiting, key=lambda turn: self._turns.get(turn[0], 0))
        self._waiting.remove(turn)
        self._note_turn(turn[0])
        turn[1].set_result(worker)

    def _note_turn(self, whose: Hashable) -> None:
        self._n_turns += 1
        self._turns[whose] = self._n_turns

    def close(self) -> None:
        """End all processes, whatever they are doing."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        for worker in self._all:
            worker.end()


class _Worker:
    """One process, and the pipe to it."""

    def __init__(self) -> None:
        self.is_wanted = True
        """Whether anybody is waiting for its work; set before each task."""
        self._process: Any = None
        self._pipe: Connection
        self._is_killed = False
        self._has_ended = False

    def do(self, task: Any, hear: Tell) -> Any:
        """Hand over a task and wait until it is finished."""
        # A process that has just been killed is still alive for a moment.
        if self._process is None or self._is_killed or not self._process.is_alive():
            self._start()
        try:
            self._pipe.send(task)
            while (answer := self._pipe.recv())[0] == "told":
                hear(answer[1])
        except (EOFError, ConnectionError):
            self._process.join()
            raise WorkerDied(
                f"the process that was thinking has ended with status {self._process.exitcode} "
                "(killed for want of memory?); the next task starts a new one"
            ) from None
        kind, content = answer
        if kind == "done":
            return content
        error_type, text, trace = content
        error = error_type(text)
        error.add_note(trace)
        raise error

    def _start(self) -> None:
        context, self._is_killed = fresh_processes(), False
        self._pipe, theirs = context.Pipe()
        process = context.Process(target=_serve, args=(theirs,), daemon=True)
        process.start()
        theirs.close()
        self._process = process
        if self._has_ended or not self.is_wanted:
            process.kill()

    def stop_unless(self, job: asyncio.Future[Any]) -> None:
        """End the process unless a job is done."""
        if not job.done():
            self.is_wanted = False
            self._kill()

    def end(self) -> None:
        """End the process, and let no other take its place."""
        self._has_ended = True
        self._kill()

    def _kill(self) -> None:
        self._is_killed = True
        if self._process is not None:
            self._process.kill()


def _serve(pipe: Connection) -> None:
    """Work in a child process until the pipe is closed."""
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
    """Report progress while work is under way."""
    pipe.send(("told", content))
