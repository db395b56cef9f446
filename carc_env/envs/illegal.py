"""What environments do with an action outside of the mask."""

from __future__ import annotations

from typing import Literal, get_args

IllegalAction = Literal["raise", "noop", "lose"]
ILLEGAL_ACTION: tuple[IllegalAction, ...] = get_args(IllegalAction)
LOSS = -1.0
"""Reward of who loses a game by such an action."""
