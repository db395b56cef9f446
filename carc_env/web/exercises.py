"""Exercises: games that are not kept, in which somebody acts and the server judges it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from carc_env.web.play import Play


class Exercise(ABC):
    """What is asked in a game, and how that was answered so far.

    Attributes
    ----------
    play
        The game.
    state
        ``"open"`` as long as somebody may act; what else it can be is a matter of the exercise.
    """

    play: Play
    state: str

    @abstractmethod
    def hear(self, action: int) -> None:
        """Judge an action that is about to be carried out."""

    @abstractmethod
    def told(self) -> dict[str, Any]:
        """What the page is told: its ``task``, its ``state``, and what belongs to them."""
