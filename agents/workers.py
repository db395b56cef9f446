"""Work on all of this machine's cores, in processes that do one task after another.

The workers leave Ctrl-C and SIGTERM to the process that started them, and exit when that process
ends for any reason. (The standard library's pools continue after a ``kill -9``.)
"""

from __future__ import annotations

import atexit
import pickle
import reprlib
import signal
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from typing import Any, TypeVar

from carc_env.processes import end_with_parent, fresh_processes

from .arena import AgentError
from .cpu import prepare_cpu
from .interrupt import SIGNALS

Task = TypeVar("Task")
Result = TypeVar("Result")

BETWEEN_LOOKS = 1.0
"""Seconds to wait for a result before checking whether it is still wanted."""


class WorkerError(RuntimeError):
    """A worker died, or failed in a way that is not an agent's fault."""


def spread(
    work: Callable[[Task], Result], tasks: Iterable[Task], n_workers: int, *, threads: int = 1
) -> Iterator[Result]:
    """Do tasks, and yield their results in the order in which they become ready.

    Parameters
    ----------
    work : callable
        A function that does a task. It is pickled once for all workers.
    tasks : iterable
        The tasks; the next one is requested only when a worker is free.
    n_workers : int
        Number of processes. With one, the work is done in this process.
    threads : int
        Number of torch threads in each process.

    Raises
    ------
    AgentError
        An agent failed; its traceback is the cause.
    WorkerError
        A worker died.
    """
    if n_workers == 1:
        set_threads(threads)
        yield from map(work, tasks)
        return
    crew = Crew(n_workers, threads=threads)
    try:
        yield from crew.spread(work, tasks)
    finally:
        crew.close()


class Crew:
    """Workers that can be used repeatedly; they start when first needed.

    Parameters
    ----------
    n_workers : int
        Number of processes.
    threads : int
        Number of torch threads in each process.
    """

    def __init__(self, n_workers: int, *, threads: int = 1) -> None:
        self._n_workers, self._threads = n_workers, threads
        self._workers: dict[Connection, Any] = {}
        self._is_busy = False

    def spread(
        self,
        work: Callable[[Task], Result],
        tasks: Iterable[Task],
        *,
        meanwhile: Callable[[], object] = lambda: None,
    ) -> Iterator[Result]:
        """Do tasks, and yield their results as :func:`spread` does.

        ``meanwhile`` is called at least every ``BETWEEN_LOOKS`` seconds. If anything raises, or the
        caller stops early, all workers are killed; later work starts new ones.

        Raises
        ------
        RuntimeError
            The workers are still busy with other work.
        """
        if self._is_busy:
            raise RuntimeError("the workers are still doing other work")
        content, todo = pickle.dumps(work), iter(tasks)
        doing: dict[Connection, Task] = {}
        self._is_busy = True
        try:
            first = [*islice(todo, self._n_workers)]
            for worker, task in zip(self._free(len(first)), first, strict=True):
                doing[worker] = task
                self._hand(worker, content, task)
            while doing:
                ready = wait([*doing], BETWEEN_LOOKS)
                for connection in ready:
                    assert isinstance(connection, Connection)
                    yield self._received(connection, doing.pop(connection))
                    for task in islice(todo, 1):
                        doing[connection] = task
                        self._hand(connection, None, task)
                meanwhile()
            self._is_busy = False
        finally:
            if self._is_busy:
                self.close()

    def close(self) -> None:
        """End all workers."""
        for connection, process in self._workers.items():
            connection.close()
            process.kill()
        for process in self._workers.values():
            process.join()
        self._workers.clear()
        self._is_busy = False
        atexit.unregister(self.close)

    def _free(self, n: int) -> list[Connection]:
        """Return ``n`` workers, starting any that are missing or dead."""
        if not self._workers:
            atexit.register(self.close)  # or Python would wait for them on exit
        self._workers = {c: process for c, process in self._workers.items() if process.is_alive()}
        context = fresh_processes()
        while len(self._workers) < n:
            # Pool workers would outlive a script that is killed by `kill -9`.
            ours, theirs = context.Pipe()
            process = context.Process(target=_serve, args=(theirs, self._threads), daemon=True)
            with _signals_held():
                process.start()
            theirs.close()
            self._workers[ours] = process
        return [*self._workers][:n]

    def _hand(self, connection: Connection, work: bytes | None, task: object) -> None:
        try:
            connection.send((work, task))
        except ConnectionError:
            raise self._died(connection, task) from None

    def _received(self, connection: Connection, task: object) -> Any:
        """Receive a result from a worker."""
        try:
            kind, content = connection.recv()
        except (EOFError, ConnectionError):
            raise self._died(connection, task) from None
        if kind is None:
            return content
        message, trace = content
        raise kind(message) from InWorker(trace)

    def _died(self, connection: Connection, task: object) -> WorkerError:
        process = self._workers[connection]
        process.join()
        return WorkerError(
            f"a worker ended with status {process.exitcode} while it played {reprlib.repr(task)} "
            "(killed for want of memory?)"
        )


@contextmanager
def _signals_held() -> Iterator[None]:
    """Block signals while processes start, until they ignore them; ours are then delivered."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # its start unblocks signals
    before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class InWorker(Exception):
    """A worker's traceback, as text."""

    def __str__(self) -> str:
        return f"\n\n{self.args[0]}"


def _serve(connection: Connection, threads: int) -> None:
    """Run in a worker: take tasks and send results until the pipe is closed.

    Work comes with the first of its tasks.
    """
    end_with_parent()
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    prepare_cpu()  # before torch is imported with the contents of the work
    work: Callable[[Any], Any] | None = None
    while True:
        try:
            content, task = connection.recv()
        except (EOFError, ConnectionError):
            return
        if content is not None:
            work = pickle.loads(content)
            set_threads(threads)
        assert work is not None
        try:
            answer: tuple[Any, Any] = None, work(task)
        except AgentError as error:
            answer = type(error), (str(error), traceback.format_exc())
        except Exception as error:
            answer = WorkerError, (f"{type(error).__name__}: {error}", traceback.format_exc())
        try:
            connection.send(answer)
        except ConnectionError:
            return


def set_threads(threads: int) -> None:
    """Set the number of torch's threads, if torch has been imported."""
    if "torch" in sys.modules:
        import torch

        torch.set_num_threads(threads)
