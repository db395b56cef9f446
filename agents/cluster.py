"""Matches spread over a Ray cluster, and the way to get to one.

Needs the extra ``ray``; Ray is imported where it is used, so that this module can be imported
without it.
"""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

from carc_env.rules import Rules

from .arena import MatchResult, check_match, match_result, play_share, shares
from .players import Agent

RETRIES = 5
"""How many workers may die over one share before the match is given up."""
TIMEOUT = 5.0
"""Seconds that a cluster has to accept a connection."""


@contextmanager
def connected(address: str | None = None, *, n_cpus: int = 1, on_one: int = 1) -> Iterator[None]:
    """Ray for the time of a ``with`` block.

    Parameters
    ----------
    address : str, optional
        ``host:port`` of the head of a cluster, or ``"auto"`` for the one that this machine belongs
        to. Default: a Ray of its own on this machine.
    n_cpus : int
        What is needed. A Ray of its own offers as many, however few this machine has.
    on_one : int
        How many of them one task needs, on the same machine.

    Raises
    ------
    ImportError
        Ray is not installed.
    ValueError
        The address is none, or the cluster, or each machine of it, has fewer CPUs.
    ConnectionError
        Nothing answers there, or it refuses us.
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
                f"the Ray cluster at {address} does not let us in: {error}. If it is one with "
                "tokens, set RAY_AUTH_MODE=token; its versions of Ray and Python must be ours"
            ) from error
    try:
        found = [node["Resources"].get("CPU", 0) for node in ray.nodes() if node["Alive"]]
        if sum(found) < n_cpus:
            raise ValueError(
                f"the Ray cluster at {address} has {sum(found):.0f} CPUs and {n_cpus} are needed: "
                "ask for fewer, or let more machines join it"
            )
        if max(found) < on_one:
            raise ValueError(
                f"the largest machine of the Ray cluster at {address} has {max(found):.0f} CPUs "
                f"and a task needs {on_one}: ask for fewer, or let a larger machine join it"
            )
        yield
    finally:
        ray.shutdown()


def _import_ray() -> Any:
    try:
        import ray
    except ImportError as error:
        raise ImportError(
            "this needs Ray, which is not installed: pip install 'carc_env[ray]'"
        ) from error
    return ray


def _check_address(address: str) -> None:
    """Ray itself tries for minutes and then ends the process."""
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


def play_match(
    agents: Sequence[Agent],
    names: Sequence[str],
    rules: Rules,
    n_games: int,
    *,
    seed: int = 0,
    threads: int = 1,
    on_game: Callable[[], object] | None = None,
) -> MatchResult:
    """:func:`play_match` of the arena on the cluster that Ray is connected to; the same result.

    Shares of the match are tasks. Ray hands a share whose worker dies to another one, and as it is
    a function of its games, its scores are the same there. The agents travel to the workers as they
    are, so a checkpoint is read once, and only here.

    Parameters
    ----------
    agents, names, rules, n_games, seed
        As for :func:`carc_env.agents.arena.play_match`.
    threads : int
        CPUs that a share is played with. Networks compute with as many threads.
    on_game : callable, optional
        Called for each game once its share is complete.

    Raises
    ------
    ValueError
        The numbers of agents, names or games do not fit the rules.
    ConnectionError
        A share lost more than ``RETRIES`` workers.
    """
    check_match(agents, names, rules, n_games)
    ray = _import_ray()
    task = ray.remote(num_cpus=threads, max_retries=RETRIES)(_play_share)
    players = ray.put(list(agents))
    number = {
        task.remote(players, rules, share, seed, threads): k
        for k, share in enumerate(shares(n_games))
    }
    scores: dict[int, npt.NDArray[np.int64]] = {}
    waiting = list(number)
    while waiting:
        (done,), waiting = ray.wait(waiting)
        try:
            scores[number[done]] = ray.get(done)
        except ray.exceptions.RayTaskError as error:
            raise error.cause from error  # what an agent raised
        except ray.exceptions.RayError as error:
            raise ConnectionError(
                f"{RETRIES + 1} workers died over the same games, the match is given up: {error}"
            ) from error
        for _ in scores[number[done]]:
            if on_game:
                on_game()
    return match_result(names, rules, seed, np.concatenate([scores[k] for k in sorted(scores)]))


def _play_share(
    agents: Sequence[Agent], rules: Rules, games: range, seed: int, threads: int
) -> npt.NDArray[np.int64]:
    """What a worker does."""
    if "torch" in sys.modules:  # there is a network among the agents
        import torch

        torch.set_num_threads(threads)
    return play_share(agents, rules, games, seed=seed)
