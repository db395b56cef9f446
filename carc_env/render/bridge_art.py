"""Bridges: those that players build across a whole tile, and the small ones printed on tiles.

An east-west bridge is seen from the south: its road rises towards the middle, and its arches are
open below. A north-south bridge is seen from above: it widens as it rises, and its shadow falls to
the east. Both are drawn in board orientation and never rotated. Small bridges, across a river or
another road, are drawn the same way: seen from the south, their arch is open.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from carc_env.render import palette as p
from carc_env.render.brush import line, plain, shape
from carc_env.render.plan import Axis
from carc_env.render.shapes import SIZE, Curve, Point, Points, bend, chain, number, straight

CROWN = 39.0
DECKS: dict[Axis, Curve] = {
    "NS": straight((50, 0), (50, 100)),
    "EW": chain(
        bend((0, 50), (15, 50), (24, CROWN), (50, CROWN)),
        bend((50, CROWN), (76, CROWN), (85, 50), (100, 50)),
    ),
}
"""The centre line of the road on a bridge; at the rim, it meets printed roads."""

FEET: dict[Axis, float] = {"NS": 100.0, "EW": 66.0}
"""How far south a bridge extends on its tile; used for the drawing order."""

STANDS: dict[Axis, float] = {"NS": 0.3, "EW": 0.7}
"""Figure locations along the road: near the side that names the bridge, N or E."""

_SHADOWS: dict[Axis, str] = {
    "NS": "M54,3C64,22 70,36 70,50C70,64 64,78 54,97H46V3Z",
    "EW": "M6,58H97L99,63C92,69 82,70 74,71H28C18,70 10,66 6,62Z",
}
_FACE = (
    "M3,55C17,53 27,44 50,44C73,44 83,53 97,55V61H90C90,56 86,53.5 81,53.5C74,54 70.5,57 70.5,66.5"
    "H63.5C63.5,55 58,50 50,50C42,50 36.5,55 36.5,66.5H29.5C29.5,57 26,54 19,53.5"
    "C14,53.5 10,56 10,61H3Z"
)
_ARCHES = (
    "M10,61C10,56 14,53.5 19,53.5C26,54 29.5,57 29.5,66.5"
    "M36.5,66.5C36.5,55 42,50 50,50C58,50 63.5,55 63.5,66.5"
    "M70.5,66.5C70.5,57 74,54 81,53.5C86,53.5 90,56 90,61"
)
# Seen from above, the piers stand out on both sides.
_PIERS = "".join(
    f"M43,{y - 5.5}L37.5,{y - 3}C35.5,{y - 1.6} 35.5,{y + 1.6} 37.5,{y + 3}L43,{y + 5.5}H57"
    f"L62.5,{y + 3}C64.5,{y + 1.6} 64.5,{y - 1.6} 62.5,{y - 3}L57,{y - 5.5}Z"
    for y in (26, 50, 74)
)
_WIDER = 1.4  # the middle of a bridge seen from above is nearer to us than its ends


def stand_on(bridge: Axis) -> Point:
    """Return where figures stand on a bridge: clear of what passes below its middle."""
    return DECKS[bridge].at(STANDS[bridge])


def distance_beyond(bridge: Axis, spots: Points) -> npt.NDArray[np.float64]:
    """Return every spot's distance from the hidden strip, shape (n,); below zero under it.

    The hidden strip is the same for both directions: it is widest in the middle, where the bridge
    is high.
    """
    across, along = (spots - SIZE / 2).T if bridge == "NS" else (spots - SIZE / 2).T[::-1]
    distance: npt.NDArray[np.float64] = np.abs(across) - 17 + 7 * (along / (SIZE / 2)) ** 2
    return distance


def bridge_svg(bridge: Axis) -> str:
    """Return a bridge across the square 0..100 as an SVG group."""
    shadow = plain(_SHADOWS[bridge], p.SHADE, 0.2)
    art = _from_above() if bridge == "NS" else _from_the_south()
    return f'<g class="built-bridge" data-axis="{bridge}">{shadow}{art}</g>'


def _from_the_south() -> str:
    deck = DECKS["EW"].path
    parapets = [
        f"M3,{49.6 + y:g}C17,{48 + y:g} 27,{CROWN + y:g} 50,{CROWN + y:g}"
        f"C73,{CROWN + y:g} 83,{48 + y:g} 97,{49.6 + y:g}"
        for y in (-5.6, 5.6)
    ]
    return (
        shape(_FACE, p.WALL_STONE, width=1.3)
        + line(_ARCHES, p.WALL_LINE, 3, "butt")
        + line(_ARCHES, p.WALL_LIGHT, 1.5, "butt")
        + line(deck, p.ROAD_EDGE, 11.4, "butt")
        + line(deck, p.ROAD, 9, "butt")
        + "".join(map(_parapet, parapets))
    )


def _from_above() -> str:
    parapets = [
        f"M{50 + 5.5 * x:g},3C{50 + 5.6 * x:g},20 {50 + 7 * x:g},32 {50 + 7 * x:g},50"
        f"C{50 + 7 * x:g},68 {50 + 5.6 * x:g},80 {50 + 5.5 * x:g},97"
        for x in (-1, 1)
    ]
    return (
        shape(_PIERS, p.WALL_STONE, width=1.3)
        + plain(_ribbon(5.7), p.ROAD_EDGE)
        + plain(_ribbon(4.5), p.ROAD)
        + "".join(map(_parapet, parapets))
    )


def _ribbon(half: float) -> str:
    """Return a road from north to south, as wide as any other at the rim."""
    sides = []
    for x, start, end in ((-1, 0, 100), (1, 100, 0)):
        rim, middle = number(50 + half * x), number(50 + (half + _WIDER) * x)
        a, b = (22, 30) if x < 0 else (78, 70)
        sides.append(
            f"{rim},{start}C{rim},{a} {middle},{b} {middle},50C{middle},{100 - b} {rim},{100 - a}"
            f" {rim},{end}"
        )
    return f"M{sides[0]}L{sides[1]}Z"


def _parapet(path: str) -> str:
    return line(path, p.WALL_LINE, 3.6) + line(path, p.WALL_LIGHT, 1.9)


# ------------------------------------------------------------------------- bridges on the tiles


class Crossing(NamedTuple):
    """The look of a printed bridge whose road runs from west to east, relative to its middle.

    From the south, ``face`` and its ``arches`` are visible; from above, ``piers``.
    """

    name: str
    floor: str
    face: str
    arches: str
    piers: str
    shadow: str
    shadow_from_above: str
    parapets: tuple[str, ...]


def _parapets(tip: float, outer: float, inner: float, straight: float) -> tuple[str, ...]:
    """Return a crossing's parapets, north and south: first straight, then opening to the banks."""
    return tuple(
        f"M{-tip:g},{8.4 * y:g}C{-outer:g},{6.4 * y:g} {-inner:g},{6.2 * y:g}"
        f" {-straight:g},{6.2 * y:g}H{straight:g}"
        f"C{inner:g},{6.2 * y:g} {outer:g},{6.4 * y:g} {tip:g},{8.4 * y:g}"
        for y in (-1, 1)
    )


