"""Actions outside the mask, and the action that environments ignore after a game ends."""

from __future__ import annotations

from typing import Literal, get_args

IllegalAction = Literal["raise", "noop", "lose"]
ILLEGAL_ACTION: tuple[IllegalAction, ...] = get_args(IllegalAction)
LOSS = -1.0
"""Reward for a player who loses a game by playing an illegal action."""
IGNORED_ACTION = 0
"""The only action in masks and lists when no game is in progress; environments ignore it.

It ensures that code that samples from a mask, or takes a softmax over it, finds an action in every
row.
"""
