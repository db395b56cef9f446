"""Festivals: a striped pavilion under bunting."""

from __future__ import annotations

from carc_env.render import palette as p
from carc_env.render.brush import line, plain, shape
from carc_env.render.declaring import Drawing
from carc_env.render.survey import Survey

RADIUS, LEAST_RADIUS = 14.0, 9.0
NATURAL_RADIUS = 11.0
BUNTING = ((-7.4, -6.4), (-3.8, -5.2), (3.8, -5.2), (7.4, -6.4))
"""Curve of the flag strings between the poles and the top of the pavilion."""


def _pavilion(_: int) -> str:
    """Draw a round tent with a pennant, and strings of flags on both sides."""
    flags = "".join(
        plain(f"M{x - 1.1:g},{y:g}H{x + 1.1:g}L{x:g},{y + 2.3:g}Z", color)
        for (x, y), color in zip(BUNTING, p.FRUIT, strict=True)
    )
    return (
        '<ellipse cx="0" cy="7.2" rx="10.6" ry="2.9" fill="#2d3a1c" fill-opacity="0.28"/>'
        + line("M-9.8,7V-7.4M9.8,7V-7.4", p.GATE, 0.9)
        + line("M-9.8,-7.2Q-5,-4 0,-8.6Q5,-4 9.8,-7.2", p.WALL_LINE, 0.5)
        + flags
        + shape("M-6.2,7.2L-5.6,-0.2H5.6L6.2,7.2Z", p.SHIELD_WHITE)
        + plain("M-4.9,7.1L-4.4,0H-2.4L-2.7,7.1ZM4.9,7.1L4.4,0H2.4L2.7,7.1Z", p.CLOTH_RED)
        + shape("M-1.7,7.2L-0.9,1.6H0.9L1.7,7.2Z", p.GATE, width=0.5)
        + shape("M-7.6,0.2C-4.6,-1.4 -1.6,-4.6 0,-8.4C1.6,-4.6 4.6,-1.4 7.6,0.2Z", p.CLOTH_RED)
        + plain("M-4.6,0C-2.8,-2.2 -1,-5.2 -0.3,-7.6C-0.6,-5 -1.3,-2.2 -2.2,0Z", p.SHIELD_WHITE)
        + plain("M4.6,0C2.8,-2.2 1,-5.2 0.3,-7.6C0.6,-5 1.3,-2.2 2.2,0Z", p.SHIELD_WHITE)
        + line("M-7.4,0.5Q-5.6,2.2 -3.8,0.6Q-1.9,2.2 0,0.6Q1.9,2.2 3.8,0.6Q5.6,2.2 7.4,0.5",
               p.GOLD, 1.1)
        + line("M0,-8.4V-11.6", p.WALL_LINE, 0.7)
        + plain("M0.2,-11.8L4.4,-10.4L0.2,-9.2Z", p.GOLD)
    )  # fmt: skip


def _add_pavilion(survey: Survey) -> None:
    """Place the pavilion where a field leaves the most room, or in a city if fields are small."""
    if not survey.row.get("festival"):
        return
    spot, room = survey.roomiest_ground(LEAST_RADIUS + 2)
    radius = min(RADIUS, max(LEAST_RADIUS, room - 2))
    survey.add("festival", spot, radius, radius)


DRAWING = Drawing(
    symbols={"festival": (_pavilion, NATURAL_RADIUS)},
    letters={"festival": "&"},
    before_farmers=_add_pavilion,
)
