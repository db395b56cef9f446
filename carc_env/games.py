"""Many games in one array of states: what the vector environments stand on."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from carc_env.actions import action_layout
from carc_env.engine import batch
from carc_env.engine.lanes import ASKED, GREEDY, LANE, NO_ACTION, RANDOM
from carc_env.engine.legal import MAX_LEGAL
from carc_env.engine.opponents import SCRATCH_GAMES
from carc_env.engine.state import new_states
from carc_env.observations import board_shape, global_names
from carc_env.opponents import GreedyPlayer, Opponent, RandomPlayer
from carc_env.rules import Rules
from carc_env.setup import template
from carc_env.table import Table

INSIDE: dict[type[object], int] = {RandomPlayer: RANDOM, GreedyPlayer: GREEDY}
"""Players that decide inside the kernel."""


class Games:
    """Games under the same rules that go on together; each row of the arrays is one of them.

    All arrays are written again by :meth:`play` and :meth:`show`: copy what is to be kept.

    Parameters
    ----------
    rules : Rules
        The rules of all games.
    n_games : int
        How many games there are.
    num_threads : int
        Threads that share the games. Results do not depend on it.

    Attributes
    ----------
    boards : ndarray of uint8, shape (n_games, n_planes, view * view)
        The planes as the seat of each row sees them.
    globals : ndarray of float32, shape (n_games, n_globals)
        The vectors of globals.
    masks : ndarray of int8, shape (n_games, n_actions)
        Legal actions; none for a seat that is not the one asked.
    scores : ndarray of int32, shape (n_games, n_players)
        Points so far; a view of the states.
    """

    def __init__(self, rules: Rules, n_games: int, *, num_threads: int = 1) -> None:
        for name, value in (("the number of games", n_games), ("num_threads", num_threads)):
            if type(value) is not int or value < 1:
                raise ValueError(f"{name} must be a positive int, got {value!r}")
        self.rules = rules
        n_planes, view, _ = board_shape(rules)
        self.states = new_states(n_games)
        self.lanes = np.zeros(n_games, LANE)
        self.lanes["action"] = NO_ACTION
        self.legal = np.zeros((n_games, MAX_LEGAL), np.int64)
        self.boards = np.zeros((n_games, n_planes, view * view), np.uint8)
        self.globals = np.zeros((n_games, len(global_names(rules))), np.float32)
        self.masks = np.zeros((n_games, action_layout(rules).n_actions), np.int8)
        self.scores: npt.NDArray[np.int32] = self.states["players"]["score"][:, : rules.n_players]
        self._spans = _shares(n_games, num_threads)
        self._scratch = [new_states(SCRATCH_GAMES) for _ in self._spans]
        self._pool = ThreadPoolExecutor(num_threads) if len(self._spans) > 1 else None

    def __len__(self) -> int:
        return len(self.states)

    @property
    def is_over(self) -> npt.NDArray[np.bool_]:
        """Shape (n_games,): which games are over."""
        over: npt.NDArray[np.bool_] = self.lanes["n_legal"] == 0
        return over

    def begin(self, i: int, seed: int, players: list[int]) -> None:
        """Begin game i anew; ``players`` says who plays each seat. Nothing is decided yet."""
        batch.begin(self.states, i, template(self.rules), np.uint64(seed))
        self.lanes[i]["players"][: len(players)] = players

    def play(self, span: slice = slice(None)) -> int:
        """Carry out ``lanes["action"]`` and what built-in players decide until a seat is asked.

        Returns the number of decisions of built-in players.
        """
        if self._pool is None or span != slice(None):
            return self._play(span, self._scratch[0])
        return sum(self._pool.map(self._play, self._spans, self._scratch))

    def _play(self, span: slice, scratch: npt.NDArray[Any]) -> int:
        states, lanes = self.states[span], self.lanes[span]
        return int(batch.play_lanes(states, lanes, self.legal[span], scratch))

    def show(self, span: slice = slice(None)) -> None:
        """Write boards, globals and masks."""
        if self._pool is None or span != slice(None):
            self._show(span)
        else:
            list(self._pool.map(self._show, self._spans))

    def _show(self, span: slice) -> None:
        states, lanes = self.states[span], self.lanes[span]
        batch.show_lanes(states, lanes, self.boards[span], self.globals[span])
        batch.mask_lanes(states, lanes, self.legal[span], self.masks[span])

    def illegal_lane(self) -> int | None:
        """The first game for which ``lanes["action"]`` holds an action that is not legal."""
        lane = batch.illegal_lane(self.lanes, self.legal)
        return None if lane < 0 else int(lane)

    def table(self, i: int) -> Table:
        """Game i as a table that shares its state: look at it, or clone it to play on."""
        table = Table.__new__(Table)
        table._adopt(self.rules, self.states[i : i + 1])
        table._list_legal()
        return table

    def close(self) -> None:
        """End the threads."""
        if self._pool is not None:
            self._pool.shutdown()


def _shares(n: int, n_shares: int) -> list[slice]:
    """Slices of about the same size that make up ``range(n)``, at most one for each element."""
    bounds = np.linspace(0, n, min(n, n_shares) + 1).astype(int).tolist()
    return [slice(a, b) for a, b in pairwise(bounds)]


def players_around(seat: int, opponents: list[Opponent]) -> list[int]:
    """Who plays each seat when somebody is asked at ``seat``, with opponents clockwise after it."""
    n_players = len(opponents) + 1
    players = [ASKED] * n_players
    for k, opponent in enumerate(opponents, start=1):
        players[(seat + k) % n_players] = INSIDE.get(type(opponent), ASKED)
    return players
