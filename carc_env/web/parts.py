"""Actions in parts, as the page gets them: it has texts by ``word``, and puts the others in."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from carc_env.engine.core.codes import Code
from carc_env.systems.declaring import Choice

PARTS = tuple(part.name for part in fields(Choice))
BY_QUESTION = ("pass", "accept", "decline")
"""Blocks whose actions are called by what is asked."""


def parts_of(choice: Choice, name: str) -> dict[str, Any]:
    """The parts of an action, with its word and, where one is placed, the tile.

    The word is the block, or what its action is called now: ``"draw"`` for passing, ``"to"`` for a
    cell that is chosen. Figures that are placed have one word, since they say which they are.
    """
    told = {part: value for part in PARTS if (value := getattr(choice, part)) is not None}
    told |= {part: value.name for part, value in told.items() if isinstance(value, Code)}
    word, first = choice.kind, name.split()[0]
    if first == "to":
        del told["rotation"]
    if word in BY_QUESTION or first == "to":
        word = first
    elif word == "tile":
        told["tile"] = first
    elif choice.figure is not None and choice.spot is not None:
        word = "figure"
    return told | {"word": word}
