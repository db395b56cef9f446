"""Actions as parts for the page, which has a text for each ``word`` and fills in the rest."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from carc_env.engine.core.codes import CORNER_SPOTS, HALF_SPOTS, SIDE_SPOTS, Code, Kind
from carc_env.engine.core.tiles import HALF_SEGMENT, MAZE, SEGMENT_KIND, SPOT_SEGMENT
from carc_env.game.game import Game
from carc_env.render.figure_art import lies
from carc_env.systems.declaring import Choice
from carc_env.systems.places import cell_of

PARTS = tuple(part.name for part in fields(Choice))
BY_QUESTION = ("pass", "accept", "decline")
"""Blocks whose actions are named after the question."""
ON_MAZE = "MAZE"
"""The page's name for the road in a labyrinth, where four other roads meet."""


def named(name: str) -> dict[str, Any]:
    """Return an action as its name alone, for actions whose parts cannot be shown."""
    return {"word": "named", "name": name}


def ground_of(game: Game, choice: Choice) -> dict[str, Any]:
    """Return the ground at an action's spot, its location on the tile, and whether figures lie.

    Fields are named by half-sides; a field that has both halves of a side is named by the side. A
    maze road is named as a maze. An action without a spot has no ground.
    """
    if choice.cell is None or choice.spot is None:
        return {}
    if choice.spot in CORNER_SPOTS:  # if a barn stands between fields
        return {"on": Kind.FIELD.name, "lies": False, "at": choice.spot.name}
    s = game.states[0]
    placed = s.tiles[int(s.board[cell_of(*choice.cell)]) - 1]
    segment = int(SPOT_SEGMENT[placed.design, placed.rotation, choice.spot])
    kind = Kind(int(SEGMENT_KIND[placed.design, segment]))
    at = choice.spot
    if kind == Kind.FIELD and at in HALF_SPOTS:
        halves, side = HALF_SEGMENT[placed.design, placed.rotation], HALF_SPOTS.index(at) // 2
        at = SIDE_SPOTS[side] if (halves[2 * side : 2 * side + 2] == segment).all() else at
    is_lying = kind == Kind.LINES or (choice.figure is not None and lies(choice.figure, kind))
    on = ON_MAZE if segment == MAZE[placed.design] else kind.name
    return {"on": on, "lies": is_lying, "at": at.name}


def parts_of(choice: Choice, name: str) -> dict[str, Any]:
    """Return an action as its parts, with its word and, if it places a tile, the tile.

    The word is the block, or the action's current name: ``"draw"`` for passing, ``"to"`` for
    choosing a cell. All figure placements share one word, since the kind of figure is a separate
    part.
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
    elif choice.figure is not None and choice.figure.name.lower() == word:
        word = "figure"
    return told | {"word": word}
