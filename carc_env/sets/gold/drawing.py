"""Gold mines, ingots on tiles, and players' ingots."""

from __future__ import annotations

from collections.abc import Iterator

from carc_env.engine.core.codes import Phase
from carc_env.position import Pile, Position
from carc_env.render import palette as p
from carc_env.render.brush import line, plain, shape
from carc_env.render.card import SUPPLY_LEFT
from carc_env.render.corners import ingot_spot
from carc_env.render.declaring import Drawing, Row
from carc_env.render.figure_art import LETTERS
from carc_env.render.lettering import text_svg
from carc_env.render.pieces import Piece, around
from carc_env.render.shapes import Point, number
from carc_env.render.survey import Survey
from carc_env.render.symbols import symbol
from carc_env.words import counted, format_cell

RADIUS = 10.0
MINE = 13.0
HEAP: tuple[Point, ...] = ((-7.0, 3.0), (7.0, 3.0), (0.0, -5.0))
"""Places of the first ingots in a pile; there is no room for more."""
DARK, BRIGHT, DUSK = "#8a641a", "#f4d987", "#b9842a"


def _mine(_: int) -> str:
    """Draw the mouth of a mine in a heap of rocks that contains gold."""
    nuggets = ((-7.6, 3.4, 1.5), (7.4, 0.4, 1.7), (-4.6, -6.6, 1.3), (9.4, 6.6, 1.2))
    return (
        plain("M-11,9.4H14L11,5H-8Z", p.SHADE, 0.3)
        + shape(
            "M-12,9L-10.6,2.6L-7,-1.4L-6.4,-6.6L-1.4,-10L4.4,-8.4L6.4,-3.4L10.6,-0.6L12,9Z",
            p.WALL_STONE,
        )
        + line("M-7,-1.4L-4,1M6.4,-3.4L4,0.4M-1.4,-10L-0.6,-6.4M10.6,-0.6L8,3.4", p.WALL_LINE, 0.6)
        + shape("M-4.6,9V0.6L-2.6,-3H2.6L4.6,0.6V9Z", p.SLIT, p.GATE, 1.3)
        + line("M-3.4,9V1M3.4,9V1M-4.4,0.6H4.4", p.GATE, 1.3)
        + "".join(
            f'<circle cx="{x}" cy="{y}" r="{r}" fill="{p.GOLD}" stroke="{DARK}"'
            ' stroke-width="0.6"/>'
            for x, y, r in nuggets
        )
    )


def _ingot(_: int) -> str:
    """Draw a bar of gold, lit from the north-west."""
    return (
        shape("M-8.4,3.4L-5.6,-3.4H4.4L8.4,3.4Z", p.GOLD, DARK)
        + plain("M-5.2,-2.8H4L5.4,-0.4H-6.2Z", BRIGHT)
        + plain("M5.6,-0.2L8,3H4.2Z", DUSK, 0.7)
        + line("M-3.6,1.6H3", DARK, 0.8)
    )


def _add_mine(survey: Survey) -> None:
    """Place the mine in a field, or in a city if the fields are small."""
    if not survey.row.get("goldmine"):
        return
    spot, room = survey.roomiest_ground(MINE)
    radius = min(MINE, room)
    survey.add("goldmine", spot, radius, radius)


def _above(position: Position) -> Iterator[Piece]:
    """Draw ingots on tiles, from north to south."""
    for pile in sorted(position.gold, key=lambda pile: pile.y):
        x, y = ingot_spot(position, (pile.x, pile.y), pile.ingots)
        yield Piece(_pile(pile, x, y), around(x, y, 22))


def _pile(pile: Pile, x: float, y: float) -> str:
    """Draw a single ingot, or a heap with its number of ingots."""
    places = HEAP[: pile.ingots] if pile.ingots > 1 else ((0.0, 0.0),)
    parts = [symbol("ingot", (x + dx, y + dy), RADIUS) for dx, dy in places]
    if pile.ingots > 1:
        disc = (x + 14, y - 8)
        parts.append(
            f'<circle cx="{number(disc[0])}" cy="{number(disc[1])}" r="5.6"'
            f' fill="{p.SHIELD_WHITE}" stroke="{DARK}" stroke-width="1"/>'
            + text_svg(
                str(pile.ingots),
                disc[0],
                disc[1] + 2.8,
                6.8,
                color=p.INK,
                anchor="middle",
                weight=2,
            )
        )
    return (
        f'<g class="gold" data-x="{pile.x}" data-y="{pile.y}" data-ingots="{pile.ingots}">'
        f"{''.join(parts)}</g>"
    )


def _row(position: Position, seat: int, y: float) -> str:
    """Return how many ingots a player has."""
    n = position.ingots[seat]
    color, faint = (p.INK, "") if n else (p.CARD_LINE, ' opacity="0.3"')
    return (
        f'<g class="ingots" data-count="{n}"><g{faint}>{symbol("ingot", (SUPPLY_LEFT, y), 7)}</g>'
        f"{text_svg(str(n), SUPPLY_LEFT + 9.6, y + 3.8, 7.6, color=color, weight=1.5)}</g>"
    )


def _collected(position: Position, seat: int) -> Iterator[str]:
    if position.ingots and (n := position.ingots[seat]):
        yield counted(n, "ingot")


def _task(position: Position) -> str:
    if position.phase == Phase.INGOT:
        return "puts the second ingot on a tile beside the gold mine"
    return "chooses where to take an ingot" if position.phase == Phase.SHARE else ""


def _lines(position: Position) -> Iterator[str]:
    """Return the lines that list ingots, and the seats that may take them."""
    told = []
    for pile in position.gold:
        seats = "".join(f" {LETTERS[seat]}" for seat in pile.seats)
        whose = f" for{seats}" if seats else ""
        told.append(f"{format_cell((pile.x, pile.y))} {counted(pile.ingots, 'ingot')}{whose}")
    if told:
        yield f"gold: {', '.join(told)}"


DRAWING = Drawing(
    symbols={"goldmine": (_mine, 12.0), "ingot": (_ingot, 9.0)},
    letters={"goldmine": "G"},
    before_farmers=_add_mine,
    above=_above,
    row=Row(lambda position: bool(position.ingots), _row),
    collected=_collected,
    task=_task,
    lines=_lines,
)
