"""Whom they take the fairy to be beside, where that is another meeple than with us, or nobody.

Theirs is beside one certain figure, wherever that goes as long as it is on the table. Ours stays on
its spot when the figure goes, beside another meeple of the same seat if there is one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from carc_env.engine.core.state import NO_FIGURE
from carc_env.game.game import Game
from carc_env.game.jcz import FIGURE_IDS
from tests.oracle.board import MEEPLES
from tests.peer.translate import FIGURES, TRAPS, Cell, action_name, look_up

Line = dict[str, Any]


def loses_one(game: Game, before: Line, st: Line) -> bool:
    """Whether her meeple goes, by their states around that, but others of its seat stay there."""
    old, new = before.get("fairy"), st.get("fairy")
    is_alone = old and new and old[:4] == new[:4] and old[4] is not None and new[4] is None
    if not is_alone or (position := game.position()).fairy is None:
        return False
    seats = [
        figure.seat
        for figure in position.figures
        if (figure.x, figure.y, figure.spot) == (*position.fairy, position.fairy_beside)
        if figure.figure in MEEPLES
    ]
    if old[2] in TRAPS and position.fairy_on_top:
        seats = [figure.seat for figure in position.trapped if figure.trap == TRAPS[old[2]]]
    return seats.count(int(old[4][0])) > 1


def leave_alone(game: Game) -> None:
    """Let the fairy be beside nobody."""
    s = game._states[0]
    s.fairy_figure, s.fairy_top = NO_FIGURE, 0


def without_moved(st: Line) -> list[Any] | None:
    """Where their fairy is, beside nobody if her meeple is not there any more.

    They keep her beside one that got into a trap from there, or came out of Carcassonne.
    """
    fairy: list[Any] | None = st.get("fairy")
    if fairy is None or fairy[4] is None or fairy[:4] in _places_of(fairy[4], st["figs"]):
        return fairy
    return [*fairy[:4], None]


def to_moved(st: Line, last: Cell) -> set[str]:
    """Our actions that may put the fairy beside the meeple that they keep her beside, elsewhere."""
    fairy = st.get("fairy")
    if fairy == without_moved(st):
        return set()
    places = _places_of(fairy[4], st["figs"]) if fairy else []
    return {action_name(" ".join(map(str, ["FAIRY", fairy[4], *at])), last) for at in places}


def _places_of(number: str, rows: Iterable[Sequence[Any]]) -> list[list[Any]]:
    """Where figures of the seat and the kind of one stand."""
    seat, kind, _ = number.split(".")
    return [
        list(place)
        for name, owner, *place in rows
        if owner == int(seat) and look_up(FIGURES, "figure", name) == FIGURE_IDS[kind]
    ]
