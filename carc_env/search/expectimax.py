"""Expectimax: moves are averaged over the next tiles, and the best ones are searched more deeply.

A decision takes three steps. First, all moves are ranked by their value one ply ahead. Second,
between two players, the best moves (more of them with a larger budget) are averaged over the
designs that can be drawn next, each with the best reply to it. Third, games continue from the moves
that are close to the best one until the end of the player's next turn, with the same random tiles
for all of these moves. Their mean gains correct their values, and moves that fall behind are
dropped. With more than two players, the second step is skipped, because the learned value of a
state is accurate for the player who has just moved. In the third step, the last player to move is
the same as in the first.

If time is short, as with many sets, replies are narrow: figures are tried only after the placements
that are worth most without one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from threading import local
from typing import Any

import numpy as np
import numpy.typing as npt

from carc_env.engine.core.codes import Phase
from carc_env.engine.core.state import new_states
from carc_env.engine.core.tiles import N_DESIGNS
from carc_env.engine.flow.legal import MAX_LEGAL
from carc_env.search.budget import Budget
from carc_env.search.chance import (
    REPLY,
    ROOT,
    SEARCH_RECORDS,
    answer,
    list_draws,
    rank_moves,
    sample,
)
from carc_env.search.evaluation import Evaluation
from carc_env.search.moves import ACTION, FIGURE, MAX_MOVES, NO_ACTION
from carc_env.search.searcher import ANSWERED, ONE_PLY, SAMPLED, Finding, Searcher
from carc_env.threads import Threads

MARGIN = 8.0
"""Points by which a move can trail the best one and still be searched two plies ahead."""
MAX_CANDIDATES = 32
"""Maximum number of moves that are searched two plies ahead."""
ANSWER_SHARE = 0.4
"""Fraction of the budget after which no more moves are searched two plies ahead."""
WAVE = 4
"""Number of candidates that are compared with the best of the earlier ones, but not with each
other."""
SLICE, LEAST_DRAWS = 6, 3
"""Number of draws after which a candidate can be given up; LEAST_DRAWS if time is short."""
WIDTH = 8
"""Placements in a reply after which figures are tried, if trying all would take too long."""
HOPELESS = 1.5
"""Points by which a candidate must trail, beyond ``DEVIATIONS`` standard errors, to be given up."""
DEVIATIONS = 2.5
CLOSE = 3.0
"""Points by which a move can trail the best one and still be searched more deeply."""
MAX_CLOSE = 6
"""Maximum number of moves that are searched more deeply with two players."""
MAX_OF_MANY = 16
"""Maximum number of candidates that are searched more deeply with more than two players."""
TRUST = 4
"""Number of samples that count as much as prior knowledge. With more than two players, whose
candidates were not averaged over replies, the number can be larger (:func:`samples_known`)."""
SPREAD = 0.4
"""The variance of the candidates' true gains relative to each other, in squared points. If the
variance of the samples is ten times as large, ten samples count as much as prior knowledge."""
USUAL, USUAL_WEIGHT = 2.0, 4
"""The expected variance before there are samples, and the number of samples that it counts for."""
# Auctions take longer than anything else that a search examines.
AUCTION = (Phase.BAZAAR_PICK, Phase.BAZAAR_BID, Phase.BAZAAR_DEAL)
HALVINGS = 3
"""Number of equal parts of the budget after each of which the worse half is dropped; two remain."""
BATCH_NODES = 2000
"""Number of nodes between two checks of the remaining budget."""
MAX_BATCH = 16
LEAST_SAMPLES = 4
"""Number of samples for which there must be time; otherwise, fewer moves are examined."""
MAX_SAMPLES = 8192

Values = npt.NDArray[np.float64]
Job = Callable[[npt.NDArray[Any], int], int]


def samples_known(gains: Values) -> float:
    """Return how many samples count as much as prior knowledge: more if the samples vary more.

    Any gain that all candidates share for the same tiles makes no difference between them and is
    left out. ``gains`` has one row per candidate and one column per sample.
    """
    beside = gains - gains.mean(axis=0)
    scatter = np.square(beside - beside.mean(axis=1, keepdims=True)).sum()
    n_free = (gains.shape[0] - 1) * (gains.shape[1] - 1)
    variance = (scatter + USUAL_WEIGHT * USUAL) / (n_free + USUAL_WEIGHT)
    return max(TRUST, float(variance) / SPREAD)


class _Memory(local):
    """The worker threads and their records, for each thread that calls an agent."""

    def __init__(self, threads: int) -> None:
        self.states = [new_states(SEARCH_RECORDS) for _ in range(threads)]
        self.threads = Threads(threads)


class Expectimax(Searcher):
    """An agent that searches as described in the module, on top of :class:`.searcher.Searcher`.

    With only a node limit, the same seed leads to the same choice, whatever the number of threads.

    Parameters
    ----------
    evaluation : Evaluation
        The evaluation of positions.
    seconds : float, optional
        Time per decision, in seconds.
    nodes : int, optional
        Positions to evaluate per decision. At least one of the two limits is required, and the
        limit that is reached first ends the decision.
    seed : int
        Seed for the random later tiles, from 0 to 2**32 - 1.
    threads : int
        Number of threads that share the work.

    Raises
    ------
    ValueError
        If there is no limit, a limit is not above 0, or another number is out of range.
    """

    def __init__(
        self,
        evaluation: Evaluation,
        *,
        seconds: float | None = None,
        nodes: int | None = None,
        seed: int = 0,
        threads: int = 1,
    ) -> None:
        super().__init__(evaluation, Budget(seconds, nodes), seed)
        if threads < 1:
            raise ValueError(f"threads must be at least 1, got {threads}")
        self._memory = _Memory(threads)

    def __reduce__(self) -> tuple[Any, ...]:
        limits: dict[str, Any] = {"seconds": self._limits.seconds, "nodes": self._limits.nodes}
        made = partial(type(self), **limits, seed=self.seed, threads=len(self._memory.states))
        return made, (self.evaluation,)

    def _search(self, root: npt.NDArray[Any], budget: Budget) -> list[Finding]:
        memory = self._memory
        for states in memory.states:
            states[ROOT] = root[0]
        search = _Search(self._own.evaluation, memory.states, memory.threads, budget, self.seed)
        search.rank()
        if len(search.moves) > 1:
            search.look_ahead()
        return search.lines()


class _Search:
    """One decision; row c of each array is about candidate c, with the best one-ply value first."""

    shares: Values
    """The probability of each draw among those that are searched."""
    allowance: int
    """Number of nodes that each candidate may use now."""
    slice: int
    """Number of draws that are answered before a candidate is compared."""

    def __init__(
        self,
        evaluation: Evaluation,
        memory: list[npt.NDArray[Any]],
        threads: Threads,
        budget: Budget,
        seed: int,
    ) -> None:
        self.memory, self.threads, self.budget = memory, threads, budget
        self.evaluator = evaluation.evaluator
        self.seed = seed << 32

    def rank(self) -> None:
        """Value all moves one ply ahead; the best ones become candidates."""
        moves = np.zeros((MAX_MOVES, 2), np.int64)
        values = np.zeros(MAX_MOVES)
        n = rank_moves(self.memory[0], moves, values, self.evaluator)
        self.budget.n_nodes += n
        order = np.argsort(-values[:n], kind="stable")
        self.moves, self.values = moves[order], values[order]
        n_near = int(np.count_nonzero(self.values > self.values[0] - MARGIN))
        self.n = min(n_near, MAX_CANDIDATES)
        self.depths = np.full(len(order), ONE_PLY)
        self.visits = np.ones(len(order), np.int64)

    def each(self, job: Job, candidates: Sequence[int] | npt.NDArray[np.int64]) -> None:
        """Do a job for each given candidate, divided among the threads; count its nodes."""
        n = len(self.memory)
        self.allowance = self.budget.nodes_left // len(candidates)

        def work(k: int) -> int:
            return sum(job(self.memory[k], int(c)) for c in candidates[k::n])

        shares = range(min(n, len(candidates)))
        done = self.threads.each(work, shares) if n > 1 else map(work, shares)
        self.budget.n_nodes += sum(done)

    def look_ahead(self) -> None:
        """Search the candidates more deeply."""
        root = self.memory[0][ROOT]
        self.list_draws()
        wave = self.budget.used * SLICE * WAVE  # a reply takes about as long as the ranking did
        self.width = MAX_LEGAL if wave < ANSWER_SHARE else WIDTH
        if root.rules.n_players == 2:
            self.answer()
            self.play_on(self.closest())
        elif root.phase not in AUCTION:  # the rest of an auction takes long
            self.answers[:] = self.values[: self.n, np.newaxis]
            self.play_on(np.arange(min(self.n, MAX_OF_MANY)))

    # Two plies: draws and the best replies.

    def answer(self) -> None:
        """Average the candidates over the next draw, each with its best reply."""
        n_decisions = 2 if self.memory[0][ROOT].phase in AUCTION else 1
        if self.budget.used * (1 + n_decisions) > ANSWER_SHARE:
            return
        self.best, before = 0, self.budget.used
        self.each(self.answer_one, [0])
        draw_cost = self.budget.used - before
        in_time = (ANSWER_SHARE - before) / (WAVE * draw_cost) if draw_cost > 0 else SLICE
        if in_time < 1:
            return
        self.slice = min(max(int(in_time), LEAST_DRAWS), SLICE)
        self.each(self.end_slice, [0])
        cost = self.budget.used - before
        n_slices = max(1, int((ANSWER_SHARE - before) / (cost * WAVE))) if cost > 0 else 1
        self.n_draws = min(n_slices * self.slice, len(self.designs))
        self.shares = self.shares[: self.n_draws] / self.shares[: self.n_draws].sum()
        self.each(self.go_on_answering, [0])
        if self.depths[0] != ANSWERED:
            return
        cost = self.budget.used - before
        first = 1
        while first < self.n and self.budget.used < min(ANSWER_SHARE, 1.0 - cost):
            n_in_time = max(1, int((1.0 - self.budget.used) / cost)) if cost > 0 else WAVE
            wave = range(first, min(first + min(WAVE, n_in_time), self.n))
            self.each(self.answer_all, wave)
            first = wave.stop
            answered = np.flatnonzero(self.depths == ANSWERED)
            self.best = int(answered[np.argmax(self.values[answered])])

    def list_draws(self) -> None:
        """List the possible draws, and allocate the arrays for the replies to them."""
        designs, counts, self.numbers = (np.zeros(N_DESIGNS, np.int64) for _ in range(3))
        n = list_draws(self.memory[0], designs, counts, self.numbers)
        self.designs = designs[:n]
        self.shares = counts[:n] / counts[:n].sum()
        self.replies = np.full((self.n, n, REPLY), NO_ACTION, np.int64)
        self.answers = np.full((self.n, n), np.nan)

    def answer_slice(
        self, states: npt.NDArray[Any], c: int, first: int, n: int, done: int = 0
    ) -> int:
        """Search the replies to some draws within the budget; return the number of nodes."""
        draws = slice(first, min(first + n, len(self.designs)))
        return int(
            answer(
                states,
                np.uint64(self.seed + first),
                self.moves[c],
                self.designs[draws],
                self.replies[c, draws],
                self.answers[c, draws],
                self.allowance - done,
                self.width,
                self.evaluator,
            )
        )

    def answer_one(self, states: npt.NDArray[Any], c: int) -> int:
        """Search the reply to the first draw, to measure its cost."""
        return self.answer_slice(states, c, 0, 1)

    def end_slice(self, states: npt.NDArray[Any], c: int) -> int:
        """Search the replies to the remaining draws of the first slice."""
        return self.answer_slice(states, c, 1, self.slice - 1)

    def go_on_answering(self, states: npt.NDArray[Any], c: int, nodes: int = 0) -> int:
        """Search the replies to the remaining draws, unless the candidate becomes hopeless.

        A candidate whose continuations take too long keeps its earlier value.
        """
        for first in range(self.slice, self.n_draws, self.slice):
            if self.is_hopeless(c, first):
                return nodes
            nodes += self.answer_slice(states, c, first, self.slice, nodes)
        if not np.isnan(self.answers[c, : self.n_draws]).any():
            self.values[c] = self.shares @ self.answers[c, : self.n_draws]
            self.depths[c], self.visits[c] = ANSWERED, self.n_draws
        return nodes

    def answer_all(self, states: npt.NDArray[Any], c: int) -> int:
        """Search the replies to all draws."""
        return self.go_on_answering(states, c, self.answer_slice(states, c, 0, self.slice))

    def is_hopeless(self, c: int, n: int) -> bool:
        """Return whether a candidate is far behind the best one after the first n draws."""
        if c == self.best:
            return False
        seen = self.shares[:n].sum()
        shares = self.shares[:n] / seen
        behind = self.answers[self.best, :n] - self.answers[c, :n]
        mean = shares @ behind
        variance = shares @ (behind - mean) ** 2 * (shares @ shares) * (1.0 - seen)
        return bool(mean - DEVIATIONS * np.sqrt(max(variance, 0.0)) > HOPELESS)

    def closest(self) -> npt.NDArray[np.int64]:
        """Return the candidates whose value after the replies is close to the best."""
        answered = np.flatnonzero(self.depths == ANSWERED)
        answered = answered[np.argsort(-self.values[answered], kind="stable")]
        close = self.values[answered] > self.values[answered[:1]] - CLOSE
        return answered[close][:MAX_CLOSE]

    # More plies: the same random tiles for all candidates.

    def play_on(self, alive: npt.NDArray[np.int64]) -> None:
        """Add to some candidates' values their gains to the end of the player's next turn."""
        root = self.memory[0][ROOT]
        if root.n_bag == 0 or len(alive) < 2:
            return
        self.end = int(root.turn) + 1 + int(root.rules.n_players)
        self.gains = np.zeros((self.n, MAX_SAMPLES))
        worth, began = self.values.copy(), self.budget.used
        self.samples = slice(0, 1)
        self.each(self.play_samples, alive[:1])
        cost = LEAST_SAMPLES * (self.budget.used - began)
        if cost > 0:
            alive = alive[: max(1, int((1.0 - self.budget.used) / cost))]
        if len(alive) < 2:
            return
        self.each(self.play_samples, alive[1:])
        if np.isnan(self.gains[alive, 0]).any():
            return
        n, batch, cost, n_began = 1, 1, self.budget.used - began, len(alive)
        while len(alive) > 1 and self.budget.used + cost < 1.0 and n + batch <= MAX_SAMPLES:
            before, n_nodes = self.budget.used, self.budget.n_nodes
            self.samples = slice(n, n + batch)
            self.each(self.play_samples, alive)
            if np.isnan(self.gains[alive, self.samples]).any():
                return
            n += batch
            gains = self.gains[alive, :n]
            n_known = TRUST if root.rules.n_players == 2 else samples_known(gains)
            self.values[alive] = worth[alive] + gains.sum(axis=1) / (n + n_known)
            self.depths[alive], self.visits[alive] = SAMPLED, n
            nodes = (self.budget.n_nodes - n_nodes) / (batch * len(alive))
            alive = self.survivors(alive, n)
            done = (self.budget.used - began) / (1.0 - began)
            n_kept = max(2, -(-n_began // 2 ** int(HALVINGS * done)))
            alive = alive[np.argsort(-self.values[alive], kind="stable")][:n_kept]
            cost = (self.budget.used - before) / batch
            batch = min(max(int(BATCH_NODES / (nodes * len(alive) + 1.0)), 1), MAX_BATCH)
            cost *= batch

    def play_samples(self, states: npt.NDArray[Any], c: int) -> int:
        """Play samples after a candidate; return the number of nodes."""
        return int(
            sample(
                states,
                np.uint64(self.seed + N_DESIGNS + self.samples.start),
                self.end,
                self.numbers,
                self.moves[c],
                self.replies[c],
                self.answers[c],
                self.gains[c, self.samples],
                self.allowance,
                self.width,
                self.evaluator,
            )
        )

    def survivors(self, alive: npt.NDArray[np.int64], n: int) -> npt.NDArray[np.int64]:
        """Return the candidates that could still be the best after n samples."""
        if n < MAX_BATCH:
            return alive
        lead = alive[np.argmax(self.values[alive])]
        behind = self.gains[lead, :n] - self.gains[alive, :n]
        error = behind.std(axis=1, ddof=1) / np.sqrt(n)
        is_behind = self.values[lead] - self.values[alive] > DEVIATIONS * error
        kept: npt.NDArray[np.int64] = alive[~is_behind | (alive == lead)]
        return kept

    def lines(self) -> list[Finding]:
        """Return the finding about each action's best move, sorted from best to worst."""
        order = np.lexsort((-self.values, -self.visits, -self.depths))
        found: dict[int, Finding] = {}
        for k in order:
            action = int(self.moves[k, ACTION])
            line = Finding(
                action,
                float(self.values[k]),
                int(self.moves[k, FIGURE]),
                int(self.depths[k]),
                int(self.visits[k]),
            )
            found.setdefault(action, line)
        return list(found.values())
