"""What an agent thinks of the actions that it has."""

from __future__ import annotations

from typing import NamedTuple


class Line(NamedTuple):
    """What an agent thinks of one action.

    Attributes
    ----------
    action : int
        The action.
    value : float
        By how many points the decider expects to be ahead of their strongest rival at the end.
    visits : int
        How often it was looked at.
    """

    action: int
    value: float
    visits: int
