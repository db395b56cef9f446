"""The builder, and the second part of a turn."""

from __future__ import annotations

from carc_env.engine.core.codes import Figure
from carc_env.position import Position
from carc_env.render import palette
from carc_env.render.declaring import OUTLINE, Drawing, Form

# A wide straw hat, one arm on the hip, and a mallet in the other hand.
_PATH = (
    "M-8,-9C-7,-9.8 -5.8,-10 -4.7,-10.2C-4.5,-13.6 -2.6,-15.4 0,-15.4C2.6,-15.4 4.5,-13.6 4.7,-10.2"
    "C5.8,-10 7,-9.8 8,-9C8.1,-7.8 5.8,-7.1 4.5,-7C4.4,-5.7 4.1,-4.8 3.6,-4.2"
    "C6.6,-4.5 8.2,-6 9.2,-8.8L13.6,-8C13.2,-3.4 10.4,0 6.8,1.2L6.7,3L9.3,10.2"
    "C9.7,11.3 9.2,12 8.2,12L3,12C2.1,12 1.8,11.6 1.4,10.8L0,8.2L-1.4,10.8"
    "C-1.8,11.6 -2.1,12 -3,12L-8.2,12C-9.2,12 -9.7,11.3 -9.3,10.2L-6.7,3L-8.6,3.4"
    "C-10.8,3.6 -12.2,2.2 -11.5,0.4C-10.2,-2.6 -7.2,-3.9 -3.6,-4.2C-4.1,-4.8 -4.4,-5.7 -4.5,-7"
    "C-5.8,-7.1 -8.1,-7.8 -8,-9Z"
    "M10.2,-12.8L6.8,-12.8L6.8,-18.6L17,-18.6L17,-12.8L13.6,-12.8L13.6,1.4L10.2,1.4Z"
)
_STRAW_HAT = (
    "M-8,-9C-7,-9.8 -5.8,-10 -4.7,-10.2C-4.5,-13.6 -2.6,-15.4 0,-15.4C2.6,-15.4 4.5,-13.6 4.7,-10.2"
    "C5.8,-10 7,-9.8 8,-9C8.1,-7.8 5.6,-7.1 0,-7.1C-5.6,-7.1 -8.1,-7.8 -8,-9Z"
)
_DETAILS = (
    f'<path d="M10.2,-12.8H13.6V1.4H10.2Z" fill="{palette.WHEEL}" {OUTLINE}="0.9"/>'
    f'<path d="M6.8,-18.6H17V-12.8H6.8Z" fill="{palette.WALL_STONE}" {OUTLINE}="1.3"/>'
    '<path d="M9,-8.4L13.8,-7.6L12.8,-4.8L8,-5.7Z" fill="{dark}"/>'
    f'<path d="{_STRAW_HAT}" fill="{palette.WHEEL}" {OUTLINE}="1.1"/>'
    f'<path d="M-4.6,-10.3C-2,-9.6 2,-9.6 4.6,-10.3" fill="none" {OUTLINE}="1.3"/>'
)


def _part(position: Position) -> str:
    if position.first_part is not None:
        return "SECOND PART"
    return "SECOND PART FOLLOWS" if position.has_extended else ""


def _turn(position: Position) -> str:
    if position.first_part is not None:
        return " in the second part of the turn"
    return ", a second part follows" if position.has_extended else ""


DRAWING = Drawing(
    figures={Figure.BUILDER: Form(_PATH, _DETAILS, letter_y=6.0, letter_size=6.0, brackets="!!")},
    makes_room=True,
    part=_part,
    turn=_turn,
)
