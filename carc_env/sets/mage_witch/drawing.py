"""The mage and the witch beside their roads and cities, and the symbol that calls them."""

from __future__ import annotations

from collections.abc import Iterator

from carc_env.engine.core.codes import Phase
from carc_env.position import Place, Position
from carc_env.render import palette as p
from carc_env.render.brush import line, plain, shape
from carc_env.render.declaring import Drawing
from carc_env.render.pieces import Piece, around
from carc_env.render.shapes import Point
from carc_env.render.sites import stand_on_board
from carc_env.render.survey import Survey
from carc_env.render.symbols import symbol
from carc_env.words import format_segment

RADIUS = 13.0
SIGN = 9.0
BESIDE: dict[str, Point] = {"mage": (-13.0, -8.0), "witch": (13.0, 8.0)}
"""Offset of the mage and of the witch from the figure spot of their segment, clear of the fairy."""
NIGHT, NIGHT_DARK, NIGHT_LIGHT = "#4b3a86", "#2b2054", "#7d6bbd"
DRESS, DRESS_DARK, FACE = "#4f6b46", "#26341f", "#f0c9a0"

_STAR = "M0,-5.6L1.5,-1.9L5.4,-1.7L2.4,0.8L3.4,4.6L0,2.4L-3.4,4.6L-2.4,0.8L-5.4,-1.7L-1.5,-1.9Z"


def _sign(_: int) -> str:
    """Draw a golden star on a midnight-blue disc."""
    return (
        f'<circle r="8.6" fill="{NIGHT}" stroke="{NIGHT_DARK}" stroke-width="1"/>'
        + f'<circle r="7" fill="none" stroke="{p.GOLD}" stroke-width="0.6"/>'
        + shape(_STAR, p.GOLD, p.GATE, 0.5)
    )


def _shadow() -> str:
    return '<ellipse cx="0" cy="8.6" rx="6.4" ry="1.8" fill="#2b1a14" fill-opacity="0.3"/>'


def _mage(_: int) -> str:
    """Draw a bearded man in a robe, with a pointed hat and a staff."""
    stars = "".join(
        f'<circle cx="{x}" cy="{y}" r="0.6" fill="{p.GOLD}"/>'
        for x, y in ((-2.2, 4.6), (1.6, 6.4), (0.6, 2.6), (0.2, -7))
    )
    return (
        _shadow()
        + line("M5.6,8.4L6.4,-5", p.GATE, 1.1)
        + f'<circle cx="6.5" cy="-6" r="1.7" fill="#9fdcf0" stroke="{NIGHT_DARK}"'
        ' stroke-width="0.5"/>'
        + shape("M-2.4,-0.6H2.4L6,1.4L5.4,3L3.4,2.4L4.8,8.6H-4.8Z", NIGHT, NIGHT_DARK, 0.8)
        + f'<circle cx="0" cy="-2.6" r="2.5" fill="{FACE}" stroke="{NIGHT_DARK}"'
        ' stroke-width="0.6"/>'
        + shape(
            "M-2.4,-2.2C-1,-1.2 1,-1.2 2.4,-2.2C2.2,1 1,3 0,4.4C-1,3 -2.2,1 -2.4,-2.2Z",
            p.SHIELD_WHITE,
            p.LEAD_DARK,
            0.5,
        )
        + shape(
            "M-4.4,-3.6C-2,-4.6 2,-4.6 4.4,-3.6L1.6,-5L0.4,-11.4L-2,-5Z", NIGHT, NIGHT_DARK, 0.8
        )
        + stars
    )


def _witch(_: int) -> str:
    """Draw a woman with a wide hat and a broom."""
    return (
        _shadow()
        + line("M-7.4,8.2L5.8,-3.4", p.GATE, 1.1)
        + shape("M-9.6,9.4L-6.6,4.6L-4.2,7.2Z", p.GOLD, p.STRAW, 0.6)
        + shape("M-2,-0.8H2L3,2L2.2,3L4.8,8.6H-4.8L-2.2,3L-3,2Z", DRESS, DRESS_DARK, 0.8)
        + line("M-2.2,3H2.2", p.GOLD, 0.9)
        + plain(
            "M-2.8,-3C-3.8,0 -3.4,1.4 -2.6,2L-1.6,-1H1.6L2.6,2C3.4,1.4 3.8,0 2.8,-3Z", p.FRUIT[0]
        )
        + f'<circle cx="0" cy="-2.6" r="2.4" fill="{FACE}" stroke="{DRESS_DARK}"'
        ' stroke-width="0.6"/>'
        + shape(
            "M-6.2,-3.4C-3,-5.4 3,-5.4 6.2,-3.4C3,-3 -3,-3 -6.2,-3.4Z", DRESS_DARK, "#10160c", 0.6
        )
        + shape("M-2.8,-4.4L-0.6,-9.4L2.6,-11L1.4,-8.6L2.8,-4.4Z", DRESS_DARK, "#10160c", 0.6)
        + line("M-2.5,-4.8H2.6", DRESS, 1.0)
    )


def _add_sign(survey: Survey) -> None:
    """Place the symbol in a field, or in a city if the fields are small."""
    if not survey.row.get("magic"):
        return
    spot, room = survey.roomiest_ground(SIGN)
    radius = min(SIGN, room)
    survey.add("magic", spot, radius, radius)


def _who_is_out(position: Position) -> Iterator[tuple[str, Place]]:
    """Return whether the mage or the witch is on the board, and where."""
    for who, place in (("mage", position.mage), ("witch", position.witch)):
        if place is not None:
            yield who, place


def _above(position: Position) -> Iterator[Piece]:
    for who, (column, row, spot) in _who_is_out(position):
        x, y = stand_on_board(position, (column, row), spot)
        x, y = x + BESIDE[who][0], y + BESIDE[who][1]
        drawn = symbol(who, (x, y), RADIUS)
        tagged = f'<g class="{who}" data-x="{column}" data-y="{row}">{drawn}</g>'
        yield Piece(tagged, around(x, y, RADIUS + 2))


def _task(position: Position) -> str:
    if position.phase not in (Phase.MAGIC, Phase.MAGIC_SPOT):
        return ""
    return "moves the mage or the witch"


def _state(position: Position) -> str:
    return "".join(f"; {who} at {format_segment(place)}" for who, place in _who_is_out(position))


DRAWING = Drawing(
    moves=True,
    symbols={"magic": (_sign, SIGN), "mage": (_mage, 10.5), "witch": (_witch, 10.5)},
    letters={"magic": "!"},
    before_farmers=_add_sign,
    above=_above,
    task=_task,
    state=_state,
)
