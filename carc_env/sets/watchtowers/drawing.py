"""Watchtowers, each with a sign that shows what it counts and how many points each is worth."""

from __future__ import annotations

from carc_env.engine.core.tiles import FACTS
from carc_env.render import palette as p
from carc_env.render.brush import line, plain, shape
from carc_env.render.declaring import Drawing
from carc_env.render.lettering import text_svg
from carc_env.render.shapes import CENTRE
from carc_env.render.survey import Survey
from carc_env.sets.watchtowers.record import COUNTED

RADIUS, LEAST_ROOM = 16.0, 15.0
NATURAL_RADIUS = 14.0

ICONS = {
    "meeple": shape(
        "M0,-4.4C1.7,-4.4 2.2,-2.6 1.4,-1.4C3.4,-1 4.6,0 4.6,1L2.4,1.4L3.6,4.4H0.8L0,2.8L-0.8,4.4"
        "H-3.6L-2.4,1.4L-4.6,1C-4.6,0 -3.4,-1 -1.4,-1.4C-2.2,-2.6 -1.7,-4.4 0,-4.4Z",
        p.INK,
        p.INK,
        0.2,
    ),
    "coat-of-arms": shape(
        "M-3.4,-4H3.4V0.4C3.4,2.8 1.4,4 0,4.6C-1.4,4 -3.4,2.8 -3.4,0.4Z", p.SHIELD_BLUE, p.INK, 0.6
    )
    + line("M0,-3.6V4M-3,-0.6H3", p.SHIELD_WHITE, 1.0),
    "monastery": shape("M-3.6,4.4V-0.4L0,-3L3.6,-0.4V4.4Z", p.CLOTH_RED, p.INK, 0.6)
    + line("M0,-3V-6M-1.3,-4.9H1.3", p.INK, 0.8),
    "city": shape(
        "M-4.4,4V-3.4H-2.6V-1.6H-0.9V-3.4H0.9V-1.6H2.6V-3.4H4.4V4H1.4V1.8"
        "A1.4,1.4 0 0 0 -1.4,1.8V4Z",
        p.CITY_SHADE,
        p.INK,
        0.6,
    ),
    "road": shape(
        "M-2.6,4.4C-1,1.6 -3.6,-0.6 -1,-4.4H1.4C-0.6,-0.8 2.4,1.4 1.6,4.4Z", p.ROAD, p.INK, 0.6
    ),
}
"""Icons for what is counted, on a ten-unit square, keyed by name in the tile facts."""
EACH = {row["watchtower"][1]: row["watchtower"][0] for row in FACTS if "watchtower" in row}
"""Points per counted item, by the item's name."""


def _watchtower(what: int) -> str:
    """Draw a tower with a platform and a roof, and the sign beside it."""
    name = COUNTED[what]
    tower = (
        '<ellipse cx="-5" cy="12.4" rx="7.4" ry="1.9" fill="#2b1a14" fill-opacity="0.3"/>'
        + shape("M-9.6,12.6L-8.4,-3H-2.2L-1,12.6Z", p.WALL_LIGHT, p.WALL_LINE, 0.9)
        + line("M-8.8,2.4H-1.8M-9.2,7.4H-1.4M-6,-3V2.4M-4,2.4V7.4M-6.4,7.4V12.6", p.WALL_STONE, 0.6)
        + plain("M-6.4,1.2V-1.4H-4.2V1.2Z", p.SLIT)
        + shape("M-10.4,-2.6V-7H-0.2V-2.6Z", p.WALL_STONE, p.WALL_LINE, 0.9)
        + plain("M-8.6,-4V-6H-6.6V-4ZM-4,-4V-6H-2V-4Z", p.SLIT)
        + shape("M-11.2,-6.8L-5.3,-13.4L0.6,-6.8Z", p.ROOF[0], p.ROOF_DARK[0], 0.9)
    )
    sign = (
        shape("M0.6,-5.4H13V11H0.6Z", p.SHIELD_WHITE, p.GATE, 1.0)
        + text_svg(str(EACH[name]), 6.8, 2, 7.4, color=p.INK, anchor="middle", weight=2)
        + f'<g transform="translate(6.8 6.4) scale(0.78)">{ICONS[name]}</g>'
    )
    return tower + sign


def _add_watchtower(survey: Survey) -> None:
    """Place the watchtower where two roads end, where two cities meet, or in a field."""
    if "watchtower" not in survey.row:
        return
    roads = survey.plan.roads
    spot, room = survey.roomiest_field()
    if len(roads) > 1:
        spot = roads[0].strands[-1].at(1.0)
    elif room < LEAST_ROOM:
        spot = CENTRE
    survey.add("watchtower", spot, RADIUS, RADIUS, COUNTED.index(survey.row["watchtower"][1]))


DRAWING = Drawing(
    symbols={"watchtower": (_watchtower, NATURAL_RADIUS)},
    letters={"watchtower": "W"},
    before_farmers=_add_watchtower,
)
