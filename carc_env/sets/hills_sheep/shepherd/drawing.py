"""Shepherds and their flocks."""

from __future__ import annotations

from collections.abc import Iterator

from carc_env.engine.core.codes import Figure, Phase
from carc_env.position import PlacedFigure, Position
from carc_env.render import palette as p
from carc_env.render.declaring import Drawing
from carc_env.render.lettering import text_svg
from carc_env.render.shapes import Point, number


def _flock(position: Position, figure: PlacedFigure, spot: Point, scale: float) -> str:
    """How many sheep a shepherd has, in a disc at its side."""
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


DRAWING = Drawing(moves=True, brackets={Figure.SHEPHERD: "??"}, beside=_flock, has=_has, task=_task)
