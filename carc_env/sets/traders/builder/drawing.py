"""The builder, and the second part of a turn."""

from __future__ import annotations

from carc_env.engine.core.codes import Figure
from carc_env.position import Position
from carc_env.render.declaring import Drawing


def _part(position: Position) -> str:
    if position.first_part is not None:
        return "SECOND PART"
    return "SECOND PART FOLLOWS" if position.has_extended else ""


def _turn(position: Position) -> str:
    if position.first_part is not None:
        return " in the second part of the turn"
    return ", a second part follows" if position.has_extended else ""


DRAWING = Drawing(brackets={Figure.BUILDER: "!!"}, makes_room=True, part=_part, turn=_turn)
