"""Monte Carlo tree search by an evaluation, for any number of players and all systems."""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from carc_env.engine import entry
from carc_env.engine.flow.legal import MAX_LEGAL
from carc_env.search.analysis import Line
from carc_env.search.evaluation import Evaluation
from carc_env.search.table_like import TableLike
from carc_env.search.tree import ROOT, Search, grow, new_search, plant, rank

SECONDS = 0.1
"""Time for a decision where nothing else is said."""
SLICE = 8
"""Simulations between two looks at the clock: 1 to 5 ms."""
NODES_PER_SECOND = 40_000
"""More than a search makes."""
MAX_NODES = 400_000

WIDTH, ROOT_WIDTH = 8, 16
"""Most moves that are looked at in a decision, and at the root."""
EXPLORATION = 1.0
TEMPERATURE = 1.0
TRUST = 1.0
LUCK_TRUST = 2.0
"""See the fields of these names in :data:`carc_env.search.tree.HEAD`."""


@dataclass
class _Sums:
    """What several trees found out about a move."""

    value: float = 0.0
    visits: int = 0


class Mcts:
    """An agent that searches with chance nodes; the moves at the root are halved again and again.

    The best moves by one-ply value share the simulations. After each part of the search the worse
    half of them is out, until two are left. Below the root moves are chosen by value, prior and
    visits. It knows what the decider can see and no more, keeps nothing from one decision to the
    next, and never changes a table.

    Parameters
    ----------
    evaluation : Evaluation
        What positions are worth.
    sims : int, optional
        Simulations for a decision, each of which looks at a new position; all threads together.
    seconds : float, optional
        Time for a decision, 0.1 without ``sims``. With both what is reached first ends the search.
    c : float
        Points that a move never tried may seem to be worth more than it is: the more, the broader.
    seed : int
        Of what is drawn in simulations. The same ``sims``, ``seed`` and ``threads`` lead to the
        same choice where no ``seconds`` are given.
    threads : int
        Trees that grow side by side, each with draws of its own; their values are averaged.
    width, root_width : int
        Most moves that are looked at in a decision, and at the root.

    Raises
    ------
    ValueError
        A number is out of its range.
    """

    def __init__(
        self,
        evaluation: Evaluation,
        *,
        sims: int | None = None,
        seconds: float | None = None,
        c: float = EXPLORATION,
        seed: int = 0,
        threads: int = 1,
        width: int = WIDTH,
        root_width: int = ROOT_WIDTH,
    ) -> None:
        self._made_of = {name: value for name, value in locals().items() if name != "self"}
        counts = {"sims": sims, "threads": threads, "width": width, "root_width": root_width}
        for name, count in counts.items():
            if count is not None and count < 1:
                raise ValueError(f"{name} must be at least 1, got {count}")
        if sims is None and seconds is None:
            seconds = SECONDS
        if seconds is not None and not seconds > 0:
            raise ValueError(f"seconds must be positive, got {seconds}")
        for name, number in (("c", c), ("seed", seed)):
            if not number >= 0:
                raise ValueError(f"{name} must not be negative, got {number}")
        self._sims, self._seconds = sims, seconds
        self._seeds = np.random.SeedSequence(seed).generate_state(threads, np.uint64)
        self._actions = np.zeros(MAX_LEGAL, np.int64)
        n_nodes = 2 + self._most_simulations() // threads
        self._searches = [
            new_search(n_nodes, width, root_width, evaluation.evaluator) for _ in range(threads)
        ]
        for search in self._searches:
            head = search.heads[0]
            head.exploration, head.temperature = c, TEMPERATURE
            head.trust, head.luck_trust = TRUST, LUCK_TRUST

    def _most_simulations(self) -> int:
        """How many simulations there is room for."""
        by_time = MAX_NODES
        if self._seconds is not None and self._seconds * NODES_PER_SECOND < MAX_NODES:
            by_time = SLICE + int(self._seconds * NODES_PER_SECOND)
        return by_time if self._sims is None else min(by_time, self._sims)

    def __getstate__(self) -> dict[str, Any]:
        return self._made_of

    def __setstate__(self, made_of: dict[str, Any]) -> None:
        Mcts.__init__(self, **made_of)  # addresses are others in another process

    def act(self, table: TableLike) -> int:
        """The action that seems best for the decider.

        Raises
        ------
        ValueError
            The game is over.
        """
        if entry.legal(table.states, 0, self._actions) == 1:
            return int(self._actions[0])
        return self.analyse(table)[0].action

    def analyse(self, table: TableLike) -> list[Line]:
        """What the search thinks of the actions that it has looked at, the best first.

        Their visits sum up to the simulations that were made.

        Raises
        ------
        ValueError
            The game is over.
        """
        start = time.perf_counter()
        if entry.legal(table.states, 0, self._actions) == 0:
            raise ValueError("there is nothing to think about: the game is over")
        n = len(self._searches)
        shares = [None if self._sims is None else (self._sims + k) // n for k in range(n)]

        def search(k: int) -> None:
            self._searches[k].states[ROOT] = table.states[0]
            self._search(self._searches[k], self._seeds[k], shares[k], start)

        if n == 1:
            search(0)
        else:
            with ThreadPoolExecutor(n) as threads:
                list(threads.map(search, range(n)))
        return lines_of(self._searches)

    def _search(self, search: Search, seed: np.uint64, sims: int | None, start: float) -> None:
        """Let one tree grow until the simulations are made, the time is up or its room is full."""
        entry.reshuffle(search.states, ROOT, seed)
        plant(search, seed)
        n_moves = int(search.nodes[0].n_edges)
        n_parts = max(1, (n_moves - 1).bit_length())
        n_left, done, used = n_moves, 0, 0.0
        while used < 1.0:
            n_kept = max(2, -(-n_moves >> int(used * n_parts)))
            if n_kept < n_left:
                rank(search, n_left)
                n_left = n_kept
            n_asked = SLICE if sims is None else min(SLICE, sims - done)
            n_made = grow(search, n_asked, n_left)
            if n_made < n_asked:
                break
            done += n_made
            used = 0.0 if sims is None else done / sims
            if self._seconds is not None:
                used = max(used, (time.perf_counter() - start) / self._seconds)
        rank(search, n_left)


def lines_of(searches: Sequence[Search]) -> list[Line]:
    """What several trees found out about the actions at their root, the best first.

    The best are those whose best move has at least half of the visits of any.
    """
    found: dict[tuple[int, int], _Sums] = {}
    for search in searches:
        root = search.nodes[0]
        for edge in search.edges[: root.n_edges]:
            if edge.n_visits > 0:
                sums = found.setdefault((int(edge.action), int(edge.follow)), _Sums())
                sums.value += float(edge.n_visits * edge.value[root.decider])
                sums.visits += int(edge.n_visits)
    enough = max(sums.visits for sums in found.values()) / 2
    moves = [
        (sums.visits >= enough, sums.value / sums.visits, action)
        for (action, _), sums in found.items()
    ]
    moves.sort(key=lambda move: move[:2], reverse=True)
    values: dict[int, float] = {}
    for _, value, action in moves:
        values.setdefault(action, value)  # of its best move
    visits = dict.fromkeys(values, 0)
    for (action, _), sums in found.items():
        visits[action] += sums.visits
    return [Line(action, value, visits[action]) for action, value in values.items()]
