"""Their actions on meeples inside Carcassonne, which our rules put out of reach (TOW-33, PD-41).

The replay applies these actions to our game by hand, and our game passes instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from carc_env.engine.core.state import NO_FIGURE
from carc_env.game.game import Game
from carc_env.systems.places import cell_of
from tests.peer.translate import FIGURES, QUARTER, QUARTERS, look_up

Line = dict[str, Any]

FAIRY, CAPTURE = "fairy in the ", "remove in the "
"""Prefixes of the names that :func:`translate.action_name` gives to these actions."""

ENTRY_PHASES = ("CocFollowerPhase", "CocCountPhase")
"""Phases in which a meeple enters Carcassonne and the count moves."""


def is_inside(text: str) -> bool:
    """Return whether an action places the fairy or captures a meeple inside Carcassonne."""
    kind, *words = text.split()
    return kind in ("FAIRY", "CAPTURE") and words[3] == QUARTER


def has_fairy_inside(st: Line) -> bool:
    """Return whether their fairy is inside Carcassonne."""
    fairy = st.get("fairy")
    return fairy is not None and fairy[2] == QUARTER


def captures_only_inside(line: Line) -> bool:
    """Return whether a message decides on a capture with no target outside Carcassonne."""
    captures = [text for text in line["legal"] if text != "PASS"]
    return line["phase"] == "TowerCapturePhase" and all(map(is_inside, captures))


def put_fairy(game: Game, place: Sequence[Any]) -> None:
    """Put the fairy on the tile of a quarter; in our game she is beside nobody."""
    x, y, *_ = place
    s = game._states[0]
    s.fairy, s.fairy_figure, s.fairy_top = cell_of(x, y), NO_FIGURE, 0


def capture(game: Game, captor: int, events: Iterable[Sequence[Any]]) -> None:
    """Take a meeple out of its quarter: home if it is the captor's, else to prison or exchanged."""
    players = game._states[0].players
    for name, *rest in events:
        if name in ("captured", "returned"):
            figure, seat, (_, _, _, quarter), *_ = rest
            kind = look_up(FIGURES, "figure", figure)
            players[seat].waiting[look_up(QUARTERS, "quarter", quarter), kind] -= 1
            if name == "captured":
                players[captor].prisoners[seat, kind] += 1
            else:
                players[seat].supply[kind] += 1
        elif name == "exchange":
            for (figure, seat), (_, jailer) in (rest, rest[::-1]):
                kind = look_up(FIGURES, "figure", figure)
                players[jailer].prisoners[seat, kind] -= 1
                players[seat].supply[kind] += 1


def enter(game: Game, seat: int, act: str) -> None:
    """Put a meeple into a quarter or move the count, according to their action."""
    s = game._states[0]
    kind, *words = act.split()
    if kind == "MEEPLE":
        figure, quarter = (
            look_up(FIGURES, "figure", words[0]),
            look_up(QUARTERS, "quarter", words[-1]),
        )
        s.players[seat].supply[figure] -= 1
        s.players[seat].waiting[quarter, figure] += 1
        s.entered = game.turn_player == seat
    elif kind == "COUNT":
        s.count = look_up(QUARTERS, "quarter", words[0])
    game._list_legal()


def award(game: Game, seat: int, points: int) -> None:
    """Give a seat points that only their engine awards."""
    game._states[0].players[seat].score += points
    game._list_legal()
