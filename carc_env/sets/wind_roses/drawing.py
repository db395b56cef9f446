"""Wind roses: whole ones that turn with their tiles, and quarters that do not."""

from __future__ import annotations

from carc_env.engine.core.tiles import SIDES
from carc_env.render import palette as p
from carc_env.render.brush import line, plain, shape
from carc_env.render.declaring import Drawing
from carc_env.render.survey import Survey
from carc_env.sets.wind_roses.record import QUARTERS

RADIUS, LEAST_RADIUS = 15.0, 10.0
NATURAL_RADIUS = 13.0
DEGREES = 45
COLORS = (p.GOLD, p.CANVAS[1], p.LEAF, p.CANVAS[0])
"""Colours of the quarters, clockwise from the north-east."""
ORANGE, BLUE = "#e0832b", "#2f6fb5"

_SECTOR = "M0,0V-10A10,10 0 0 1 10,0Z"
_RAY = "M0,-11.4L1.9,-1.9L0,0Z", "M0,-11.4L-1.9,-1.9L0,0Z"


def _sectors(shown: tuple[int, ...]) -> str:
    """Draw the four quarters, the visible ones in their colours."""
    return "".join(
        f'<g transform="rotate({90 * k})">'
        + plain(_SECTOR, COLORS[k] if k in shown else p.SHIELD_WHITE)
        + "</g>"
        for k in range(len(QUARTERS))
    )


def _rays() -> str:
    """Draw a star with a ray for each of the four winds."""
    light, dark = _RAY
    return "".join(
        f'<g transform="rotate({90 * k})">'
        + shape(light, p.SHIELD_WHITE, p.INK, 0.5)
        + shape(dark, p.INK, p.INK, 0.5)
        + "</g>"
        for k in range(4)
    )


def _ring(color: str) -> str:
    return (
        f'<circle r="10.6" fill="{p.SHIELD_WHITE}" stroke="{p.INK}" stroke-width="3.2"/>'
        f'<circle r="10.6" fill="none" stroke="{color}" stroke-width="2"/>'
    )


def _rose(color: str, direction: int) -> str:
    """Draw a whole rose with an arrow at its north."""
    arrow = shape("M0,-15.4L3,-10.4H-3Z", color, p.INK, 0.7)
    inside = _ring(color) + _sectors((0, 1, 2, 3)) + _rays() + arrow
    return f'<g transform="rotate({DEGREES * direction})">{inside}</g>'


def _orange_rose(direction: int) -> str:
    return _rose(ORANGE, direction)


def _blue_rose(direction: int) -> str:
    return _rose(BLUE, direction)


def _quarter(quarter: int) -> str:
    """Draw a rose with one quarter in its colour."""
    rim = line("M0,-10.6A10.6,10.6 0 0 1 10.6,0", COLORS[quarter], 3)
    turned = f'<g transform="rotate({90 * quarter})">{rim}</g>'
    return _ring(p.WALL_STONE) + _sectors((quarter,)) + turned + _rays()


def _add_rose(survey: Survey) -> None:
    """Place the rose in a field, or in a city if the fields are small."""
    row = survey.row
    if "wind_rose" not in row:
        return
    spot, room = survey.roomiest_ground(LEAST_RADIUS)
    radius = min(RADIUS, max(LEAST_RADIUS, room))
    if "rose_north" in row:
        kind = "orange-rose" if row.get("start") else "blue-rose"
        survey.add(kind, spot, radius, radius, 2 * SIDES.index(row["rose_north"]))
    else:
        survey.add("rose-quarter", spot, radius, radius, QUARTERS.index(row["wind_rose"]))


DRAWING = Drawing(
    symbols={
        "orange-rose": (_orange_rose, NATURAL_RADIUS),
        "blue-rose": (_blue_rose, NATURAL_RADIUS),
        "rose-quarter": (_quarter, NATURAL_RADIUS),
    },
    directed=("orange-rose", "blue-rose"),
    letters={"orange-rose": "R", "blue-rose": "U", "rose-quarter": "q"},
    before_farmers=_add_rose,
)
