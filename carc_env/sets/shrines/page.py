"""Shrines and their rivals on the page."""

from typing import Any

from carc_env.engine import entry
from carc_env.engine.core.codes import Phase
from carc_env.engine.core.tiles import DESIGN
from carc_env.game.game import Game


def why_not(game: Game, cell: int) -> dict[str, Any] | None:
    """Shrines and monasteries keep apart where the tile in hand fits otherwise (CULT-03)."""
    if not game.rules.shrines or game.phase != Phase.PLACE_TILE:
        return None
    states = game.states.copy()
    states[0].rules.rivals = 0
    design = DESIGN[game.tile_in_hand]
    fits = any(entry.can_place(states, 0, design, rotation, cell) for rotation in range(4))
    return {"why": "rivals"} if fits else None
