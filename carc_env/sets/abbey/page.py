"""Abbeys on the page."""

from typing import Any

from carc_env.engine.core.codes import Phase
from carc_env.game.game import Game


def why_not(game: Game, _: int) -> dict[str, Any] | None:
    """Explain why a cell is not legal: an abbey must fill a hole (ABB-03)."""
    return {"why": "abbey"} if game.phase == Phase.DRAW_OR_ABBEY else None
