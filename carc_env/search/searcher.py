"""The parts that all searches share: a budget, solved endings, and planned figures."""

from __future__ import annotations

from abc import ABC, abstractmethod
from hashlib import blake2b
from threading import Lock, local
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from carc_env.engine import entry
from carc_env.engine.core.codes import BEFORE_FIGURE, Phase
from carc_env.engine.core.state import new_states
from carc_env.engine.flow.legal import MAX_LEGAL
from carc_env.engine.flow.one_ply import ONE_PLY_SCRATCH
from carc_env.search.analysis import Line
from carc_env.search.budget import Budget
from carc_env.search.evaluation import Evaluation
from carc_env.search.moves import NO_ACTION, leaves_out
from carc_env.search.solving import Solution, Solver
from carc_env.search.table_like import TableLike

SOLVED_TILES = 2
"""Number of tiles left in the bag at which the rest of the game may be solved."""
SOLVE_SHARE = 0.7
"""Fraction of the budget that may be spent on solving the rest of the game."""
MAX_SOLVED = 10**9
"""Maximum number of nodes in a solution if only the time is limited."""

ONE_PLY, ANSWERED, SAMPLED, SOLVED, TREE = range(5)
"""How deeply an action was examined."""


class Finding(NamedTuple):
    """A search's finding about an action.

    Attributes
    ----------
    action : int
        The action.
    value : float
        The expected number of points by which the decider is ahead. Values at different depths are
        not comparable.
    figure : int
        The figure action after a tile placement, or -1.
    depth : int
        The depth of the search: 0 is one ply ahead, 1 after the best replies, 2 to the end of the
        player's next turn, 3 to the end of the game, and 4 as far as a tree has grown. At depth 3,
        the first finding is exact, and between two players the other values are upper bounds.
    visits : int
        The number of continuations that the value averages; 1 if it is exact.
    """

    action: int
    value: float
    figure: int
    depth: int
    visits: int


MAX_PLANS = 2**16
"""Maximum number of figures that a searcher remembers: more than the number of games in which it
can have just placed a tile."""


class Plans:
    """The figures that a searcher plans to place after its own tile placements.

    A plan belongs to the position that the tile leads to, with hidden tiles in the searcher's own
    order. Another game that the searcher plays meanwhile therefore cannot replace it.
    """

    def __init__(self) -> None:
        self._figures: dict[bytes, int] = {}
        self._lock = Lock()

    def note(self, position: npt.NDArray[Any], figure: int) -> None:
        """Remember a figure action; if there are too many plans, drop the oldest."""
        with self._lock:
            self._figures[_digest(position)] = figure
            if len(self._figures) > MAX_PLANS:
                del self._figures[next(iter(self._figures))]

    def figure(self, position: npt.NDArray[Any]) -> int:
        """Return the figure action planned for a position, or ``NO_ACTION``."""
        return self._figures.get(_digest(position), NO_ACTION)


def _digest(position: npt.NDArray[Any]) -> bytes:
    return blake2b(position.tobytes(), digest_size=16).digest()


class Own(local):
    """A searcher's scratch for each thread that calls it, and what its last decision used.

    Parameters
    ----------
    budget : Budget
        The budget for a decision.
    """

    def __init__(self, budget: Budget) -> None:
        self.budget, self.spent = budget, 0
        self.evaluation: Evaluation
        self.root = new_states(1)
        self.actions = np.zeros(MAX_LEGAL, np.int64)
        self.solver = Solver(SOLVED_TILES)


