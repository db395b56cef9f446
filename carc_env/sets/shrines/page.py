"""Shrines and their rivals on the page."""

from typing import Any

from carc_env.engine import entry
from carc_env.engine.core.codes import Kind, Phase
from carc_env.engine.core.tiles import DESIGN
from carc_env.game.game import Game
from carc_env.systems.worth import Feature, Ways


def why_not(game: Game, cell: int) -> dict[str, Any] | None:
    """Explain why a cell is illegal: shrines and monasteries must stay apart (CULT-03)."""
    if not game.rules.shrines or game.phase != Phase.PLACE_TILE:
        return None
    states = game.states.copy()
    states[0].rules.rivals = 0
    design = DESIGN[game.tile_in_hand]
    fits = any(entry.can_place(states, 0, design, rotation, cell) for rotation in range(4))
    return {"why": "rivals"} if fits else None


def changed(feature: Feature) -> Ways:
    """Score nothing for a building that has lost a challenge (CULT-07)."""
    yield feature
    if feature.rules.shrines and feature.kind == Kind.MONASTERY and feature.is_scored:
        yield feature.with_each(0)
