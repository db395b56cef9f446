"""Exact solutions for endings, over all orders of the remaining tiles and all replies.

Solutions include tokens and dice. A tile under a hill counts as one of the remaining tiles: the
next draw can be any tile that nobody has seen.

Every player maximizes their own expected lead; of equal actions, the one with the lowest number
counts. With two players, this is expectiminimax, and search windows are passed on to the last of
the tiles that can be drawn.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from carc_env.engine import entry
from carc_env.engine.compiler.jit import entry_point, i8, kernel, void
from carc_env.engine.compiler.linking import linked
from carc_env.engine.compiler.memory import room_for
from carc_env.engine.core.bag import first_drawable, swap_tiles
from carc_env.engine.core.chance import chances_among
from carc_env.engine.core.codes import MAX_PLAYERS, N_OUTCOMES, Phase
from carc_env.engine.core.copying import copy_in_use
from carc_env.engine.core.moments import outcomes_of
from carc_env.engine.core.sizes import MAX_BAG
from carc_env.engine.core.state import NO_CELL, NO_OUTCOME, State, States, new_states
from carc_env.engine.flow.evaluation import f8
from carc_env.engine.flow.legal import MAX_LEGAL
from carc_env.engine.flow.standings import lead_of
from carc_env.search.moves import NO_ACTION
from carc_env.search.table_like import TableLike

apply, legal = linked(entry.apply), linked(entry.legal)

SUM, BEST = range(2)
"""Rows of a game's results: for the action being tried, and for the best one so far."""
NODES, MAX_NODES, IS_STUCK = range(3)
"""Numbers that control a solution: actions tried, their limit, and 1 if a game cannot be solved."""
KILLER = MAX_LEGAL
"""Column after the legal actions: the action that was last found best at this depth."""
INFINITE = 1e18
ROUNDING = 1e-9
"""Points by which a window is widened, so that an action that it cuts off is worse by more than
rounding errors."""


@kernel(void(State, f8, f8[::1]))
def add_leads(s, weight, sums):
    """Add every seat's lead at the end of a game, multiplied by a weight."""
    points = room_for(MAX_PLAYERS)
    for seat in range(s.rules.n_players):
        points[seat] = s.players[seat].score
    for seat in range(s.rules.n_players):
        sums[seat] += weight * lead_of(s, seat, points)


@kernel(void(i8[::1], i8))
def try_killer_first(actions, n):
    """Move the action that was last found best to the front."""
    for k in range(n):
        if actions[k] == actions[KILLER]:
            actions[k] = actions[0]
            actions[0] = actions[KILLER]


@kernel(i8(State, i8, i8, i8[::1]))
def list_next(s, n_drawn, n_covered, places):
    """Write the places of the tiles that the next draw can come from; return how many.

    ``n_drawn`` tiles on top of the bag are already chosen. The first ``n_covered`` of these went
    under a hill. Nobody has seen them or the tiles under earlier hills, so the draw can come from
    there too.
    """
    top, n = s.n_bag - 1 - n_drawn, 0
    for place in range(top, first_drawable(s, top + 1) - 1, -1):
        places[n] = place
        n += 1
    for k in range(n_covered):
        places[n] = s.n_bag - 1 - k
        n += 1
    for k in range(s.n_hidden):
        places[n] = s.hidden[k]
        n += 1
    return n


@kernel(i8(State, i8[::1], i8, i8))
def n_alike(s, places, n, k):
    """Return how often the k-th place's design occurs among n places; 0 if it occurs earlier."""
    alike = 0
    for other in range(n):
        if s.bag[places[other]] == s.bag[places[k]]:
            if other < k:
                return 0
            alike += 1
    return alike


