"""Reward schemes: how scores become each seat's rewards.

Every seat gets a reward at every step, no matter who decided. Choose a scheme by name or pass an
object:

``outcome``
    Final rank, from 1 for a sole winner to -1 for a sole last place; 0 before the end of the game.
    A seat gets (seats with fewer points - seats with more points) / (n - 1). For two players: win
    1, draw 0, loss -1.
``score_delta``
    Points that the seat scored in this step; they add up to the final score. This is :class:`Lead`
    with a rival weight of 0.
``margin``
    Change in the lead over the best opponent; the changes add up to the final margin. This is
    :class:`Lead`.
``projected``
    Change in the lead in *standings*, the points that every seat would have if the game ended now.
    A figure pays when it is placed rather than only when its feature is scored. This is
    :class:`Projected`.

The kernels compute these built-in schemes. Any other object with the method of
:class:`RewardScheme` is called once per step for all games in progress.
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
    """Any object that computes what the seats in many games earned in a step."""

    def rewards(
        self,
        scores_before: Points,
        scores_after: Points,
        standings_before: Points,
        standings_after: Points,
        is_over: npt.NDArray[np.bool_],
    ) -> npt.ArrayLike:
        """Return what every seat earned in the games that stepped, shape (n_games, n_players).

        Parameters
        ----------
        scores_before, scores_after : ndarray of int64, shape (n_games, n_players)
            Points by seat when rewards were last given, and now. The first step compares with the
            beginning of the game, so points that opponents score before the first decision count.
        standings_before, standings_after : ndarray of int64, shape (n_games, n_players)
            Every seat's points if the game ended then. The first step compares with the first
            observation. When the game is over, standings equal scores.
        is_over : ndarray of bool, shape (n_games,)
            Whether the games are over.
        """


@dataclass(frozen=True)
class Outcome:
    """The final rank."""

    kind: ClassVar[int] = OUTCOME
    rival_weight: ClassVar[float] = 0.0


@dataclass(frozen=True)
class Lead:
    """Change in a seat's score minus ``rival_weight`` times its best opponent's score.

    Raises
    ------
    ValueError
        The weight is not a finite number.
    """

    kind: ClassVar[int] = SCORES
    rival_weight: float = 1.0
    """Weight of the best opponent's points: 1 gives the margin, 0 the seat's own score."""

    def __post_init__(self) -> None:
        weight = self.rival_weight
        if not isinstance(weight, int | float) or not math.isfinite(weight):
            raise ValueError(f"rival_weight must be a finite number, got {weight!r}")


@dataclass(frozen=True)
class Projected(Lead):
    """Like :class:`Lead`, but with standings instead of scores.

    Opponents' gains are mostly noise to a beginner, so small weights learn faster.
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
        No scheme has this name, or the object is not a scheme.
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
    """The points in many games when rewards were last given, by game and seat."""

    scores: Points
    standings: Points


class Books:
    """The accounts of many games; their lanes store the points that rewards already cover.

    The engine pays rewards for its own schemes and notes the points; all other rewards are paid
    here. An object with a ``rewards`` method never counts as one of the engine's schemes.

    Parameters
    ----------
    reward : RewardLike
        The scheme.
    lanes : ndarray of LANE, shape (n_games,)
        The data exchanged with the games.
    n_players : int
        Number of seats in each game, at most.

    Attributes
    ----------
    own : RewardScheme or None
        The scheme, if it is not one of the engine's.
    n_seats : ndarray of int, shape (n_games,)
        Number of seats in each game.

    Raises
    ------
    ValueError
        See :func:`make_scheme`.
    """

    def __init__(self, reward: RewardLike, lanes: npt.NDArray[Any], n_players: int) -> None:
        self.scheme, self._lanes = make_scheme(reward), lanes
        self._owed, self._rewards = lanes["owed"][:, :n_players], lanes["rewards"][:, :n_players]
        self._points = Noted(lanes["scores"][:, :n_players], lanes["standings"][:, :n_players])
        self.n_seats = np.full(len(lanes), n_players)
        self.own: RewardScheme | None = None
        if isinstance(self.scheme, RewardScheme):
            self.own, lanes["scheme"] = self.scheme, ELSEWHERE
        else:
            lanes["scheme"], lanes["rival_weight"] = self.scheme.kind, self.scheme.rival_weight

    def noted(self) -> Noted:
        """Return copies of the points that rewards already cover."""
        return Noted(*(points.copy() for points in self._points))

    def pay(self, before: Noted, which: npt.NDArray[np.intp], is_over: npt.NDArray[Any]) -> None:
        """Pay the seats in some games for a step that the engine has carried out.

        Parameters
        ----------
        before : Noted
            The points noted before the step, for all games.
        which : ndarray of int, shape (n,)
            The games that stepped.
        is_over : ndarray of bool, shape (n,)
            Whether each of these games is over.

        Raises
        ------
        ValueError
            The scheme does not return one number per seat and game.
        """
        for n in np.unique(self.n_seats[which]).tolist():
            rows = self.n_seats[which] == n
            self._pay(before, which[rows], is_over[rows], n)

    def _pay(
        self, before: Noted, which: npt.NDArray[np.intp], is_over: npt.NDArray[Any], n: int
    ) -> None:
        """Do the same for games with n seats."""
        if self.own is None:
            return
        scores, standings = (
            (old[which, :n], new[which, :n]) for old, new in zip(before, self._points, strict=True)
        )
        earned = np.asarray(self.own.rewards(*scores, *standings, is_over), np.float64)
        wanted = (len(which), n)
        if earned.shape != wanted:
            raise ValueError(
                f"the rewards of {type(self.own).__name__} must have the shape {wanted}, a "
                f"number for each seat of each game; got {earned.shape}"
            )
        seats = self._lanes["seat"][which]
        self._rewards[which, :n] = earned
        self._owed[which, :n] += earned
        self._lanes["reward"][which] += self._owed[which, seats]
        self._owed[which, seats] = 0.0


class Ledger:
    """The reward account of a single game.

    Parameters
    ----------
    reward : RewardLike
        The scheme.
    n_players : int
        Number of seats in the game.

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
        """Start at the first observation, with the scores from the beginning of the game."""
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
