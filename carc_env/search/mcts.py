"""Monte Carlo tree search with an evaluation, for any number of players and all systems."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from threading import local
from typing import Any

import numpy as np
import numpy.typing as npt

from carc_env.engine import entry
from carc_env.engine.flow.evaluation import Evaluator
from carc_env.search.budget import Budget
from carc_env.search.evaluation import Evaluation
from carc_env.search.searcher import TREE, Finding, Searcher
from carc_env.search.tree import ROOT, Search, grow, new_search, plant, rank
from carc_env.threads import Threads

SECONDS = 0.1
"""Default time for a decision, in seconds."""
SLICE = 2
"""Number of simulations between two checks of the clock: 0.1 to 10 ms."""
NODES_PER_SECOND = 40_000
"""More nodes than a search can create per second."""
MAX_NODES = 400_000

WIDTH, ROOT_WIDTH = 8, 16
"""Maximum number of moves examined at a decision, and at the root."""
EXPLORATION = 1.0
TEMPERATURE = 1.0
TRUST = 1.0
LUCK_TRUST = 2.0
"""See the fields with these names in :data:`carc_env.search.tree.HEAD`."""


@dataclass
class _Sums:
    """The sums that several trees hold for a move."""

    value: float = 0.0
    visits: int = 0


def _new_tree(c: float, n_nodes: int, width: int, root_width: int, evaluator: Evaluator) -> Search:
    """Allocate a tree, with all the parameters that control its growth."""
    search = new_search(n_nodes, width, root_width, evaluator)
    head = search.heads[0]
    head.exploration, head.temperature = c, TEMPERATURE
    head.trust, head.luck_trust = TRUST, LUCK_TRUST
    return search


class _Trees(local):
    """Trees and the threads that grow them, for each thread that calls an agent.

    Parameters
    ----------
    make : callable
        Allocates a tree.
    n : int
        The number of trees.
    """

    def __init__(self, make: Callable[[], Search], n: int) -> None:
        self.searches = [make() for _ in range(n)]
        self.threads = Threads(n)


class Mcts(Searcher):
    """An agent that searches with chance nodes, repeatedly halving the number of moves at the root.

    The moves with the best one-ply values share the simulations. After each part of the search, the
    worse half of these moves is dropped until two are left. Below the root, moves are chosen by
    value, prior and visit count. Trees are not kept between decisions.

    Parameters
    ----------
    evaluation : Evaluation
        The evaluation of positions.
    sims : int, optional
        Number of simulations per decision over all threads; each examines a new position.
    seconds : float, optional
        Time per decision, in seconds; 0.1 if ``sims`` is not given. If both are given, the limit
        that is reached first ends the search.
    c : float
        Exploration constant in points: by how much an untried move can seem better than its value.
    seed : int
        Seed for the draws in simulations. Without ``seconds``, the same ``sims``, ``seed`` and
        ``threads`` lead to the same choice.
    threads : int
        Number of trees that grow in parallel, each with its own draws; their values are averaged.
    width, root_width : int
        Maximum number of moves examined at a decision, and at the root.

    Raises
    ------
    ValueError
        If a number is out of range.
    """

    nodes_per_unit = 50

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
        self._made_of = {
            name: value for name, value in locals().items() if name not in ("self", "__class__")
        }
        counts = {"sims": sims, "threads": threads, "width": width, "root_width": root_width}
        for name, count in counts.items():
            if count is not None and count < 1:
                raise ValueError(f"{name} must be at least 1, got {count}")
        if sims is None and seconds is None:
            seconds = SECONDS
        for name, number in (("c", c), ("seed", seed)):
            if not number >= 0:
                raise ValueError(f"{name} must not be negative, got {number}")
        super().__init__(evaluation, Budget(seconds, sims), seed)
        self._seeds = np.random.SeedSequence(seed).generate_state(threads, np.uint64)
        n_nodes = 2 + most_simulations(seconds, sims) // threads
        room = n_nodes, width, root_width, evaluation.evaluator
        self._trees = _Trees(partial(_new_tree, c, *room), threads)

    def __getstate__(self) -> dict[str, Any]:
        return self._made_of

    def __setstate__(self, made_of: dict[str, Any]) -> None:
        Mcts.__init__(self, **made_of)  # addresses differ in another process

    def _search(self, root: npt.NDArray[Any], budget: Budget) -> list[Finding]:
        """Return the trees' findings; their visits add up to the number of simulations."""
        evaluator = self._own.evaluation.evaluator
        searches = [tree._replace(evaluator=evaluator) for tree in self._trees.searches]
        n, sims = len(searches), budget.nodes
        left = None if sims is None else max(1, sims - budget.n_nodes)
        shares = [None if left is None else (left + k) // n for k in range(n)]
        grown = [k for k in range(n) if shares[k] != 0]

        def grow_one(k: int) -> int:
            searches[k].states[ROOT] = root[0]
            return self._grow(searches[k], self._seeds[k], shares[k], budget)

        if n == 1:
            made = [grow_one(0)]
        else:
            made = self._trees.threads.each(grow_one, grown, stop=budget.end)
        budget.n_nodes += sum(made)
        return findings_of([searches[k] for k in grown])

    def _grow(self, search: Search, seed: np.uint64, sims: int | None, budget: Budget) -> int:
        """Grow one tree until all simulations are done, time is up or the tree is full.

        Returns the number of simulations that were run.
        """
        entry.reshuffle(search.states, ROOT, seed)
        plant(search, seed)
        n_moves = int(search.nodes[0].n_edges)
        n_parts = max(1, (n_moves - 1).bit_length())
        n_left, done, used = n_moves, 0, budget.used
        while used < 1.0 or done == 0:
            n_kept = max(2, -(-n_moves >> int(used * n_parts)))
            if n_kept < n_left:
                rank(search, n_left)
                n_left = n_kept
            n_asked = SLICE if sims is None else min(SLICE, sims - done)
            n_made = grow(search, n_asked, n_left)
            if n_made < n_asked:
                break
            done += n_made
            used = budget.used if sims is None else max(budget.used, done / sims)
        rank(search, n_left)
        return done


def most_simulations(seconds: float | None, sims: int | None) -> int:
    """Return how many simulations to allocate memory for."""
    by_time = MAX_NODES
    if seconds is not None and seconds * NODES_PER_SECOND < MAX_NODES:
        by_time = SLICE + int(seconds * NODES_PER_SECOND)
    return by_time if sims is None else min(by_time, sims)


def findings_of(searches: Sequence[Search]) -> list[Finding]:
    """Return several trees' findings about the actions at their root, the best action first.

    The best actions are those whose best move has at least half as many visits as the most visited
    move.
    """
    sums: dict[tuple[int, int], _Sums] = {}
    for search in searches:
        root = search.nodes[0]
        for edge in search.edges[: root.n_edges]:
            if edge.n_visits > 0:
                found = sums.setdefault((int(edge.action), int(edge.follow)), _Sums())
                found.value += float(edge.n_visits * edge.value[root.decider])
                found.visits += int(edge.n_visits)
    enough = max(found.visits for found in sums.values()) / 2
    moves = sorted(
        (
            (found.visits >= enough, found.value / found.visits, move)
            for move, found in sums.items()
        ),
        key=lambda move: move[:2],
        reverse=True,
    )
    visits: Counter[int] = Counter()
    for (action, _), found in sums.items():
        visits[action] += found.visits
    best: dict[int, Finding] = {}
    for _, value, (action, figure) in moves:
        best.setdefault(action, Finding(action, value, figure, TREE, visits[action]))
    return list(best.values())
