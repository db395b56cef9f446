"""The five towers of a Darmstadt church, and the Darmstadtium."""

from __future__ import annotations

from carc_env.render import palette as p
from carc_env.render.brush import line, plain, shape
from carc_env.render.declaring import Drawing
from carc_env.render.survey import Survey

SIGN = 9.5
GLASS, GLASS_LIGHT = "#8fb7c9", "#cfe4ec"


def _church(_: int) -> str:
    """Draw the arches of a brick tower, like the five fingers of a hand, on a dark disc."""
    fingers = "".join(
        shape(
            f"M{x - 1.3:g},5V{top:g}A1.3,1.3 0 0 1 {x + 1.3:g},{top:g}V5Z", p.ROOF[1], p.GATE, 0.6
        )
        for x, top in ((-5.2, -0.6), (-2.6, -3.4), (0, -5), (2.6, -2.4), (5.2, 0.4))
    )
    return (
        f'<circle r="9" fill="{p.SLATE_DARK}" stroke="{p.INK}" stroke-width="0.9"/>'
        f'<circle r="7.9" fill="none" stroke="{p.GOLD}" stroke-width="0.6"/>'
        + fingers
        + line("M-6.6,5.2H6.6", p.GOLD, 0.8)
    )


def _darmstadtium(_: int) -> str:
    """Draw a slanting glass building behind a round tower."""
    return (
        '<ellipse cx="0.6" cy="5.8" rx="8" ry="1.8" fill="#2b1a14" fill-opacity="0.3"/>'
        + shape("M-7.2,5.4L-5.6,-3.6L7.4,-6.6L6.2,5.4Z", GLASS, p.SLATE_DARK, 0.9)
        + plain("M-6.4,4.6L-5,-2.9L0.4,-4.2L-1.2,4.6Z", GLASS_LIGHT, 0.8)
        + line("M-5.9,1.6L6.6,-0.4M-5.6,-1L6.9,-3.6M-3.2,5.2L-1.8,-4.2", p.SLATE, 0.5)
        + line("M0.6,5.2L1.6,-5M3.6,5.2L4.6,-5.7", p.SLATE, 0.5)
        + shape("M-8.6,5.6V0.2H-4.4V5.6Z", p.WALL_STONE, p.WALL_LINE, 0.7)
        + shape("M-9.2,0.4L-6.5,-3.6L-3.8,0.4Z", p.CLOTH_RED, p.WALL_LINE, 0.7)
    )


def _add_church(survey: Survey) -> None:
    """Place the church beside the building, where a field leaves the most room."""
    if not survey.row.get("church"):
        return
    spot, room = survey.roomiest_field()
    radius = min(SIGN, room)
    survey.add("church", spot, radius, radius)


DRAWING = Drawing(
    symbols={"church": (_church, SIGN), "darmstadtium": (_darmstadtium, 8.2)},
    letters={"church": "u", "darmstadtium": "T"},
    emblem=lambda city: "darmstadtium" if city.get("darmstadtium") else None,
    before_farmers=_add_church,
)
