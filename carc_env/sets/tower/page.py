"""Prisoners on the page."""

from __future__ import annotations

from typing import Any

from carc_env.game.game import Game
from carc_env.position import Position


def told(game: Game, position: Position) -> dict[str, Any]:
    """Return each seat's prisoners."""
    held: list[list[dict[str, Any]]] = [[] for _ in range(game.rules.n_players)]
    for prisoner in position.prisoners:
        held[prisoner.captor].append({"seat": prisoner.seat, "figure": prisoner.figure.name})
    return {"prisoners": held}
