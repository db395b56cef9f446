"""Corn circles with a rake, a club or a shield: the emblem of the meeples that they affect."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from carc_env.engine.core.codes import Phase
from carc_env.position import Position
from carc_env.render import palette as p
from carc_env.render.brush import line, plain, shape
from carc_env.render.declaring import Drawing
from carc_env.render.shapes import CENTRE, Point
from carc_env.render.survey import CITY, Survey

RADIUS = 14.0
NATURAL_RADIUS = 10.0
RIPE, STALK, PRESSED = "#dfbf5d", "#a98427", "#f1dd94"

_RAKE = line("M0,5.4V-2.6", p.GATE, 1.3) + line(
    "M-3.4,-2.4H3.4M-3.2,-2.4V-4.8M-1.1,-2.4V-4.8M1.1,-2.4V-4.8M3.2,-2.4V-4.8", p.GATE, 1.1
)
_CLUB = shape("M-3.9,3.7L-3,4.6L1,1.2C3.4,0.4 5,-1.6 4.6,-3.8C3.4,-5.4 0.6,-4.6 -0.6,-1.8Z", p.GATE)
_SHIELD = shape(
    "M-3.8,-4.6H3.8V0.6C3.8,3 2,4.6 0,5.6C-2,4.6 -3.8,3 -3.8,0.6Z", p.SHIELD_BLUE, p.GATE, 0.8
) + plain("M-0.7,-4.2H0.7V5L0,5.3L-0.7,5ZM-3.4,-1.6H3.4V-0.2H-3.4Z", p.SHIELD_WHITE)


def _circle(emblem: str) -> Callable[[int], str]:
    """Draw rings pressed into ripe corn, with an emblem in the middle."""
    stalks = "".join(
        line(f"M{x:g},{y:g}l0.9,-1.9", STALK, 0.5)
        for x, y in ((-7.6, 3.4), (-5.6, 6.2), (5, 6.6), (7.4, 3.2), (-7.8, -2.4), (7.2, -2.6))
    )
    drawn = (
        f'<circle r="9.4" fill="{RIPE}" stroke="{STALK}" stroke-width="1.1"/>'
        + stalks
        + f'<circle r="6.9" fill="{PRESSED}" stroke="{STALK}" stroke-width="0.7"/>'
        + emblem
    )
    return lambda _: drawn


def _end_of_roads(survey: Survey) -> Point | None:
    """Return the spot where roads end on the tile, or None.

    For a road that leads through the tile, it is on the near side. All roads end at one spot.
    """
    ends = [road.strands[-1] for road in survey.plan.roads if len(road.sides) == 1]
    if not ends:
        return None
    x, y = ends[0].at(1.0)
    if len(ends) > 1 or len(survey.plan.roads) == 1:
        return x, y
    return next(
        (px, py)
        for px, py in map(ends[0].at, np.linspace(1, 0, 60))
        if np.hypot(px - x, py - y) > RADIUS
    )


def _add_circle(survey: Survey) -> None:
    """Draw the circle where roads end, or in a field, or in a city if the fields are small.

    If the tile has none of these, draw it in the middle.
    """
    if not (kind := survey.row.get("circle")):
        return
    if (end := _end_of_roads(survey)) is not None:
        survey.add(f"circle-{kind}", end, RADIUS, RADIUS)
        return
    if not survey.fields:
        survey.add(f"circle-{kind}", CENTRE, RADIUS, RADIUS)
        return
    cities = [survey.labels == CITY + i for i in range(len(survey.plan.cities))]
    spot, room = max(
        map(survey.roomiest, (*survey.fields, *cities)), key=lambda place: min(place[1], RADIUS)
    )
    radius = min(RADIUS, room)
    survey.add(f"circle-{kind}", spot, radius, radius)


def _task(position: Position) -> str:
    """Return the shared task if a seat is being asked about it."""
    sows = position.phase in (Phase.SOW, Phase.SOW_SPOT)
    reaps = position.phase in (Phase.REAP, Phase.REAP_SPOT)
    return "adds a meeple" if sows else "takes a meeple back" if reaps else ""


DRAWING = Drawing(
    symbols={
        "circle-field": (_circle(_RAKE), NATURAL_RADIUS),
        "circle-road": (_circle(_CLUB), NATURAL_RADIUS),
        "circle-city": (_circle(_SHIELD), NATURAL_RADIUS),
    },
    letters={"circle-field": "f", "circle-road": "r", "circle-city": "c"},
    before_farmers=_add_circle,
    task=_task,
)
