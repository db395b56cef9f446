"""Many games in one array of states: the basis of the vector environments."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from carc_env.engine import entry
from carc_env.engine.compiler.jit import without_lookup
from carc_env.engine.core.state import NO_SEAT, new_states
from carc_env.engine.flow.one_ply import ONE_PLY_SCRATCH
from carc_env.engine.flow.rollouts import RANDOM
from carc_env.engine.sight.lanes import ASKED, LANE, NO_ACTION, Canvas
from carc_env.envs.opponents import Opponent, RandomPlayer
from carc_env.envs.rewards import Books, RewardLike
from carc_env.game.table import Table
from carc_env.layout.encodings import Arrays, Encoding
from carc_env.layout.observations import n_seats
from carc_env.layout.screens import Buffers
from carc_env.layout.shared import check_layout
from carc_env.layout.template import template
from carc_env.rules import Rules
from carc_env.search.players import OnePly
from carc_env.threads import Threads

play_lanes = without_lookup(entry.play_lanes)

MAX_WEIGHTS = 2**25
"""Number of weights, of players under many rules, at which those of earlier games are dropped."""


def is_inside(player: Opponent) -> bool:
    """Return whether a player decides inside the kernel."""
    return type(player) is RandomPlayer or getattr(type(player), "act", None) is OnePly.act


class Games:
    """Games in the same layout that run together; each array has one row per game.

    :meth:`play` overwrites all arrays: copy whatever you want to keep.

    Parameters
    ----------
    rules : Rules
        The rules of games that begin without rules of their own.
    n_games : int
        Number of games.
    encoding : Encoding, optional
        The observation encoding. If it is None, there are no observations.
    reward : RewardLike
        The reward scheme, see :mod:`carc_env.envs.rewards`.
    num_threads : int
        Number of threads that share the games. Results do not depend on it.
    out : dict of ndarray, optional
        The caller's arrays for observations, see :class:`carc_env.layout.screens.Buffers`.

    Attributes
    ----------
    states : ndarray of STATE, shape (n_games,)
        The games.
    lanes : ndarray of LANE, shape (n_games,)
        The data exchanged with each game, see :mod:`carc_env.engine.sight.lanes`.
    canvas : Canvas
        The observation buffers.
    seen : dict of ndarray
        The observations by name: views of the canvas and arrays added by the encoding.
    scores : ndarray of int32, shape (n_games, n_players)
        Points so far, as a view into the states; for a shared layout, n_players is its highest.
    rules_of : list of Rules
        What each game is played by.
    """

    def __init__(
        self,
        rules: Rules,
        n_games: int,
        encoding: Encoding | None = None,
        *,
        reward: RewardLike = "outcome",
        num_threads: int = 1,
        out: Arrays | None = None,
    ) -> None:
        for name, value in (("the number of games", n_games), ("num_threads", num_threads)):
            if type(value) is not int or value < 1:
                raise ValueError(f"{name} must be a positive int, got {value!r}")
        self.rules = rules
        self.states = new_states(n_games)
        self.lanes = np.zeros(n_games, LANE)
        self.lanes["action"] = NO_ACTION
        n_players = n_seats(rules)
        self._books = Books(reward, self.lanes, n_players)
        self._buffers = Buffers(
            encoding or Encoding(rules), n_games, masks=encoding is not None, out=out
        )
        self._is_inside = self._books.own is None and not self._buffers.has_own
        self.canvas, self.seen = self._buffers.canvas, self._buffers.seen
        self.scores: npt.NDArray[np.int32] = self.states["players"]["score"][:, :n_players]
        self.rules_of = [rules] * n_games
        for i in range(n_games):
            self._play_by(i, rules)
        self._weights = np.zeros(0, np.float32)  # with room for more at its end
        self._n_weights = 0
        self._parts: dict[bytes, slice] = {}
        self._tiles_shown = self.canvas.shown["n_tiles"]
        self._shares = [self._share(span) for span in _spans(n_games, num_threads)]
        self._threads = Threads(len(self._shares))

    def __len__(self) -> int:
        return len(self.states)

    def _share(self, span: slice) -> tuple[Any, ...]:
        """Return the kernel arguments for a slice of the games."""
        canvas = Canvas(*(rows[span] for rows in self.canvas))
        scratch = new_states(ONE_PLY_SCRATCH)
        return self.states[span], self.lanes[span], canvas, scratch

    def begin(
        self,
        i: int,
        seed: int,
        players: list[Opponent | None],
        *,
        seat: int | None = None,
        rules: Rules | None = None,
    ) -> None:
        """Restart game i; the next :meth:`play` takes it to its first decision.

        Parameters
        ----------
        i : int
            Index of the game.
        seed : int
            Shuffles the game's bag.
        players : list of Opponent or None
            The player of each seat. A seat is asked if its player is None or decides outside the
            kernel.
        seat : int, optional
            The observing seat. Default: the seat that is asked.
        rules : Rules, optional
            The rules of the game, in the layout of all games.

        Raises
        ------
        ValueError
            The rules have another layout, or do not fit into it.
        """
        self.turn_to(i, rules or self.rules)
        entry.begin(self.states, i, template(self.rules_of[i]), np.uint64(seed))
        self._open(i, players, seat)

    def turn_to(self, i: int, rules: Rules) -> None:
        """Play by the given rules in game i from its next beginning on."""
        if rules is not self.rules_of[i]:
            self._buffers.check_rules(rules)
            check_layout(rules)
            self._play_by(i, rules)

    def _play_by(self, i: int, rules: Rules) -> None:
        self.rules_of[i] = rules
        self._books.n_seats[i] = rules.n_players
        self._buffers.tell_rules(i, rules)

    def begin_at(
        self,
        i: int,
        states: npt.NDArray[Any],
        players: list[Opponent | None],
        *,
        seat: int | None = None,
        rules: Rules | None = None,
    ) -> None:
        """Begin game i at the state of another game under its rules: ``states``, shape (1,)."""
        self.turn_to(i, rules or self.rules)
        self.states[i : i + 1].view(np.uint8)[:] = states.view(np.uint8)
        self._open(i, players, seat)
        self.lanes["scores"][i, : self.scores.shape[1]] = self.scores[i]

    def _open(self, i: int, players: list[Opponent | None], seat: int | None) -> None:
        """Prepare a lane for a new game."""
        self._threads.settle()
        for k, player in enumerate(players):
            code, first = self._code(player, self.rules_of[i])
            self.lanes["players"][i, k], self.lanes["first_weight"][i, k] = code, first
        entry.open_lane(self.lanes, i, NO_SEAT if seat is None else seat)
        self._tiles_shown[i] = 0

    def _code(self, player: Opponent | None, rules: Rules) -> tuple[int, int]:
        """Return the kernel's code for a player, and the offset of the player's weights."""
        if player is None or not is_inside(player):
            return ASKED, 0
        if not isinstance(player, OnePly):
            return RANDOM, 0
        evaluation = player.evaluation.under(rules)
        if not evaluation.weights.size:
            return evaluation.address, 0
        content = evaluation.digest  # the same for many rules
        if content not in self._parts:
            if self._n_weights + len(evaluation.weights) > MAX_WEIGHTS:
                self._drop_unused()
            first, self._n_weights = self._n_weights, self._n_weights + len(evaluation.weights)
            if self._n_weights > len(self._weights):
                room = np.zeros(max(self._n_weights, 2 * len(self._weights)), np.float32)
                room[:first], self._weights = self._weights[:first], room
            self._weights[first : self._n_weights] = evaluation.weights
            self._parts[content] = slice(first, self._n_weights)
        return evaluation.address, int(self._parts[content].start)

    def _drop_unused(self) -> None:
        """Drop the weights of players that no game has any more."""
        before = self.lanes["first_weight"].copy()
        used, parts, n = {*np.unique(before).tolist()}, dict[bytes, slice](), 0
        for content, part in self._parts.items():
            if part.start in used:
                self.lanes["first_weight"][before == part.start] = n
                parts[content] = slice(n, n + part.stop - part.start)
                n = parts[content].stop
        for content, part in parts.items():  # each moves forward
            self._weights[part] = self._weights[self._parts[content]]
        self._parts, self._n_weights = parts, n

    def play(self) -> int:
        """Carry out ``lanes["action"]`` and built-in players' decisions until a seat is asked.

        Return the number of decisions. Games without an action are left unchanged.
        """
        if self._is_inside:
            return self._run()
        acts, begins = self.lanes["action"] != NO_ACTION, self.lanes["is_new"] != 0
        before = self._books.noted()
        n_decisions = self._run()
        is_shown = acts & (self.lanes["waits"] == 0)
        paid, shown = np.flatnonzero(is_shown & ~begins), np.flatnonzero(is_shown)
        self._books.pay(before, paid, self.lanes["n_legal"][paid] == 0)
        if self._buffers.has_own:
            seats = np.ascontiguousarray(self.lanes["seat"])
            self._buffers.write_own(self.states, seats, shown, self.table)
        return n_decisions

    def _run(self) -> int:
        """Run the kernel's part of :meth:`play`: all of it unless reward or encoding is custom."""
        if len(self._shares) == 1:
            return int(play_lanes(*self._shares[0], self._weights))
        weights = self._weights
        return sum(self._threads.each(lambda share: int(play_lanes(*share, weights)), self._shares))

    def show_one(self, which: npt.NDArray[np.bool_], action: int) -> None:
        """Show a single legal action in some finished games."""
        self._buffers.show_one(which, action)
        self.lanes["legal"][which, 0] = action
        self.lanes["n_shown"][which] = 1

    def illegal_lane(self) -> int | None:
        """Return the index of the first game whose ``lanes["action"]`` is illegal, if any."""
        lane = entry.illegal_lane(self.lanes)
        return None if lane < 0 else int(lane)

    def table(self, i: int) -> Table:
        """Return game i as a table that shares its state until the next :meth:`play`.

        Only read this table, or clone it to play on.
        """
        return Table.at(self.rules_of[i], self.states[i : i + 1])

    def close(self) -> None:
        """Stop the threads."""
        self._threads.close()


def _spans(n: int, n_spans: int) -> list[slice]:
    """Return slices of similar size that cover ``range(n)``, at most one per element."""
    bounds = np.linspace(0, n, min(n, n_spans) + 1).astype(int).tolist()
    return [slice(a, b) for a, b in pairwise(bounds)]


def players_around(seat: int, opponents: list[Opponent]) -> list[Opponent | None]:
    """Return each seat's player for a learner at ``seat``, with opponents in clockwise order."""
    n_players = len(opponents) + 1
    players: list[Opponent | None] = [None] * n_players
    for k, opponent in enumerate(opponents, start=1):
        players[(seat + k) % n_players] = opponent
    return players
