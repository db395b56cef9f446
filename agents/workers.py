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
from functools import partial
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
    ValueError
        The function cannot be pickled.
    """
    if n_workers == 1:
        set_threads(threads)
        yield from map(work, tasks)
        return
    try:
        content, todo = pickle.dumps(work), iter(tasks)
    except (AttributeError, TypeError, pickle.PicklingError) as error:
        raise ValueError(f"other processes cannot get this: {error}; use one worker") from error
    staff: dict[Connection, Any] = {}
    doing: dict[Connection, Task] = {}
    end = partial(_end, staff)
    atexit.register(end)  # or Python would wait for them on exit
    try:
        for task in islice(todo, n_workers):
            connection, process = _hired(content, threads)
            staff[connection] = process
            _hand(connection, process, task)
            doing[connection] = task
        while doing:
            for ready in wait([*doing]):
                assert isinstance(ready, Connection)
                yield _received(ready, staff[ready], doing.pop(ready))
                for task in islice(todo, 1):
                    _hand(ready, staff[ready], task)
                    doing[ready] = task
    finally:
        end()
        atexit.unregister(end)


def _hired(content: bytes, threads: int) -> tuple[Connection, Any]:
    """Start a worker for the pickled work."""
    # Pool workers would outlive a script that is killed by `kill -9`.
    context = fresh_processes()
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs, content, threads), daemon=True)
    with _signals_held():
        process.start()
    theirs.close()
    return ours, process


def _end(staff: dict[Connection, Any]) -> None:
    """End all workers."""
    for connection, process in staff.items():
        connection.close()
        process.kill()
    for process in staff.values():
        process.join()
    staff.clear()


def _hand(connection: Connection, process: Any, task: object) -> None:
    try:
        connection.send(task)
    except ConnectionError:
        raise _died(process, task) from None


def _received(connection: Connection, process: Any, task: object) -> Any:
    """Receive a result from a worker."""
    try:
        kind, content = connection.recv()
    except (EOFError, ConnectionError):
        raise _died(process, task) from None
    if kind is None:
        return content
    message, trace = content
    raise kind(message) from InWorker(trace)


def _died(process: Any, task: object) -> WorkerError:
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


def _serve(connection: Connection, content: bytes, threads: int) -> None:
    """Run in a worker: take tasks and send results until the pipe is closed."""
    end_with_parent()
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    prepare_cpu()  # before torch is imported with the contents of the work
    work: Callable[[Any], Any] = pickle.loads(content)
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
    """Set the number of torch's threads, if torch has been imported."""
    if "torch" in sys.modules:
        import torch

        torch.set_num_threads(threads)
