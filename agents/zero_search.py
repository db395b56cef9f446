r"""Network search for many games in parallel: each step queries the network about all of them.

Gumbel search (I. Danihelka, A. Guez, J. Schrittwieser, D. Silver: *Policy improvement by planning
with Gumbel*, ICLR 2022). At the root, sequential halving divides the simulations among the
``considered`` actions with the highest logits, to which Gumbel noise is added in self-play. Deeper
down, the visits follow the improved policy,

    softmax(logits + value of the action / temperature),

where unvisited actions get the position's combined estimate from the network and the visited
actions, and the weight of values grows with the number of visits.

Draws are unknown when an action is taken, so each step shuffles the hidden tiles with the search's
own random numbers. These are the same for the k-th visit of every action at a node, so that actions
are compared with the same later tiles. Each result of a draw is a separate node.

Values are each seat's final lead, in points. The network estimates the decider's value v; with n
players, each of the others then gets -v / (n - 1). At the end of the game, the values are known
exactly.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from math import ceil, log2
from pathlib import Path
from threading import local
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt
import torch

from carc_env.engine import entry
from carc_env.engine.compiler.jit import without_lookup
from carc_env.engine.core.state import new_states
from carc_env.engine.flow.legal import MAX_LEGAL
from carc_env.engine.sight.lanes import Canvas
from carc_env.layout.encodings import Planes
from carc_env.rules import Rules
from carc_env.search import many
from carc_env.search.analysis import Line
from carc_env.search.many import STAY, STEP
from carc_env.search.table_like import TableLike

from .checkpoint import CheckpointError, read_checkpoint
from .config import IMITATION, ZERO
from .network_agent import MARGIN_UNIT, network_in, shipped
from .networks import Network

SIMS, CONSIDERED = 32, 16
TEMPERATURE = 0.6
FULL_TRUST = 50
"""Number of visits to the best action at which values have double weight."""
MAX_RECORDS = 4096
"""Maximum number of node records kept at once; each takes 39,832 bytes."""
MAX_SEARCHES = 16
"""Most rules for which a thread keeps memory."""
FEWEST_SIMS, MOST_SIMS = 4, 2000
"""Limits on the number of simulations in a search with a time limit."""

take_steps, show_steps = map(without_lookup, (many.take_steps, many.show_steps))

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
_PRIMES = np.array([0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB], np.uint64)


@dataclass(frozen=True)
class Plan:
    """The size of a search, and how much it trusts its values.

    Parameters
    ----------
    sims : int
        Number of positions to query the network about, in addition to the root.
    considered : int
        Maximum number of root actions to consider.
    temperature : float
        Softmax temperature of the improved policy, in points.

    Raises
    ------
    ValueError
        A number is not more than 0.
    """

    sims: int = SIMS
    considered: int = CONSIDERED
    temperature: float = TEMPERATURE

    def __post_init__(self) -> None:
        for name in ("sims", "considered", "temperature"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} must be more than 0, got {getattr(self, name)!r}")


@dataclass
class Times:
    """Seconds spent in searches, by part."""

    environment: float = 0.0
    """Copying and stepping games, legal actions, observations."""
    network: float = 0.0
    """Forward passes, including copying observations to the device."""


class Found(NamedTuple):
    """The search results for a decision; arrays are over its legal actions, ascending.

    Attributes
    ----------
    actions : ndarray of int64
        The legal actions.
    visits : ndarray of int64
        How often each action was tried.
    values : ndarray of float64
        The decider's expected lead in points after each action; for unvisited actions, the estimate
        used instead.
    logs : ndarray of float64
        Logarithms of the improved policy.
    best : int
        Index of the action to take.
    value : float
        The decider's expected lead, in points.
    """

    actions: Ints
    visits: Ints
    values: Floats
    logs: Floats
    best: int
    value: float


@lru_cache(maxsize=4096)
def visit_order(n_considered: int, n_sims: int) -> tuple[int, ...]:
    """Sequential halving: return, for each simulation, the number of earlier visits to its action.

    Half of the actions are dropped whenever all remaining ones have had their share of visits.
    """
    if n_considered == 1:
        return tuple(range(n_sims))
    n_rounds = ceil(log2(n_considered))
    order: list[int] = []
    visits, n_left = [0] * n_considered, n_considered
    while len(order) < n_sims:
        for _ in range(max(1, n_sims // (n_rounds * n_left))):
            order += visits[:n_left]
            visits[:n_left] = [n + 1 for n in visits[:n_left]]
        n_left = max(2, n_left // 2)
    return tuple(order[:n_sims])


class Judge:
    """Queries a network about many positions at once.

    Parameters
    ----------
    network : Network
        Shared, not copied.
    rules : Rules
        The rules of all positions.

    Raises
    ------
    ValueError
        The network does not know something in the rules; the message names it.
    """

    def __init__(self, network: Network, rules: Rules) -> None:
        self.network, self.rules, self._lens = network, rules, network.lens(rules)
        self.times = Times()
        self._encoding = Planes(rules, flat_board=True)
        self._canvas = self._new_canvas(2)

    def _new_canvas(self, n: int) -> Canvas:
        canvas = self._encoding.canvas(n)
        for k in range(n):
            self._encoding.tell_rules(canvas, k, self.rules)
        return canvas

    @torch.no_grad()
    def ask(
        self, states: npt.NDArray[Any], steps: npt.NDArray[Any], listed: Ints
    ) -> tuple[npt.NDArray[np.float32], Floats]:
        """Return the network's outputs for the decisions after the given steps.

        Returns
        -------
        logs : ndarray of float32, shape of ``listed``
            Logarithms of the network's policy over the actions in ``listed``, padded with -inf.
        values : ndarray of float64, shape (n,)
            Each decider's expected lead, in points.
        """
        began, n = time.perf_counter(), len(steps)
        if len(self._canvas.shown) < n:
            self._canvas = self._new_canvas(max(n, 2 * len(self._canvas.shown)))
        show_steps(states, steps, listed, self._canvas)
        seen = self._encoding.drawn(self._canvas)
        drawn = time.perf_counter()
        self.times.environment += drawn - began
        device = next(self.network.parameters()).device
        board, numbers = (
            torch.from_numpy(seen[name][:n]).to(device) for name in ("board", "globals")
        )
        width = int(steps["n_legal"].max())
        legal = torch.from_numpy(listed[:, :width].copy()).to(device)
        is_none = torch.arange(width) >= torch.from_numpy(steps["n_legal"].copy())[:, None]
        is_none = is_none.to(device)
        logits, values = self.network(board, numbers, self._lens)
        logits = logits.gather(1, legal.masked_fill(is_none, 0))
        logs = torch.log_softmax(logits.masked_fill(is_none, -torch.inf), 1).cpu().numpy()
        points = MARGIN_UNIT * values.cpu().numpy()[:, 0].astype(np.float64)
        self.times.network += time.perf_counter() - drawn
        found = np.full(listed.shape, -np.inf, np.float32)
        found[:, :width] = logs
        return found, points


class Forest:
    """The trees of several searches; row b of every array belongs to game b.

    Parameters
    ----------
    judge : Judge
        Queries the network.
    plan : Plan
        The size of the search.
    states : ndarray of STATE, shape (B * (sims + 1),)
        Memory for the nodes.
    roots : sequence of TableLike
        B games, each with at least two legal actions; they are not changed.
    seeds : sequence of int
        Seeds for the random later tiles of each game.
    """

    def __init__(
        self,
        judge: Judge,
        plan: Plan,
        states: npt.NDArray[Any],
        roots: Sequence[TableLike],
        seeds: Sequence[int],
    ) -> None:
        n = len(roots)
        self._judge, self._plan, self._states = judge, plan, states
        self._room = plan.sims + 1
        self._n_nodes = np.zeros(n, np.int64)
        self._listed = np.zeros((n, MAX_LEGAL), np.int64)
        self._children: list[dict[tuple[int, ...], int]] = [{} for _ in roots]
        width = 0
        self._actions = np.zeros((n, self._room, width), np.int64)
        self._logs = np.zeros((n, self._room, width))
        self._visits = np.zeros((n, self._room, width), np.int64)
        self._sums = np.zeros((n, self._room, width))
        self._n_players = judge.rules.n_players
        self._leads = np.zeros((n, self._room, self._n_players))
        self._deciders = np.zeros((n, self._room), np.int64)
        self._is_over = np.zeros((n, self._room), np.bool_)
        began = time.perf_counter()
        steps = np.zeros(n, STEP)
        steps["source"] = steps["target"] = np.arange(n) * self._room
        steps["action"], steps["seed"] = STAY, seeds
        for place, table in zip(steps["target"], roots, strict=True):
            states[place] = table.states[0]
        take_steps(states, steps, self._listed)
        judge.times.environment += time.perf_counter() - began
        self._seeds = steps["seed"] ^ steps["key"]  # the key depends on public information
        self._add(np.arange(n), steps, self._listed)

    def _widen(self, width: int) -> None:
        """Make room for ``width`` actions per node."""
        more = width - self._actions.shape[2]
        if more > 0:
            room = (0, 0), (0, 0), (0, more + 16)
            self._actions, self._visits = np.pad(self._actions, room), np.pad(self._visits, room)
            self._sums = np.pad(self._sums, room)
            self._logs = np.pad(self._logs, room, constant_values=-np.inf)

    def _add(self, games: Ints, steps: npt.NDArray[Any], listed: Ints) -> None:
        """Add nodes for the results of steps, one step in each of the given games."""
        nodes, n_legal = self._n_nodes[games], steps["n_legal"]
        self._n_nodes[games] += 1
        self._deciders[games, nodes] = steps["decider"]
        over = n_legal == 0
        self._is_over[games, nodes] = over
        if over.any():
            which = steps["target"][over]
            points = self._states["players"]["score"][which, : self._n_players]
            self._leads[games[over], nodes[over]] = leads_of(points)
        if over.all():
            return
        games, nodes, steps, listed = games[~over], nodes[~over], steps[~over], listed[~over]
        width = int(steps["n_legal"].max())
        self._widen(width)
        logs, values = self._judge.ask(self._states, steps, listed)
        self._actions[games, nodes, :width] = listed[:, :width]
        self._logs[games, nodes, :width] = logs[:, :width]
        leads = np.repeat(-values[:, None] / (self._n_players - 1), self._n_players, 1)
        leads[np.arange(len(values)), steps["decider"]] = values
        self._leads[games, nodes] = leads

    def completed(self, games: Ints, nodes: Ints) -> Floats:
        """Return the expected lead of each node's decider after each action."""
        visits, sums = self._visits[games, nodes], self._sums[games, nodes]
        own = self._leads[games, nodes, self._deciders[games, nodes]]
        shares = np.exp(self._logs[games, nodes])
        n, tried = visits.sum(1), visits > 0
        means = sums / np.maximum(visits, 1)
        weights = np.where(tried, shares, 0.0)
        mean = (weights * means).sum(1) / np.maximum(weights.sum(1), 1e-300)
        mixed = (own + n * mean) / (1.0 + n)
        found: Floats = np.where(tried, means, mixed[:, None])
        return found

    def raised(self, games: Ints, nodes: Ints, values: Floats) -> Floats:
        """Return the improved policy's logits at the given nodes."""
        most = self._visits[games, nodes].max(1)
        scale = (1.0 + most / FULL_TRUST) / self._plan.temperature
        best = values.max(1, keepdims=True)
        found: Floats = self._logs[games, nodes] + scale[:, None] * (values - best)
        return found

    def grow(self, noise: Sequence[npt.NDArray[Any]] | None, deadline: float | None) -> None:
        """Run all simulations, or until the deadline; ``noise`` is added to the root logits."""
        n = len(self._seeds)
        games, first = np.arange(n), np.zeros(n, np.int64)
        n_legal = np.isfinite(self._logs[:, 0]).sum(1)
        self._noise = np.zeros((n, int(n_legal.max())))
        if noise is not None:
            for b, numbers in enumerate(noise):
                self._noise[b, : n_legal[b]] = numbers[: n_legal[b]]
        most = self._plan.considered
        orders = [visit_order(min(most, k), self._plan.sims) for k in n_legal.tolist()]
        for sim, wanted in enumerate(np.array(orders).T):
            if deadline is not None and sim >= FEWEST_SIMS and time.perf_counter() > deadline:
                return
            self._simulate(self._at_root(games, first, wanted))

    def _at_root(self, games: Ints, first: Ints, wanted: Ints) -> Ints:
        """Return each search's root action: the best one with ``wanted`` visits."""
        scores = self.raised(games, first, self.completed(games, first))
        scores[:, : self._noise.shape[1]] += self._noise
        scores[self._visits[:, 0] != wanted[:, None]] = -np.inf
        found: Ints = scores.argmax(1)
        return found

    def _inside(self, games: Ints, nodes: Ints) -> Ints:
        """Return the action below the root: the one whose visits fall most short of its share."""
        logits = self.raised(games, nodes, self.completed(games, nodes))
        shares = np.exp(logits - logits.max(1, keepdims=True))
        shares /= shares.sum(1, keepdims=True)
        visits = self._visits[games, nodes]
        found: Ints = (shares - visits / (1.0 + visits.sum(1, keepdims=True))).argmax(1)
        return found

    def _simulate(self, choices: Ints) -> None:
        """Descend every tree to a new node, and propagate its value back up."""
        games, nodes = np.arange(len(choices)), np.zeros(len(choices), np.int64)
        trail, ends, leaves = [], np.zeros(len(choices), np.int64), []
        depth = 0
        while len(games):
            if depth:
                choices = self._inside(games, nodes)
            steps, listed = self._step(games, nodes, choices, depth)
            trail.append((games, nodes, choices))
            found, keys = np.empty(len(games), np.int64), steps["key"].tolist()
            edges = zip(games.tolist(), nodes.tolist(), choices.tolist(), keys, strict=True)
            for k, (b, *edge) in enumerate(edges):
                place = tuple(edge)
                known = self._children[b].get(place, -1)
                if known < 0:
                    self._children[b][place] = int(self._n_nodes[b])
                found[k] = known
            is_new = found < 0
            ends[games] = np.where(is_new, self._n_nodes[games], found)
            if is_new.any():
                leaves.append((games[is_new], steps[is_new], listed[is_new]))
            goes_on = ~is_new & ~self._is_over[games, ends[games]]
            games, nodes = games[goes_on], ends[games][goes_on]
            depth += 1
        if leaves:
            parts = [np.concatenate(part) for part in zip(*leaves, strict=True)]
            order = np.argsort(parts[0], kind="stable")
            self._add(parts[0][order], parts[1][order], parts[2][order])
        for games, nodes, choices in trail:
            leads = self._leads[games, ends[games], self._deciders[games, nodes]]
            self._sums[games, nodes, choices] += leads
            self._visits[games, nodes, choices] += 1

    def _step(
        self, games: Ints, nodes: Ints, choices: Ints, depth: int
    ) -> tuple[npt.NDArray[Any], Ints]:
        """For each given game, apply an action at a node, in the record of the next node."""
        began = time.perf_counter()
        steps, listed = np.zeros(len(games), STEP), self._listed[: len(games)]
        steps["source"] = games * self._room + nodes
        steps["target"] = games * self._room + self._n_nodes[games]
        steps["action"] = self._actions[games, nodes, choices]
        visit = self._visits[games, nodes, choices].astype(np.uint64) * np.uint64(64)
        mixed = (self._seeds[games] ^ (visit + np.uint64(depth + 1)) * _PRIMES[0]) * _PRIMES[1]
        steps["seed"] = (mixed ^ (mixed >> np.uint64(31))) * _PRIMES[2]
        take_steps(self._states, steps, listed)
        self._judge.times.environment += time.perf_counter() - began
        return steps, listed

    def found(self) -> list[Found]:
        """Return the results of all searches."""
        n = len(self._seeds)
        games, first = np.arange(n), np.zeros(n, np.int64)
        values = self.completed(games, first)
        logits = self.raised(games, first, values)
        scores = logits.copy()
        scores[:, : self._noise.shape[1]] += self._noise
        scores[self._visits[:, 0] != self._visits[:, 0].max(1, keepdims=True)] = -np.inf
        bests = scores.argmax(1)
        result = []
        for b in range(n):
            k = int(np.isfinite(self._logs[b, 0]).sum())
            order = np.argsort(self._actions[b, 0, :k], kind="stable")
            raised = logits[b, order]
            logs = raised - raised.max()
            logs -= np.log(np.exp(logs).sum())
            result.append(
                Found(
                    self._actions[b, 0, order],
                    self._visits[b, 0, order],
                    values[b, order],
                    logs,
                    int(np.flatnonzero(order == bests[b])[0]),
                    float((np.exp(logs) * values[b, order]).sum()),
                )
            )
        return result


