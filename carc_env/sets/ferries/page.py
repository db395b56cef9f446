"""Ferries on the page."""

from __future__ import annotations

from typing import Any

from carc_env.game.game import Game
from carc_env.position import Position
from carc_env.sets.ferries.drawing import DRAWING


def told(_: Game, position: Position) -> dict[str, Any]:
    """Return all ferries on their lakes, below the figures, in board units."""
    return {"ferries": "".join(piece.svg for piece in DRAWING.below(position))}
