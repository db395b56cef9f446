"""Games spread over a Ray cluster, and connecting to one.

Requires the ``ray`` extra. Ray is imported on first use, so this module can be imported without it.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any, TypeVar

from carc_env.extras import extras_named

from .workers import set_threads

Task = TypeVar("Task")
Result = TypeVar("Result")

RETRIES = 5
"""Number of workers that may die while doing one task before it is abandoned."""
TIMEOUT = 5.0
"""Seconds to wait for a cluster to accept a connection."""


@contextmanager
def connected(address: str | None = None, *, n_cpus: int = 1, on_one: int = 1) -> Iterator[None]:
    """Connect to Ray for the duration of a ``with`` block.

    Parameters
    ----------
    address : str, optional
        ``host:port`` of a cluster's head node, or ``"auto"`` for the cluster that this machine
        belongs to. Default: a local Ray on this machine.
    n_cpus : int
        Number of CPUs needed. A local Ray offers that many even if this machine has fewer.
    on_one : int
        Number of those CPUs that a single task needs on one machine.

    Raises
    ------
    ImportError
        Ray is not installed.
    ValueError
        The address is invalid, or the cluster or each of its machines has too few CPUs.
    ConnectionError
        No cluster answers at the address, or it refuses the connection.
    """
    ray = _import_ray()
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": "error"}
    if address is None:
        ray.init(
            "local",
            num_cpus=max(n_cpus, os.cpu_count() or 1),
            include_dashboard=False,
            **quiet,
        )
    else:
        _check_address(address)
        try:
            ray.init(address, **quiet)
        except (ConnectionError, ray.exceptions.RayError) as error:
            raise ConnectionError(
                f"the Ray cluster at {address} refuses the connection: {error}. If it uses "
                "tokens, set RAY_AUTH_MODE=token; its versions of Ray and Python must match ours"
            ) from error
    try:
        found = [node["Resources"].get("CPU", 0) for node in ray.nodes() if node["Alive"]]
        if sum(found) < n_cpus:
            raise ValueError(
                f"the Ray cluster at {address} has {sum(found):.0f} CPUs but {n_cpus} are "
                "needed: ask for fewer, or add machines to it"
            )
        if max(found) < on_one:
            raise ValueError(
                f"the largest machine of the Ray cluster at {address} has {max(found):.0f} CPUs "
                f"but a task needs {on_one}: ask for fewer, or add a larger machine"
            )
        yield
    finally:
        ray.shutdown()


def _import_ray() -> Any:
    with extras_named():
        import ray
    return ray


def _check_address(address: str) -> None:
    """Check an address up front: Ray itself would retry for minutes and then end the process."""
    if address == "auto":
        return
    host, _, port = address.rpartition(":")
    if not host or "/" in address or not port.isdecimal():
        raise ValueError(
            f"the address of a cluster is host:port, as `ray start --head` prints it, or auto; "
            f"got {address!r}"
        )
    try:
        socket.create_connection((host, int(port)), TIMEOUT).close()
    except (OSError, OverflowError) as error:
        raise ConnectionError(
            f"no Ray cluster answers at {address} ({error}): start one with `ray start --head` "
            "and use the address that it prints"
        ) from error


def spread(
    work: Callable[[Task], Result],
    tasks: Iterable[Task],
    *,
    threads: int = 1,
) -> Iterator[Result]:
    """Run tasks on the connected Ray cluster, and yield their results as they become ready.

    If a worker dies, Ray gives its task to another one. The work, including its agents, is pickled
    and sent to the workers, so a checkpoint is read only once, in this process.

    Parameters
    ----------
    work : callable
        A function that does a task.
    tasks : iterable
        The tasks; at any time, twice as many are requested as the cluster has room for.
    threads : int
        CPUs per task. Networks use the same number of threads.

    Raises
    ------
    AgentError
        An agent failed.
    ConnectionError
        A task lost more than ``RETRIES`` workers.
    """
    ray = _import_ray()
    remote = ray.remote(num_cpus=threads, max_retries=RETRIES)(_do)
    held, todo, waiting = ray.put(work), iter(tasks), []
    room = 2 * max(1, int(ray.cluster_resources().get("CPU", 1)) // threads)
    try:
        while True:
            waiting += [remote.remote(held, task, threads) for task in islice(todo, room)]
            if not waiting:
                return
            done, waiting = ray.wait(waiting)
            room = len(done)
            yield from map(_received, done)
    finally:
        for left in waiting:
            ray.cancel(left, force=True)


def _received(done: Any) -> Any:
    """Return the result of a finished task."""
    ray = _import_ray()
    try:
        return ray.get(done)
    except ray.exceptions.RayTaskError as error:
        raise error.cause from error  # the agent's error
    except ray.exceptions.RayError as error:
        raise ConnectionError(
            f"{RETRIES + 1} workers died over the same games, so the match is given up: {error}"
        ) from error


def _do(work: Callable[[Task], Result], task: Task, threads: int) -> Result:
    """Do a task in a worker."""
    set_threads(threads)
    return work(task)
