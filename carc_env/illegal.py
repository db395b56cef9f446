"""What environments do with an action outside of the mask."""

from __future__ import annotations

from typing import Literal, get_args

IllegalAction = Literal["raise", "noop", "lose"]
LOSS = -1.0
"""Reward of who loses a game by such an action."""


def check_illegal_action(choice: IllegalAction) -> IllegalAction:
    """The choice itself.

    Raises
    ------
    ValueError
        It is none of the possible ones.
    """
    allowed = get_args(IllegalAction)
    if choice not in allowed:
        names = ", ".join(map(repr, allowed))
        raise ValueError(f"illegal_action must be one of {names}; got {choice!r}")
    return choice
