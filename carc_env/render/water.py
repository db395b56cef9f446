"""The river: a calm band from side to side, the spring where it begins, the lake where it ends.

Banks and water rotate with their tile; ripples and lilies are always upright.
"""

from __future__ import annotations

from carc_env.render import palette as p
from carc_env.render.brush import line, plain, shape
from carc_env.render.plan import Plan
from carc_env.render.shapes import Curve, Point, bend, chain, number, shift, turn

WIDTH = 14.0
EDGE_WIDTH = 16.6
_BANK_WIDTH = 20.5
_GLEAM_WIDTH = 6.5

# The gleam on source and lake, as stored, where the river is in the west.
_SOURCE_GLEAM = chain(
    bend((-6, 46.75), (12, 46.75), (17, 42.6), (27, 44)),
    bend((27, 44), (36, 45.6), (40, 48.4), (46, 48)),
    bend((46, 48), (52, 41), (65, 42), (65.4, 50)),
    bend((65.4, 50), (65, 59), (51, 59.5), (46, 51.6)),
    bend((46, 51.6), (40, 49.6), (36, 47.6), (28, 48.2)),
    bend((28, 48.2), (18, 49), (12, 53.25), (-6, 53.25)),
)
_LAKE_GLEAM = chain(
    bend((-6, 46.75), (12, 46.75), (21, 47.4), (30, 42)),
    bend((30, 42), (38, 35.5), (48, 33), (58, 35)),
    bend((58, 35), (69, 38), (74, 46), (72.5, 54)),
    bend((72.5, 54), (70, 64), (58, 68), (48, 65.6)),
    bend((48, 65.6), (40, 63.6), (35, 58), (27, 55)),
    bend((27, 55), (19, 52.8), (10, 53.25), (-6, 53.25)),
)

# Fraction of the way, and distance to the left of the middle.
_RIPPLES = ((0.1, 2.6), (0.29, -2.8), (0.5, 2.4), (0.71, -2.6), (0.9, 2.8))
_LAKE_RIPPLES: tuple[Point, ...] = ((9, 48), (22, 52.5), (47, 37), (65, 45), (41, 59), (69, 61))

_LILIES: tuple[Point, ...] = ((55, 50), (60.5, 53.5), (53.5, 56))


def river_svg(plan: Plan, rotation: int) -> str:
    """Return a tile's river as an SVG group, empty if there is none."""
    if plan.river is None:
        return ""
    river = plan.river.turned(rotation)
    if plan.pool is None:
        water = _banks([river, *([plan.arm.turned(rotation)] if plan.arm is not None else [])])
    else:
        gleam = _SOURCE_GLEAM if plan.is_source else _LAKE_GLEAM
        water = _pool(plan.pool.turned(rotation), gleam.turned(rotation))
    ripples = "".join(map(_ripple, _ripple_spots(plan, river, rotation)))
    water += line(ripples, p.RIVER_LIGHT, 0.9)
    if plan.is_source:
        water += _spring(rotation)
    elif plan.pool is not None and not plan.has_volcano:
        water += "".join(_lily(turn(spot, rotation)) for spot in _LILIES)
    return f'<g class="river">{water}</g>'


def _ripple_spots(plan: Plan, river: Curve, rotation: int) -> list[Point]:
    if plan.has_volcano:
        return [turn(spot, rotation) for spot in _LAKE_RIPPLES[:2]]
    if plan.pool is not None and not plan.is_source:
        return [turn(spot, rotation) for spot in _LAKE_RIPPLES]
    ways = _RIPPLES[:2] if plan.is_source else _RIPPLES
    return [_beside(river, share, aside) for share, aside in ways]


def _banks(rivers: list[Curve]) -> str:
    """Return damp grass, the water's edge, the water, and a gleam along its middle."""
    path = "".join(river.path for river in rivers)
    damp = f'<g stroke-opacity="0.4">{line(path, p.GRASS_DARK, _BANK_WIDTH, "butt")}</g>'
    return (
        damp
        + line(path, p.RIVER_EDGE, EDGE_WIDTH, "butt")
        + line(path, p.RIVER, WIDTH, "butt")
        + line(path, p.RIVER_GLEAM, _GLEAM_WIDTH, "butt")
    )


def _pool(outline: Curve, gleam: Curve) -> str:
    path = outline.path + "Z"
    return (
        f'<g stroke-opacity="0.4">{line(path, p.GRASS_DARK, 6.5)}</g>'
        + line(path, p.RIVER_EDGE, 2.6)
        + plain(path, p.RIVER)
        + plain(gleam.path + "Z", p.RIVER_GLEAM)
    )


def _beside(river: Curve, share: float, aside: float) -> Point:
    along = river.heading(share)
    return shift(river.at(share), (along[1], -along[0]), aside)


def _ripple(spot: Point) -> str:
    x, y = number(spot[0] - 3), number(spot[1])
    return f"M{x},{y}q1.5,-1.5 3,0q1.5,1.5 3,0"


def _spring(rotation: int) -> str:
    """Return rings where the water rises."""
    x, y = (number(part) for part in turn((57, 50), rotation))
    rings = "".join(
        f'<ellipse cx="{x}" cy="{y}" rx="{r}" ry="{r * 0.72:.2f}" fill="{fill}"'
        f' stroke="{p.RIVER_LIGHT}" stroke-width="0.9"/>'
        for r, fill in ((6.4, "none"), (3.4, p.RIVER_LIGHT))
    )
    return f'<g class="spring">{rings}</g>'


def _lily(spot: Point) -> str:
    x, y = number(spot[0]), number(spot[1])
    return (
        f'<g transform="translate({x} {y})">'
        + shape("M0,0L2.6,-1.2A2.9,1.9 0 1 1 1.2,-1.8Z", p.LEAF, p.TREE_DARK, 0.4)
        + ("" if int(spot[0]) % 2 else '<circle cx="-0.6" r="0.9" fill="#f4d9e4"/>')
        + "</g>"
    )
