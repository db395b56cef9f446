"""Flying machines: wings of cloth and wood, and where they fly."""

from __future__ import annotations

from carc_env.engine.core.codes import Phase
from carc_env.position import Position
from carc_env.render import palette as p
from carc_env.render.brush import line, plain, shape
from carc_env.render.declaring import Drawing
from carc_env.render.survey import Survey
from carc_env.sets.flier.record import DIRECTIONS

RADIUS, LEAST_RADIUS = 17.0, 10.0
NATURAL_RADIUS = 12.0
DEGREES = 360 // len(DIRECTIONS)

_WING = (
    "M0.8,-2.6C4.4,-5.6 8.6,-5.4 11.6,-1.4C10,-1.2 9.4,0 9.6,1.6"
    "C7.8,0.4 6.2,0.8 5.8,2.8C4.2,1.4 2.2,1.6 0.8,3Z"
)
_RIBS = (
    "M0.8,-2.2C3.6,-2.6 7.6,-2.8 11.6,-1.4M0.8,-1C3.8,-0.8 7,0 9.6,1.6"
    "M0.8,0.4C2.8,0.8 4.4,1.6 5.8,2.8"
)
_TAIL = "M0,5.4L-3.2,10.4C-1.2,9.6 1.2,9.6 3.2,10.4Z"
_ARROW = "M-1.1,-6.4V-9H-3.4L0,-13L3.4,-9H1.1V-6.4Z"


def _wing(side: int) -> str:
    """Draw a wing with its ribs, on the right or mirrored."""
    drawn = shape(_WING, p.SHIELD_WHITE, p.GATE, 0.7) + line(_RIBS, p.GATE, 0.5)
    return f'<g transform="scale({side} 1)">{drawn}</g>'


def _machine(direction: int) -> str:
    """Draw a glider seen from above, with its shadow and an arrow in front of it."""
    glider = (
        _wing(1)
        + _wing(-1)
        + shape(_TAIL, p.CLOTH_RED, p.GATE, 0.6)
        + shape("M-1.2,-5.4C-1.2,-6.6 1.2,-6.6 1.2,-5.4L0.8,6H-0.8Z", p.FRUIT[1], p.GATE, 0.6)
        + shape(_ARROW, p.CLOTH_RED, p.GATE, 0.6)
    )
    shadow = plain(_WING, "#2d3a1c", 0.25) + plain(_TAIL, "#2d3a1c", 0.25)
    mirrored = plain(_WING, "#2d3a1c", 0.25)
    turned = f'transform="rotate({DEGREES * direction})"'
    return (
        f'<g transform="translate(1.2 1.6)"><g {turned}>{shadow}'
        f'<g transform="scale(-1 1)">{mirrored}</g></g></g><g {turned}>{glider}</g>'
    )


def _add_machine(survey: Survey) -> None:
    """Place the machine where a field leaves the most room."""
    if "flier" not in survey.row:
        return
    spot, room = survey.roomiest_field()
    radius = min(RADIUS, max(LEAST_RADIUS, room - 1))
    survey.add("flier", spot, radius, radius, DIRECTIONS.index(survey.row["flier"]))


def _task(position: Position) -> str:
    if position.phase != Phase.LANDING or position.flies is None:
        return ""
    return f"lands ({position.flies.name.lower()})"


DRAWING = Drawing(
    symbols={"flier": (_machine, NATURAL_RADIUS)},
    directed=("flier",),
    letters={"flier": "J"},
    before_farmers=_add_machine,
    task=_task,
)
