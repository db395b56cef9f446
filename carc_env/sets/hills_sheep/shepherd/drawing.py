"""Shepherds and their flocks."""

from __future__ import annotations

from collections.abc import Iterator

from carc_env.engine.core.codes import Figure, Phase
from carc_env.position import PlacedFigure, Position
from carc_env.render import palette as p
from carc_env.render.declaring import OUTLINE, Drawing, Form
from carc_env.render.lettering import text_svg
from carc_env.render.shapes import Point, number

# A wide hat, a crook, and a sheep at the shepherd's side.
_PATH = (
    "M-3,-15.2C-0.6,-15.2 1,-13.6 1.1,-11.6L4.6,-10.4C5.4,-10.1 5.2,-9 4.4,-8.9L1,-8.6"
    "C0.8,-7.4 0.3,-6.6 -0.4,-6C2.4,-5 4.6,-3.2 5,-0.4L6,3.2C9.4,1.4 15.4,2 16.6,5.2"
    "C18,5.4 18,8 16.4,8.2L15.8,12L13.8,12L13.4,9.6L8.4,9.6L8,12L3.4,12L-9.4,12C-10.4,12 -10.8,11.4"
    " -10.6,10.4L-9.6,-0.6C-9,-3.4 -7.8,-5 -5.6,-6C-6.3,-6.6 -6.8,-7.4 -7,-8.6L-10.4,-8.9"
    "C-11.2,-9 -11.4,-10.1 -10.6,-10.4L-7.1,-11.6C-7,-13.6 -5.4,-15.2 -3,-15.2Z"
    "M-13.6,12L-13.6,-9.6C-16.6,-10.2 -17,-15.2 -13.2,-15.8C-10.6,-16 -9.4,-13.8 -10.4,-12.6"
    "L-12,-13.2C-12.8,-13.2 -12.8,-12 -11.4,-11.2L-11.4,12Z"
)
_DETAILS = (
    f'<path d="M-7.1,-11.6C-7,-13.6 -5.4,-15.2 -3,-15.2C-0.6,-15.2 1,-13.6 1.1,-11.6L4.6,-10.4'
    f'C5.4,-10.1 5.2,-9 4.4,-8.9H-10.4C-11.2,-9 -11.4,-10.1 -10.6,-10.4Z" fill="{p.WHEEL}"'
    f' {OUTLINE}="0.9"/>'
    f'<path d="M5.4,6.2C5.6,3.4 9.4,2.4 12,3C14.6,3.4 15.6,5 15.4,6.6C15.2,8.8 12.6,9.6 10,9.4'
    f'C7,9.4 5.2,8.4 5.4,6.2Z" fill="{p.SHIELD_WHITE}" {OUTLINE}="1"/>'
    '<circle cx="15.6" cy="6.2" r="1.7" fill="{dark}"/>'
    '<path d="M8,9.2V12M12.8,9.2V12" fill="none" stroke="{dark}" stroke-width="1.4"/>'
)


def _flock(position: Position, figure: PlacedFigure, spot: Point, scale: float) -> str:
    """Return a shepherd's number of sheep, in a disc at the shepherd's side."""
    if not position.sheep:
        return ""
    x, y, n = spot[0] + 13 * scale, spot[1] - 9 * scale, sum(position.sheep[figure.seat])
    letters = text_svg(
        str(n), x, y + 3.4 * scale, 8 * scale, color=p.INK, anchor="middle", weight=2
    )
    return (
        f'<g class="flock" data-sheep="{n}"><circle cx="{number(x)}" cy="{number(y)}"'
        f' r="{number(7 * scale)}" fill="{p.SHIELD_WHITE}" stroke="{p.WALL_LINE}"'
        f' stroke-width="{number(1.2 * scale)}"/>{letters}</g>'
    )


def _has(position: Position, seat: int) -> Iterator[str]:
    if position.sheep and (tokens := position.sheep[seat]):
        yield f"{sum(tokens)} sheep"


def _task(position: Position) -> str:
    return "lets the flock grow or herds it" if position.phase == Phase.FLOCK else ""


DRAWING = Drawing(
    moves=True,
    figures={Figure.SHEPHERD: Form(_PATH, _DETAILS, letter_y=5.0, letter_size=6.0, brackets="??")},
    beside=_flock,
    has=_has,
    task=_task,
)
