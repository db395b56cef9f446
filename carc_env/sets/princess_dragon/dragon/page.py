"""The dragon on the page."""

from typing import Any

from carc_env.engine.core.board import STEP
from carc_env.engine.core.codes import Phase
from carc_env.game.game import Game


def why_not(game: Game, cell: int) -> dict[str, Any] | None:
    """Explain why an action is illegal: nobody may join the dragon, which can enter few cells.

    See PD-03 and PD-10 to PD-14.
    """
    s = game.states[0]
    if game.phase == Phase.FIGURE and game.rules.dragon and cell == s.dragon:
        return {"why": "dragon"}
    if game.phase != Phase.FLIGHT:
        return None
    if cell == s.dragon or cell in s.flown[: int(s.n_flown)]:
        return {"why": "flown"}
    if cell == s.fairy:
        return {"why": "fairy"}
    is_near = s.board[cell] > 0 and cell - s.dragon in STEP
    return None if is_near else {"why": "far"}
