"""An agent's opinion of its actions."""

from __future__ import annotations

from typing import NamedTuple


class Line(NamedTuple):
    """An agent's opinion of one action.

    Attributes
    ----------
    action : int
        The action.
    value : float
        The expected number of points by which the decider is ahead of the strongest opponent when
        the game ends.
    visits : int
        The number of times that the action was examined.
    """

    action: int
    value: float
    visits: int
