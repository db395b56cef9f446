"""Reward schemes: how scores become the rewards of the seats.

Rewards reach every seat at every step, whoever decided.

``outcome``
    Rank at the end, from 1 for a sole winner to -1 for a sole last; 0 before the end. A seat gets
    (seats with fewer points - seats with more points) / (n - 1): win 1, draw 0 and loss -1 for two
    players.
``score_delta``
    Points that the seat got in this step; they add up to the final score.
``margin``
    Change of the lead over the best rival; adds up to the final margin.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from carc_env.choices import check_choice
from carc_env.engine import entry
from carc_env.engine.compiler.jit import without_lookup
from carc_env.engine.sight.earnings import MARGIN, OUTCOME, SCORE_DELTA
from carc_env.engine.sight.lanes import LANE
from carc_env.game.table import Table

give_rewards = without_lookup(entry.rewards)

Reward = Literal["outcome", "score_delta", "margin"]
SCHEMES: dict[str, int] = {"outcome": OUTCOME, "score_delta": SCORE_DELTA, "margin": MARGIN}


def scheme(name: str) -> int:
    """The number of a reward scheme in the engine.

    Raises
    ------
    ValueError
        No scheme has the name.
    """
    return SCHEMES[check_choice("reward", name, SCHEMES)]


class Ledger:
    """Keeps the books of one game: which rewards were given already.

    Parameters
    ----------
    name : {"outcome", "score_delta", "margin"}
        The reward scheme.
    n_players : int
        Seats of the game.

    Raises
    ------
    ValueError
        No scheme has the name.
    """

    def __init__(self, name: Reward, n_players: int) -> None:
        self._name = name
        self._lane = np.zeros(1, LANE)
        self._lane["scheme"] = scheme(name)
        self._booked, self._earned = (
            self._lane[field][0, :n_players] for field in ("scores", "rewards")
        )

    def open(self, table: Table) -> None:
        """Begin with the scores as they are."""
        self._booked[:] = table.scores

    def give(self, table: Table) -> list[float]:
        """What each seat earned since the last time."""
        give_rewards(table.states, 0, self._lane)
        earned: list[float] = self._earned.tolist()
        return earned

    def __getstate__(self) -> tuple[Reward, list[int]]:
        return self._name, self._booked.tolist()

    def __setstate__(self, saved: tuple[Reward, list[int]]) -> None:
        name, booked = saved
        self.__init__(name, len(booked))  # type: ignore[misc]
        self._booked[:] = booked
