"""Handle a fairy that is beside a different meeple in their game than in ours, or beside nobody.

Their fairy stays beside one particular figure wherever it moves, as long as it is on the table. Our
fairy stays on its spot when the figure leaves, beside another meeple of the same seat if there is
one.
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
    """Return whether the fairy's meeple leaves while others of its seat stay on the spot.

    ``before`` and ``st`` are their states before and after the message.
    """
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
    """Leave the fairy beside nobody."""
    s = game._states[0]
    s.fairy_figure, s.fairy_top = NO_FIGURE, 0


def without_moved(st: Line) -> list[Any] | None:
    """Return where their fairy is, beside nobody if her meeple has left the spot.

    They keep her beside a meeple that fell into a trap or moved out of Carcassonne.
    """
    fairy: list[Any] | None = st.get("fairy")
    if fairy is None or fairy[4] is None or fairy[:4] in _places_of(fairy[4], st["figs"]):
        return fairy
    return [*fairy[:4], None]


def to_moved(st: Line, last: Cell) -> set[str]:
    """Return our actions that may move the fairy to where the meeple beside her has gone."""
    fairy = st.get("fairy")
    if fairy == without_moved(st):
        return set()
    places = _places_of(fairy[4], st["figs"]) if fairy else []
    return {action_name(" ".join(map(str, ["FAIRY", fairy[4], *at])), last) for at in places}


def _places_of(number: str, rows: Iterable[Sequence[Any]]) -> list[list[Any]]:
    """Return the places of all figures with the seat and the kind of a figure id."""
    seat, kind, _ = number.split(".")
    return [
        list(place)
        for name, owner, *place in rows
        if owner == int(seat) and look_up(FIGURES, "figure", name) == FIGURE_IDS[kind]
    ]