class NetworkSearch:
    """Searches many games at once with a network.

    Parameters
    ----------
    judge : Judge
        Queries the network.
    plan : Plan
        The size of the search.
    """

    def __init__(self, judge: Judge, plan: Plan) -> None:
        self.judge, self.plan = judge, plan
        self._states = new_states(0)

    def search(
        self,
        tables: Sequence[TableLike],
        seeds: Sequence[int],
        noise: Sequence[npt.NDArray[Any]] | None = None,
        *,
        deadline: float | None = None,
    ) -> list[Found]:
        """Return search results for decisions, each with at least two legal actions.

        Parameters
        ----------
        tables : sequence of TableLike
            The games; they are not changed.
        seeds : sequence of int
            Seeds for the random later tiles, 0 to 2**64 - 1.
        noise : sequence of ndarray, optional
            For each game, at least as many numbers as it has legal actions, to be added to the root
            logits. Default: no noise.
        deadline : float, optional
            When to stop at the latest, in ``time.perf_counter`` seconds.
        """
        room = self.plan.sims + 1
        at_once = max(1, MAX_RECORDS // room)
        if len(self._states) < min(len(tables), at_once) * room:
            self._states = new_states(min(len(tables), at_once) * room)
        result: list[Found] = []
        for k in range(0, len(tables), at_once):
            part = slice(k, k + at_once)
            forest = Forest(self.judge, self.plan, self._states, tables[part], seeds[part])
            forest.grow(None if noise is None else noise[part], deadline)
            result += forest.found()
        return result


class _Own(local):
    """Each calling thread's own memory for trees and observations.

    Parameters
    ----------
    network : Network
        Shared by all threads.
    rules : Rules
        The first rules to play.
    plan : Plan
        The size of searches.
    """

    def __init__(self, network: Network, rules: Rules, plan: Plan) -> None:
        self._network, self._plan = network, plan
        self._searches: dict[Rules, NetworkSearch] = {}
        self.search(rules)
        self.rate = 100.0
        """Recent simulations per second."""

    def search(self, rules: Rules) -> NetworkSearch:
        """Return the search for games under the given rules."""
        if rules not in self._searches:
            if len(self._searches) > MAX_SEARCHES:
                self._searches.clear()
            self._searches[rules] = NetworkSearch(Judge(self._network, rules), self._plan)
        return self._searches[rules]


class ZeroAgent:
    """An agent that searches with a network; several threads may call it at once.

    Hidden information has no influence: later tiles are drawn with the agent's own random numbers.

    Parameters
    ----------
    network : Network
        Shared, not copied. Its value must be the final lead in units of ``MARGIN_UNIT``.
    rules : Rules
        The rules to play. Tables may have others that the network knows.
    plan : Plan
        The size of the search; with ``seconds``, its ``sims`` is ignored.
    seconds : float, optional
        Time limit per decision, which replaces ``plan.sims``.
    seed : int
        Seed for the random later tiles, 0 to 2**64 - 1.

    Raises
    ------
    ValueError
        ``seconds`` is not positive, or the network does not know something in the rules.
    """

    def __init__(
        self,
        network: Network,
        rules: Rules,
        plan: Plan | None = None,
        *,
        seconds: float | None = None,
        seed: int = 0,
    ) -> None:
        if seconds is not None and not seconds > 0:
            raise ValueError(f"seconds must be more than 0, got {seconds!r}")
        self.rules, self.plan, self.seconds, self.seed = rules, plan or Plan(), seconds, seed
        self.network = network
        self._own = _Own(network, rules, self.plan)

    def __reduce__(self) -> tuple[Any, ...]:
        made = partial(type(self), seconds=self.seconds, seed=self.seed)
        return made, (self.network, self.rules, self.plan)

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        rules: Rules | None = None,
        plan: Plan | None = None,
        *,
        seconds: float | None = None,
        seed: int = 0,
    ) -> Self:
        """Load an agent from a checkpoint.

        Raises
        ------
        CheckpointError
            The file is damaged, its value is not the final lead, or its network does not know
            something in the rules.
        """
        if kind_of(read_checkpoint(path)[0]) not in (IMITATION, ZERO):
            raise CheckpointError(
                path,
                "its value is not the lead at the end, so it cannot be searched with: "
                "carc-env train imitation and carc-env train zero learn that",
            )
        network, rules = network_in(path, rules)
        return cls(network, rules, plan, seconds=seconds, seed=seed)

    def act(self, table: TableLike) -> int:
        """Return the action to take.

        Raises
        ------
        ValueError
            As for :meth:`look_at`.
        """
        return self.act_many([table])[0]

    def act_many(self, tables: Sequence[TableLike]) -> list[int]:
        """Return the actions to take at several tables, searching them in parallel."""
        return [int(found.actions[found.best]) for found in self.look_at(tables)]

    def analyse(self, table: TableLike) -> list[Line]:
        """Return the evaluations of all actions tried, beginning with the one to take."""
        (found,) = self.look_at([table])
        tried = np.flatnonzero(found.visits > 0).tolist() or [found.best]
        tried.sort(key=lambda k: (k != found.best, -found.visits[k], -found.values[k]))
        return [
            Line(int(found.actions[k]), float(found.values[k]), int(found.visits[k])) for k in tried
        ]

    def look_at(self, tables: Sequence[TableLike]) -> list[Found]:
        """Return the complete search results for the decisions at several tables.

        Raises
        ------
        ValueError
            A game is over, or the network does not know something in its rules.
        """
        legal = [self._legal(table) for table in tables]
        result = [only(actions[0]) for actions in legal]
        waiting: dict[Rules, list[int]] = {}
        for k, table in enumerate(tables):
            if len(legal[k]) > 1:
                waiting.setdefault(table.rules, []).append(k)
        for rules, which in waiting.items():
            looked_at = self._look([tables[k] for k in which], rules)
            for k, found in zip(which, looked_at, strict=True):
                result[k] = found
        return result

    def _look(self, tables: Sequence[TableLike], rules: Rules) -> list[Found]:
        """Return the search results for decisions under the given rules."""
        seeds = [self.seed] * len(tables)
        own = self._own.search(rules)
        if self.seconds is None:
            return own.search(tables, seeds)
        result = []
        for table in tables:
            began = time.perf_counter()
            sims = int(min(max(self._own.rate * self.seconds, FEWEST_SIMS), MOST_SIMS))
            plan = Plan(sims, self.plan.considered, self.plan.temperature)
            search = NetworkSearch(own.judge, plan)
            found = search.search([table], [self.seed], deadline=began + self.seconds)
            n_done = int(found[0].visits.sum())
            self._own.rate = 0.5 * (self._own.rate + n_done / (time.perf_counter() - began))
            result += found
        return result

    @staticmethod
    def _legal(table: TableLike) -> list[int]:
        actions = np.zeros(MAX_LEGAL, np.int64)
        n = entry.legal(table.states, 0, actions)
        if n == 0:
            raise ValueError("there is nothing to search because the game is over")
        return sorted(actions[:n].tolist())


