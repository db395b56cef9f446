"""What players ask of a table: :class:`carc_env.Table` has more, and players need not know it."""

from __future__ import annotations

from typing import Any, Protocol

import numpy.typing as npt

from carc_env.rules import Rules


class TableLike(Protocol):
    """A game in progress."""

    @property
    def rules(self) -> Rules:
        """What is played."""

    @property
    def states(self) -> npt.NDArray[Any]:
        """The record of the game, an array of one."""

    @property
    def decider(self) -> int:
        """The seat that decides now."""

    @property
    def is_over(self) -> bool:
        """Whether the game is over."""

    @property
    def n_tiles_left(self) -> int:
        """Tiles in the bag."""

    def legal_actions(self) -> list[int]:
        """What the decider may do."""
