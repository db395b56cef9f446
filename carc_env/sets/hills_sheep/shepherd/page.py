"""A flock on the page."""

from __future__ import annotations

from typing import Any

from carc_env.engine.core.codes import Kind, Phase
from carc_env.game.game import Game
from carc_env.position import Position


def told(game: Game, _: Position) -> dict[str, Any]:
    """Return the points for herding, including other flocks in the field (HS-32)."""
    if game.phase != Phase.FLOCK:
        return {"flock": None}
    herded = game.clone()
    herded.apply("herd")
    scores = (score for score in herded.last_scores if score.kind == Kind.FLOCK)
    return {"flock": next(score.points for score in scores if score.seat == game.decider)}