class Searcher(ABC):
    """An agent that searches within a budget. Several threads can call it at the same time.

    Hidden information never matters, because hidden tiles are put in an order that depends only on
    the seed. If few tiles are left, the rest of the game is solved instead. If solving exceeds its
    part of the budget, a search decides, but the best solved action is taken if the search would
    choose one of those solved. For a figure after its own tile, the agent takes the planned action.
    Apart from these plans it remembers nothing, so its choices do not depend on other games that it
    plays.

    Parameters
    ----------
    evaluation : Evaluation
        The evaluation of positions.
    budget : Budget
        The limits for a decision.
    seed : int
        Seed for the random later tiles, from 0 to 2**32 - 1.

    Raises
    ------
    ValueError
        If the seed is out of range.
    """

    nodes_per_unit: ClassVar[int] = 1
    """Number of positions that can be valued for one unit of the budget."""

    def __init__(self, evaluation: Evaluation, budget: Budget, seed: int) -> None:
        self.evaluation, self.seed = evaluation, seed
        if not 0 <= seed < 2**32:
            raise ValueError(f"seed must be from 0 to 2**32 - 1, got {seed}")
        self._limits = budget
        self._own, self._plans = Own(budget), Plans()

    @property
    def n_nodes(self) -> int:
        """The number of budget units that the last decision in this thread used."""
        return self._own.spent + self._own.budget.n_nodes

    def act(self, table: TableLike) -> int:
        """Return the action to take.

        Raises
        ------
        ValueError
            If the game is over.
        """
        root, own = self._hold(table), self._own
        if entry.legal(root, 0, own.actions) == 1:
            return int(own.actions[0])
        if root[0].phase == Phase.FIGURE:
            planned = self._plans.figure(root)
            if planned != NO_ACTION:
                return planned
        best = self.look(table)[0]
        if best.figure != NO_ACTION:
            entry.apply(root, 0, best.action)
            entry.reshuffle(root, 0, np.uint64(self.seed))
            if root[0].phase not in BEFORE_FIGURE and not leaves_out(root, 0):
                self._plans.note(root, best.figure)
        return best.action

    def analyse(self, table: TableLike) -> list[Line]:
        """Return the findings about the legal actions, best first; see :meth:`look`.

        Raises
        ------
        ValueError
            If the game is over.
        """
        return [Line(found.action, found.value, found.visits) for found in self.look(table)]

    def look(self, table: TableLike) -> list[Finding]:
        """Return the findings about the legal actions, best first.

        Raises
        ------
        ValueError
            If the game is over.
        """
        if table.states[0].phase == Phase.GAME_OVER:
            raise ValueError("there is nothing to search because the game is over")
        own, root = self._own, self._hold(table)
        own.evaluation = self.evaluation.under(table.rules)
        own.budget, own.spent = self._limits.anew(), 0
        solved = self._solve(table, root) if root[0].n_bag <= SOLVED_TILES else None
        if solved is None or not solved.is_complete:
            own.spent, own.budget = own.budget.n_nodes, own.budget.rest()
        if solved is None:
            return self._search(root, own.budget)
        seat = root[0].decider
        order = np.argsort(-solved.leads[:, seat], kind="stable").tolist()
        exact = [
            Finding(int(solved.actions[k]), float(solved.leads[k, seat]), NO_ACTION, SOLVED, 1)
            for k in order
        ]
        if solved.is_complete:
            return exact
        found = self._search(root, own.budget)
        known = {finding.action for finding in exact}
        if found[0].action not in known:
            return found
        return exact + [finding for finding in found if finding.action not in known]

    @abstractmethod
    def _search(self, root: npt.NDArray[Any], budget: Budget) -> list[Finding]:
        """Search a game whose hidden tiles are in the searcher's own order."""

    def _hold(self, table: TableLike) -> npt.NDArray[Any]:
        """Copy a game and put its hidden tiles in the searcher's own order."""
        root = self._own.root
        root[0] = table.states[0]
        entry.reshuffle(root, 0, np.uint64(self.seed))
        return root

    def _solve(self, table: TableLike, root: npt.NDArray[Any]) -> Solution | None:
        """Solve the rest of the game within the part of the budget allowed for it."""
        own, scratch, values = self._own, new_states(ONE_PLY_SCRATCH), np.zeros(MAX_LEGAL)
        scratch[0] = root[0]
        n = entry.one_ply_values(scratch, 0, own.actions, values, own.evaluation.evaluator)
        if n == 1:
            return None
        seconds, units = own.budget.seconds, own.budget.nodes
        max_nodes = MAX_SOLVED
        if units is not None:
            max_nodes = int(SOLVE_SHARE * units * self.nodes_per_unit)
        if seconds is not None:
            seconds *= SOLVE_SHARE
        found = own.solver.solve(
            table,
            max_nodes=max_nodes,
            seconds=seconds,
            all_exact=False,
            first=own.actions[np.argsort(-values[:n], kind="stable")].tolist(),
        )
        own.budget.n_nodes += own.solver.n_nodes // self.nodes_per_unit
        return found
