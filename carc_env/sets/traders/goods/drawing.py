"""Goods in cities, and those that players have collected."""

from __future__ import annotations

from collections.abc import Iterator

from carc_env.engine.core.codes import Good
from carc_env.position import Position
from carc_env.render import palette as p
from carc_env.render.card import RIGHT_PART
from carc_env.render.declaring import Drawing, Row
from carc_env.render.lettering import text_svg
from carc_env.render.shapes import number
from carc_env.render.symbols import symbol

STEP = 25.0


def _row(position: Position, seat: int, y: float) -> str:
    """Return how many goods of each kind a player has."""
    parts = []
    for good in Good:
        n, x = position.goods[seat][good], RIGHT_PART + STEP * good
        color, faint = (p.INK, "") if n else (p.CARD_LINE, ' opacity="0.3"')
        parts.append(
            f'<g class="goods" data-good="{good.name.lower()}" data-count="{n}"'
            f' transform="translate({number(x)} {number(y)})">'
            f"<g{faint}>{symbol(good.name.lower(), (0, 0), 7)}</g>"
            f"{text_svg(str(n), 9.6, 3.8, 7.6, color=color, weight=1.5)}</g>"
        )
    return "".join(parts)


def _collected(position: Position, seat: int) -> Iterator[str]:
    for good in Good if position.goods else ():
        if n := position.goods[seat][good]:
            yield f"{n} {good.name.lower()}"


DRAWING = Drawing(
    letters={"wine": "w", "grain": "g", "cloth": "t"},
    emblem=lambda city: city.get("goods"),
    row=Row(lambda position: bool(position.goods), _row, has_figures=True),
    collected=_collected,
)