SHORT = Crossing(
    name="bridge",
    floor=(
        "M-14.4,-9.6C-10,-7.4 -8,-7.2 -5,-7.2H5C8,-7.2 10,-7.4 14.4,-9.6"
        "V9.6C10,7.4 8,7.2 5,7.2H-5C-8,7.2 -10,7.4 -14.4,9.6Z"
    ),
    face=(
        "M-13.8,7.6C-10,6 -8,6 -5,6H5C8,6 10,6 13.8,7.6V15.6H8.4C8.4,8.8 -8.4,8.8 -8.4,15.6H-13.8Z"
    ),
    arches="M-8.4,15.6C-8.4,8.8 8.4,8.8 8.4,15.6",
    piers=(
        "M-4.4,-6L-2.6,-9.8C-1.4,-12 1.4,-12 2.6,-9.8L4.4,-6V6L2.6,9.8C1.4,12 -1.4,12 -2.6,9.8"
        "L-4.4,6Z"
    ),
    shadow="M-12,6H14L16,14C10,19 -8,19 -11,16Z",
    shadow_from_above="M4,-12C13,-11 17,-7 17,0C17,7 13,11 4,12Z",
    parapets=_parapets(13.4, 10.4, 8, 5),
)
"""A bridge across a river or another road."""

LONG = Crossing(
    name="viaduct",
    floor=(
        "M-36,-9.6C-32,-7.4 -30,-7.2 -27,-7.2H27C30,-7.2 32,-7.4 36,-9.6"
        "V9.6C32,7.4 30,7.2 27,7.2H-27C-30,7.2 -32,7.4 -36,9.6Z"
    ),
    face=(
        "M-28,6H28V15.6H20.6C20.6,8.8 9.4,8.8 9.4,15.6H5.6C5.6,8.8 -5.6,8.8 -5.6,15.6H-9.4"
        "C-9.4,8.8 -20.6,8.8 -20.6,15.6H-28Z"
    ),
    arches=(
        "M20.6,15.6C20.6,8.8 9.4,8.8 9.4,15.6M5.6,15.6C5.6,8.8 -5.6,8.8 -5.6,15.6"
        "M-9.4,15.6C-9.4,8.8 -20.6,8.8 -20.6,15.6"
    ),
    piers="".join(
        f"M{x - 3.4:g},-6L{x - 2:g},-9.4C{x - 1:g},-11.2 {x + 1:g},-11.2 {x + 2:g},-9.4"
        f"L{x + 3.4:g},-6V6L{x + 2:g},9.4C{x + 1:g},11.2 {x - 1:g},11.2 {x - 2:g},9.4"
        f"L{x - 3.4:g},6Z"
        for x in (-15, 0, 15)
    ),
    shadow="M-26,6H28L29,14C20,19 -18,19 -25,16Z",
    shadow_from_above="M4,-27C12,-26 16,-20 16,0C16,20 12,26 4,27Z",
    parapets=_parapets(35, 32, 30, 27),
)
"""A bridge across a city from wall to wall."""