@entry_point(void(States, i8, i8, i8, f8, f8, f8, f8[:, :, ::1], i8[:, ::1], i8[::1]))
def add_expected(states, i, action, n_drawn, weight, low, high, found, actions, numbers):
    """Add an action's worth for every seat in game i, multiplied by a weight, to the sums.

    The ``n_drawn`` tiles on top of the bag are already chosen. Any others that the action draws are
    chosen one after the other, after the other outcomes of chance. Records and rows after i are
    scratch, one for each later decision. Between two players, the worth to seat 0 matters only
    between ``low`` and ``high``: the last of several outcomes is tried with the window that the
    others leave.
    """
    s, after = states[i], states[i + 1]
    possible = outcomes_of(s, action) if s.next_token == NO_OUTCOME else 0
    if possible != 0:
        n_all = 0
        for outcome in range(N_OUTCOMES):
            n_all += chances_among(s, possible, outcome)
        n_left = n_all
        for outcome in range(N_OUTCOMES):
            n = chances_among(s, possible, outcome)
            if n == 0:
                continue
            n_left -= n
            least, most = (-INFINITE, INFINITE) if n_left > 0 else (low, high)
            share = weight * (n / n_all)
            s.next_token = outcome
            add_expected(states, i, action, n_drawn, share, least, most, found, actions, numbers)
            s.next_token = NO_OUTCOME
        return
    copy_in_use(after, s)
    apply(states, i + 1, action)
    after.next_token = NO_OUTCOME
    numbers[NODES] += 1
    n_covered = after.n_hidden - s.n_hidden
    n_drawn = max(n_drawn, n_covered)
    if s.n_bag - after.n_bag > n_drawn:
        places = room_for(MAX_BAG)
        n_all = n_left = list_next(s, n_drawn, n_covered, places)
        for k in range(n_all):
            n = n_alike(s, places, n_all, k)
            if n == 0:
                continue
            n_left -= n
            least, most = (-INFINITE, INFINITE) if n_left > 0 else (low, high)
            place, top = places[k], s.n_bag - 1 - n_drawn
            swap_tiles(s, place, top)
            share = weight * (n / n_all)
            add_expected(
                states, i, action, n_drawn + 1, share, least, most, found, actions, numbers
            )
            swap_tiles(s, place, top)
        return
    n_players = s.rules.n_players
    if weight < 1.0:
        low = (low - found[i, SUM, 0]) / weight - ROUNDING
        high = (high - found[i, SUM, 0]) / weight + ROUNDING
    if after.phase == Phase.GAME_OVER:
        add_leads(after, weight, found[i, SUM])
        return
    if after.bazaar.waits != 0 or i + 2 == states.shape[0]:
        numbers[IS_STUCK] = 1
    decider, best, none = after.decider, -INFINITE, i8(0)
    n = legal(states, i + 1, actions[i + 1])
    if n_players == 2:
        try_killer_first(actions[i + 1], n)
    for k in range(n):
        if numbers[IS_STUCK] != 0 or numbers[NODES] >= numbers[MAX_NODES]:
            return
        for seat in range(n_players):
            found[i + 1, SUM, seat] = 0.0
        tried = actions[i + 1, k]
        add_expected(states, i + 1, tried, none, 1.0, low, high, found, actions, numbers)
        own = found[i + 1, SUM, decider]
        if own > best or (own == best and tried < actions[i + 1, KILLER]):
            best = own
            for seat in range(n_players):
                found[i + 1, BEST, seat] = found[i + 1, SUM, seat]
            actions[i + 1, KILLER] = tried
        if n_players == 2:
            if decider == 0:
                low = max(low, best)
            else:
                high = min(high, -best)
            if low >= high:
                break
    for seat in range(n_players):
        found[i, SUM, seat] += weight * found[i + 1, BEST, seat]


@dataclass(frozen=True, slots=True)
class Solution:
    """The values of a game's actions; row k of each array is about action k.

    Attributes
    ----------
    actions : ndarray of int64, shape (n,)
        The legal actions that were solved, in the order in which they were tried. Of several equal
        actions, the first one is exact.
    leads : ndarray of float64, shape (n, n_players)
        The expected number of points by which every seat is ahead of its strongest opponent at the
        end.
    n_nodes : int
        The number of actions tried.
    """

    actions: npt.NDArray[np.int64]
    leads: npt.NDArray[np.float64]
    n_nodes: int
    is_complete: bool = True


