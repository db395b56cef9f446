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
