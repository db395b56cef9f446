"""Actions outside of the mask, and the action that environments ignore after the end of a game."""

from __future__ import annotations

from typing import Literal, get_args

IllegalAction = Literal["raise", "noop", "lose"]
ILLEGAL_ACTION: tuple[IllegalAction, ...] = get_args(IllegalAction)
LOSS = -1.0
"""Reward of who loses a game by such an action."""
IGNORED_ACTION = 0
"""All that masks and lists allow when no game is going on; environments do nothing with it.

Code that draws from a mask, or takes a softmax over it, therefore finds an action in every row.
"""