def crossing_svg(spot: Point, angle: float, crossing: Crossing = SHORT) -> str:
    """Return the part of a printed bridge below its road, which runs at an angle in degrees."""
    floor = f'<g transform="rotate({number(angle)})">{plain(crossing.floor, p.WALL_STONE)}</g>'
    if round(angle) % 180 == 0:
        art = (
            plain(crossing.shadow, p.SHADE, 0.2)
            + shape(crossing.face, p.WALL_STONE, width=1.1)
            + line(crossing.arches, p.WALL_LINE, 2.6, "butt")
            + line(crossing.arches, p.WALL_LIGHT, 1.3, "butt")
            + floor
        )
    else:
        art = (
            plain(crossing.shadow_from_above, p.SHADE, 0.2)
            + f'<g transform="rotate({number(angle)})">'
            + shape(crossing.piers, p.WALL_STONE, width=1.1)
            + f"</g>{floor}"
        )
    return f'<g transform="translate({number(spot[0])} {number(spot[1])})">{art}</g>'


def railing_svg(spot: Point, angle: float, crossing: Crossing = SHORT) -> str:
    """Return the parapets of a printed bridge, above its road."""
    return (
        f'<g class="{crossing.name}" transform="translate({number(spot[0])} {number(spot[1])})'
        f' rotate({number(angle)})">{"".join(map(_parapet, crossing.parapets))}</g>'
    )
