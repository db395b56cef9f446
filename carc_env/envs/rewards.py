"""Reward schemes: how scores become the rewards of the seats.

Every seat gets a reward at every step, no matter who decided. Choose a scheme by name or pass an
object.

``outcome``
    Rank at the end, from 1 for a sole winner to -1 for a sole last; 0 before the end. A seat gets
    (seats with fewer points - seats with more points) / (n - 1): win 1, draw 0 and loss -1 for two
    players.
``score_delta``
    Points that the seat got in this step; they add up to the final score. :class:`Lead` with a
    rival weight of 0.
``margin``
    Change of the lead over the best rival; adds up to the final margin. :class:`Lead`.
``projected``
    Change of the lead in *standings*, the points that every seat would end with if the game were
    over now: a figure pays when it is placed and not first when its feature is scored.
    :class:`Projected`.

The kernels compute the engine's own schemes. Any other object with the method of
:class:`RewardScheme` is called once in each step for all games in progress.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from carc_env.choices import check_choice
from carc_env.engine import entry
from carc_env.engine.compiler.jit import without_lookup
from carc_env.engine.sight.earnings import ELSEWHERE, OUTCOME, SCORES, STANDINGS
from carc_env.engine.sight.lanes import LANE
from carc_env.game.table import Table

give_rewards = without_lookup(entry.rewards)

Points = npt.NDArray[np.int64]


@runtime_checkable
class RewardScheme(Protocol):
    """Any object that computes what the seats of many games earned in a step."""

    def rewards(
        self,
        scores_before: Points,
        scores_after: Points,
        standings_before: Points,
        standings_after: Points,
        is_over: npt.NDArray[np.bool_],
    ) -> npt.ArrayLike:
        """Return what every seat earned, shape (n_games, n_players), in the games that stepped.

        Parameters
        ----------
        scores_before, scores_after : ndarray of int64, shape (n_games, n_players)
            Points by seat when rewards were last given, and now. The first are those at the
            beginning of the game: points that opponents score before the first decision count.
        standings_before, standings_after : ndarray of int64, shape (n_games, n_players)
            The points of every seat if the game were over. The first are those of the first
            observation; the scores when the game is over.
        is_over : ndarray of bool, shape (n_games,)
            Whether the games are over.
        """


@dataclass(frozen=True)
class Outcome:
    """The rank at the end."""

    kind: ClassVar[int] = OUTCOME
    rival_weight: ClassVar[float] = 0.0


@dataclass(frozen=True)
class Lead:
    """Change of a seat's score less ``rival_weight`` times that of its best opponent.

    Raises
    ------
    ValueError
        The weight is not a finite number.
    """

    kind: ClassVar[int] = SCORES
    rival_weight: float = 1.0
    """Weight of the best opponent's points: 1 is the margin, 0 the seat's own score."""

    def __post_init__(self) -> None:
        weight = self.rival_weight
        if not isinstance(weight, int | float) or not math.isfinite(weight):
            raise ValueError(f"rival_weight must be a finite number, got {weight!r}")


@dataclass(frozen=True)
class Projected(Lead):
    """The same as :class:`Lead` with standings instead of scores.

    Opponents' gains are mostly noise to a beginner: small weights learn faster.
    """

    kind: ClassVar[int] = STANDINGS


EngineScheme = Outcome | Lead
Reward = Literal["outcome", "score_delta", "margin", "projected"]
RewardLike = Reward | EngineScheme | RewardScheme
SCHEMES: Mapping[str, EngineScheme] = {
    "outcome": Outcome(),
    "score_delta": Lead(0.0),
    "margin": Lead(),
    "projected": Projected(),
}


def make_scheme(reward: RewardLike) -> EngineScheme | RewardScheme:
    """Return a scheme by name, or the object itself.

    Raises
    ------
    ValueError
        No scheme has the name, or the object is no scheme.
    """
    if isinstance(reward, str):
        return SCHEMES[check_choice("reward", reward, SCHEMES)]
    if isinstance(reward, type):
        raise ValueError(
            f"a reward scheme must be an object, but {reward!r} is a class: make an instance of it"
        )
    if not isinstance(reward, EngineScheme | RewardScheme):
        raise ValueError(
            f"reward must be one of {', '.join(map(repr, SCHEMES))}, or an object with a method "
            f"rewards(scores_before, scores_after, standings_before, standings_after, is_over); "
            f"got {reward!r}"
        )
    return reward


class Noted(NamedTuple):
    """The points of many games when rewards were last given, by game and seat."""

    scores: Points
    standings: Points


class Books:
    """The accounts of many games: their lanes store up to which points rewards were given.

    The engine pays rewards of its own schemes and notes the points; all others are paid here. An
    object with a method ``rewards`` is never one of the engine's, whatever else it is.

    Parameters
    ----------
    reward : RewardLike
        The scheme.
    lanes : ndarray of LANE, shape (n_games,)
        The data exchanged with the games.
    n_players : int
        Seats of each game.

    Attributes
    ----------
    own : RewardScheme or None
        The scheme, if it is not one of the engine's.

    Raises
    ------
    ValueError
        See :func:`make_scheme`.
    """

    def __init__(self, reward: RewardLike, lanes: npt.NDArray[Any], n_players: int) -> None:
        self.scheme, self._lanes = make_scheme(reward), lanes
        self._owed, self._rewards = lanes["owed"][:, :n_players], lanes["rewards"][:, :n_players]
        self._points = Noted(lanes["scores"][:, :n_players], lanes["standings"][:, :n_players])
        self.own: RewardScheme | None = None
        if isinstance(self.scheme, RewardScheme):
            self.own, lanes["scheme"] = self.scheme, ELSEWHERE
        else:
            lanes["scheme"], lanes["rival_weight"] = self.scheme.kind, self.scheme.rival_weight

    def noted(self) -> Noted:
        """Return copies of the points up to which rewards were given."""
        return Noted(*(points.copy() for points in self._points))

    def pay(self, before: Noted, which: npt.NDArray[np.intp], is_over: npt.NDArray[Any]) -> None:
        """Pay the seats of some games for a step that the engine has carried out.

        Parameters
        ----------
        before : Noted
            The points noted before the step, for all games.
        which : ndarray of int, shape (n,)
            The games that stepped.
        is_over : ndarray of bool, shape (n,)
            Whether they are over.

        Raises
        ------
        ValueError
            The scheme does not return a number for each seat of each of the games.
        """
        if self.own is None or not which.size:
            return
        scores, standings = (
            (old[which], new[which]) for old, new in zip(before, self._points, strict=True)
        )
        earned = np.asarray(self.own.rewards(*scores, *standings, is_over), np.float64)
        wanted = (len(which), self._rewards.shape[1])
        if earned.shape != wanted:
            raise ValueError(
                f"the rewards of {type(self.own).__name__} must have the shape {wanted}, a "
                f"number for each seat of each game; got {earned.shape}"
            )
        seats = self._lanes["seat"][which]
        self._rewards[which] = earned
        self._owed[which] += earned
        self._lanes["reward"][which] += self._owed[which, seats]
        self._owed[which, seats] = 0.0


class Ledger:
    """The account of a single game.

    Parameters
    ----------
    reward : RewardLike
        The scheme.
    n_players : int
        Seats of the game.

    Raises
    ------
    ValueError
        See :func:`make_scheme`.
    """

    def __init__(self, reward: RewardLike, n_players: int) -> None:
        self._lane = np.zeros(1, LANE)
        self._books = Books(reward, self._lane, n_players)
        self._scores, self._standings, self._earned = (
            self._lane[field][0, :n_players] for field in ("scores", "standings", "rewards")
        )

    def open(self, table: Table, scores: Sequence[int]) -> None:
        """Begin at the first observation, with the scores at the beginning of the game."""
        self._scores[:], self._standings[:] = scores, table.standings

    def give(self, table: Table) -> list[float]:
        """Return what each seat has earned since the last call."""
        before = self._books.noted() if self._books.own is not None else None
        give_rewards(table.states, 0, self._lane)
        if before is not None:
            self._books.pay(before, np.zeros(1, np.intp), np.array([table.is_over]))
        earned: list[float] = self._earned.tolist()
        return earned

    def __getstate__(self) -> tuple[EngineScheme | RewardScheme, list[int], list[int]]:
        return self._books.scheme, self._scores.tolist(), self._standings.tolist()

    def __setstate__(self, saved: tuple[EngineScheme | RewardScheme, list[int], list[int]]) -> None:
        scheme, scores, standings = saved
        self.__init__(scheme, len(scores))  # type: ignore[misc]
        self._scores[:], self._standings[:] = scores, standings
