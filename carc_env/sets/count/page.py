"""Carcassonne on the page."""

from __future__ import annotations

from collections import Counter
from typing import Any

from carc_env.engine.core.codes import Quarter
from carc_env.game.game import Game
from carc_env.position import Position


def told(game: Game, position: Position) -> dict[str, Any]:
    """Return who waits in which quarter, by seat, and whether they leave for the last time."""
    seats = range(game.rules.n_players)
    return {
        "waiting": [_waiting(position, seat) for seat in seats],
        "leavesLast": position.leaves_last,
    }


def _waiting(position: Position, seat: int) -> list[dict[str, Any]]:
    waiting = Counter((one.quarter, one.figure) for one in position.waiting if one.seat == seat)
    return [
        {
            "quarter": quarter.name,
            "figures": {f.name: n for (q, f), n in sorted(waiting.items()) if q == quarter},
        }
        for quarter in Quarter
        if any(q == quarter for q, _ in waiting)
    ]
