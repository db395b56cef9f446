"""A corn circle on the page."""

from __future__ import annotations

from typing import Any

from carc_env.engine.core.codes import Kind, Phase
from carc_env.engine.core.tiles import CIRCLE
from carc_env.game.game import Game
from carc_env.position import Position


def told(game: Game, position: Position) -> dict[str, Any]:
    """Return the terrain of the meeples that the circle affects, for the player who chooses."""
    if position.phase != Phase.CIRCLE:
        return {"circle": None}
    s = game.states[0]
    return {"circle": Kind(int(CIRCLE[s.tiles[s.n_tiles - 1].design])).name}
