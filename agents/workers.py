"""Work on all cores of this machine: processes that are each handed one task after the other.

The processes are spawned, since kernels that run in threads do not survive a fork. They leave
Ctrl-C and SIGTERM to whoever started them, and end when that process ends, however it does: what
they wait at is a pipe that the system closes then. (A pool of the standard library waits at a queue
that its workers hold open for each other, and is left behind by ``kill -9``.)
"""

from __future__ import annotations

import multiprocessing
import pickle
import signal
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from typing import Any, TypeVar

from .arena import AgentError
from .cpu import prepare_cpu
from .interrupt import SIGNALS

Task = TypeVar("Task")
Result = TypeVar("Result")


class WorkerError(RuntimeError):
    """A worker died, or ran into what no agent is to blame for."""


def spread(
    work: Callable[[Task], Result], tasks: Iterable[Task], n_workers: int, *, threads: int = 1
) -> Iterator[Result]:
    """The results of tasks in the order in which they are ready.

    Parameters
    ----------
    work : callable
        What is done with a task. It is pickled once for all workers.
    tasks : iterable
        The next one is only asked for when a worker is free.
    n_workers : int
        Processes. With one the work is done here.
    threads : int
        Threads of torch in each of them.

    Raises
    ------
    AgentError
        What an agent did; its traceback is the cause.
    WorkerError
        A worker died.
    """
    if n_workers == 1:
        set_threads(threads)
        yield from map(work, tasks)
        return
    context, content, todo = multiprocessing.get_context("spawn"), pickle.dumps(work), iter(tasks)
    workers: dict[Connection, Any] = {}
    doing: dict[Connection, Task] = {}
    try:
        for task in todo:
            ours, theirs = context.Pipe()
            process = context.Process(target=_serve, args=(theirs, content, threads), daemon=True)
            with _signals_held():
                process.start()
            theirs.close()
            workers[ours], doing[ours] = process, task
            ours.send(task)
            if len(workers) == n_workers:
                break
        while doing:
            for connection in wait([*doing]):
                assert isinstance(connection, Connection)
                yield _received(connection, workers[connection], doing.pop(connection))
                for task in todo:
                    doing[connection] = task
                    connection.send(task)
                    break
    finally:
        for connection, process in workers.items():
            connection.close()
            process.kill()
        for process in workers.values():
            process.join()


@contextmanager
def _signals_held() -> Iterator[None]:
    """Start processes that no signal reaches before they ignore it; ours come a moment later."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # which lets signals through when it starts
    before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _received(connection: Connection, process: Any, task: object) -> Any:
    """The result that a worker has sent."""
    try:
        kind, content = connection.recv()
    except (EOFError, ConnectionError):
        process.join()
        raise WorkerError(
            f"a worker ended with status {process.exitcode} while it played {task} (killed for "
            "want of memory?)"
        ) from None
    if kind is None:
        return content
    message, trace = content
    raise kind(message) from InWorker(trace)


class InWorker(Exception):
    """The traceback in a worker, as text."""

    def __str__(self) -> str:
        return f"\n\n{self.args[0]}"


def _serve(connection: Connection, content: bytes, threads: int) -> None:
    """What a worker does: it takes tasks and sends results until the pipe is closed."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    prepare_cpu()  # before torch is imported with what the work holds
    work = pickle.loads(content)
    set_threads(threads)
    while True:
        try:
            task = connection.recv()
        except (EOFError, ConnectionError):
            return
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
    """Let torch compute with so many threads, where something has imported it."""
    if "torch" in sys.modules:
        import torch

        torch.set_num_threads(threads)
