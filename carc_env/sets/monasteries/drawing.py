"""The symbol for special monasteries: a cross of arrows, the lines that lying meeples score."""

from __future__ import annotations

from carc_env.render import palette as p
from carc_env.render.brush import line, shape
from carc_env.render.declaring import Drawing
from carc_env.render.survey import Survey

SIGN = 8.5

_ARROW = "M0,-7L2.6,-3.6H1.1V-1.1H-1.1V-3.6H-2.6Z"
_BED = "M-3.2,1.9V-1.4M-3.2,0.7H3.4V1.9M-2,0.2H0"


def _sign(_: int) -> str:
    """Draw arrows to all four sides on a parchment seal, with a bed in the middle."""
    arrows = "".join(
        f'<g transform="rotate({angle})">{shape(_ARROW, p.CLOTH_RED, p.WALL_LINE, 0.4)}</g>'
        for angle in (0, 90, 180, 270)
    )
    return (
        f'<circle r="8.2" fill="{p.COURT}" stroke="{p.WALL_LINE}" stroke-width="1"/>'
        + arrows
        + f'<circle r="4.1" fill="{p.COURT}" stroke="{p.WALL_LINE}" stroke-width="0.5"/>'
        + line(_BED, p.WALL_LINE, 1.0)
    )


def _add_sign(survey: Survey) -> None:
    if survey.row.get("special_monastery"):
        spot, room = survey.roomiest_field()
        radius = min(SIGN, room)
        survey.add("lines", spot, radius, radius)


DRAWING = Drawing(
    symbols={"lines": (_sign, SIGN)}, letters={"lines": "l"}, before_farmers=_add_sign
)
