"""Hedge mazes in which roads meet."""

from __future__ import annotations

from math import asin, cos, pi, sin

from carc_env.render import palette as p
from carc_env.render.brush import line
from carc_env.render.declaring import Drawing
from carc_env.render.shapes import CENTRE, number
from carc_env.render.survey import Survey

RADIUS = 22.0
RINGS = ((19.6, 0.0, 4), (14.0, 0.5, 4), (8.4, 0.0, 2))
"""Radius of a hedge, offset of its first gap from the east in quarter turns, number of gaps."""
PATH = 2.7
"""Half the width of a gap."""


def _at(radius: float, angle: float) -> str:
    return f"{number(radius * cos(angle))},{number(radius * sin(angle))}"


def _ring(radius: float, first: float, n_gaps: int) -> str:
    """Return the arcs of a hedge between its gaps."""
    step, half = 2 * pi / n_gaps, asin(PATH / radius)
    begin = [first * pi / 2 + k * step + half for k in range(n_gaps)]
    way = f"A{radius:g},{radius:g} 0 {step > pi:d} 1 "
    return "".join(f"M{_at(radius, a)}{way}{_at(radius, a + step - 2 * half)}" for a in begin)


def _walls() -> str:
    """Return hedges that block the way around, so that a visitor has to look for the next gap."""
    angles = [(2 * k + 1) * pi / 8 for k in (0, 2, 4, 6)]
    outer = "".join(f"M{_at(RINGS[1][0], a)}L{_at(RINGS[0][0], a)}" for a in angles)
    inner = "".join(f"M{_at(RINGS[2][0], a)}L{_at(RINGS[1][0], a)}" for a in (pi / 2, -pi / 2))
    return outer + inner


def _maze(_: int) -> str:
    """Draw paths between round hedges, with an entrance on each side."""
    hedges = "".join(_ring(*ring) for ring in RINGS) + _walls()
    return (
        f'<circle r="{RADIUS:g}" fill="{p.ROAD}" stroke="{p.ROAD_EDGE}" stroke-width="0.8"/>'
        + line(hedges, p.HEDGE_DARK, 3.2)
        + line(hedges, p.HEDGE, 1.9)
    )


def _add_maze(survey: Survey) -> None:
    """Place the maze in the middle of the tile, below the figures there."""
    if any(road.get("maze") for road in survey.row.get("roads", ())):
        survey.add("maze", CENTRE, RADIUS, RADIUS)


DRAWING = Drawing(
    symbols={"maze": (_maze, RADIUS)},
    letters={"maze": "L"},
    before_farmers=_add_maze,
)
