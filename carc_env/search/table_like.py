"""The part of :class:`carc_env.Table` that players use, so that they don't depend on the class."""

from __future__ import annotations

from typing import Any, Protocol

import numpy.typing as npt

from carc_env.rules import Rules


class TableLike(Protocol):
    """A game in progress."""

    @property
    def rules(self) -> Rules:
        """The rules of the game."""

    @property
    def states(self) -> npt.NDArray[Any]:
        """The game record, as an array of length one."""