def only(action: int) -> Found:
    """Return the search results for a decision with a single legal action."""
    one, none = np.ones(1, np.int64), np.zeros(1)
    return Found(action * one, 0 * one, none, none, 0, 0.0)


def leads_of(points: npt.NDArray[Any]) -> Floats:
    """Return every seat's lead over its best opponent (seats on the last axis)."""
    points = np.asarray(points, np.float64)
    others = np.repeat(points[..., None, :], points.shape[-1], -2)
    seats = np.arange(points.shape[-1])
    others[..., seats, seats] = -np.inf
    found: Floats = points - others.max(-1)
    return found


def kind_of(meta: dict[str, Any]) -> str:
    """Return the kind of training that produced a checkpoint, also for shipped networks."""
    return str(meta.get("kind") or meta.get("about", {}).get("kind") or "ppo")


def zero(
    checkpoint: Path | None = None,
    seconds: float | None = None,
    sims: int = SIMS,
    considered: int = CONSIDERED,
    temperature: float = TEMPERATURE,
    seed: int = 0,
    rules: Rules | None = None,
) -> ZeroAgent:
    """Return an agent that searches with a checkpoint's network; default: the shipped one."""
    plan = Plan(sims, considered, temperature)
    path = shipped() if checkpoint is None else checkpoint
    return ZeroAgent.load(path, rules, plan, seconds=seconds, seed=seed)
