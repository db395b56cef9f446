"""Marks on the board: possible placements, and agents' opinions of them."""

from __future__ import annotations

from dataclasses import dataclass

from carc_env.engine.core.codes import Figure, Spot
from carc_env.game.game import Game
from carc_env.position import Position


@dataclass(frozen=True)
class Mark:
    """A mark on a cell: a tile or a figure that could be placed there, and a text.

    Attributes
    ----------
    x, y
        The cell.
    text
        The text on the sign: digits, letters and ``- + / . :``. If it is empty, there is no sign.
    is_best
        Whether the sign stands out.
    tile, rotation
        A tile that could be placed there.
    figure, spot
        A figure that the decider could place there, and its spot. A spot without a figure is a
        ring.
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

    Actions without a location on the board, such as bids, have no mark.
    """
    game = Game.from_position(position)
    choices = [game.choice(action) for action in game.legal_actions()]
    places = {(c.cell, c.spot): None for c in choices if c.cell is not None}
    return tuple(Mark(*cell, spot=spot) for cell, spot in places if cell is not None)
