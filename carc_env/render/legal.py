"""Marks over the board: possible placements, and agents' opinions of them."""

from __future__ import annotations

from dataclasses import dataclass

from carc_env.engine.core.codes import Figure, Spot
from carc_env.game.game import Game
from carc_env.position import Position


@dataclass(frozen=True)
class Mark:
    """A mark over a cell of the board: a tile or a figure that could be there, and a text.

    Attributes
    ----------
    x, y
        The cell.
    text
        In a sign on it: digits, letters and ``- + / . :``. Without it there is no sign.
    is_best
        Whether the sign stands out.
    tile, rotation
        A tile that could lie there.
    figure, spot
        A figure of the decider that could stand there, and its place. A spot alone is a ring.
    """

    x: int
    y: int
    text: str = ""
    is_best: bool = False
    tile: str | None = None
    rotation: int = 0
    figure: Figure | None = None
    spot: Spot | None = None


def legal_marks(position: Position) -> tuple[Mark, ...]:
    """Return where the decider may place something: cells for tiles and wagons, spots for figures.

    Actions without a place on the board, such as bids, have no mark.
    """
    game = Game.from_position(position)
    choices = [game.choice(action) for action in game.legal_actions()]
    places = {(c.cell, c.spot): None for c in choices if c.cell is not None}
    return tuple(Mark(*cell, spot=spot) for cell, spot in places if cell is not None)