DECISIONS_PER_TILE = 12
"""Most decisions that can follow from a tile: figures, bridges, castles, wagons, auctions."""


class Solver:
    """Solves game endings; keeps the memory that solving requires.

    Parameters
    ----------
    max_tiles : int
        The maximum number of tiles left in the bag.
    """

    def __init__(self, max_tiles: int = 4) -> None:
        depth = DECISIONS_PER_TILE * (max_tiles + 2)
        self.max_tiles = max_tiles
        self._states = new_states(depth)
        self._found = np.zeros((depth, 2, MAX_PLAYERS))
        self._actions = np.zeros((depth, MAX_LEGAL + 1), np.int64)
        self._numbers = np.zeros(3, np.int64)

    @property
    def n_nodes(self) -> int:
        """The number of actions tried for the last game, solved or not."""
        return int(self._numbers[NODES])

    def solve(
        self,
        table: TableLike,
        *,
        max_nodes: int,
        seconds: float | None = None,
        all_exact: bool = True,
        first: Sequence[int] = (),
    ) -> Solution | None:
        """Return every legal action's value for each seat, over all orders of the remaining tiles.

        Parameters
        ----------
        table : TableLike
            The game, which is not changed.
        max_nodes : int
            The maximum number of actions to try.
        seconds : float, optional
            The maximum time, in seconds.
        all_exact : bool
            If False, then between two players only the best action is exact. Other actions may have
            an upper bound that does not exceed its value. This is faster.
        first : sequence of int
            Legal actions to try first, in this order: the better the first ones, the faster. If any
            are given, those solved in time count as a solution.

        Returns
        -------
        Solution or None
            None if the game cannot be solved: there are too many tiles or nodes, dragon tiles are
            withheld, or tiles that a seat may have seen are waiting face down for a bazaar.
        """
        self._states[0] = table.states[0]
        self._actions[:, KILLER] = (
            NO_ACTION  # clears what other games left, which affects the number of nodes
        )
        self._numbers = np.array([0, max_nodes, 0], np.int64)
        s = self._states[0]
        withholds = s.rules.withholds_dragons and s.dragon == NO_CELL
        if s.n_bag > self.max_tiles or s.bazaar.waits != 0 or withholds:
            return None
        entry.reshuffle(self._states, 0, np.uint64(0))
        n_players = int(s.rules.n_players)
        actions = self._actions[0, : entry.legal(self._states, 0, self._actions[0])].tolist()
        order = [*first, *sorted({*actions} - {*first})]
        leads: dict[int, npt.NDArray[np.float64]] = {}
        windowed = not all_exact and n_players == 2
        low, high = -INFINITE, INFINITE
        with nullcontext() if seconds is None else ended_after(seconds, self._numbers):
            for action in order:
                self._found[0] = 0.0
                add_expected(
                    *(self._states, 0, action, 0, 1.0, low, high),
                    *(self._found, self._actions, self._numbers),
                )
                if self._numbers[IS_STUCK] or self.n_nodes >= self._numbers[MAX_NODES]:
                    break
                lead = leads[action] = self._found[0, SUM, :n_players].copy()
                if windowed:
                    low = max(low, lead[0]) if s.decider == 0 else low
                    high = min(high, lead[0]) if s.decider == 1 else high
        is_complete = len(leads) == len(order)
        if not (is_complete or (first and leads)):
            return None
        solved, found = np.array([*leads], np.int64), np.array([*leads.values()])
        return Solution(solved, found, self.n_nodes, is_complete)


@contextmanager
def ended_after(seconds: float, numbers: npt.NDArray[np.int64]) -> Iterator[None]:
    """Make a kernel that uses the given numbers stop trying actions after some time."""

    def end() -> None:
        numbers[MAX_NODES] = 0

    timer = threading.Timer(seconds, end)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
