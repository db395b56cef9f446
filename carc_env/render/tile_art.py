"""The picture of a tile as an SVG fragment, derived from the tile facts."""

from __future__ import annotations

import math
import random
from functools import cache

import numpy as np

from carc_env.engine.core.tiles import AXES
from carc_env.render import palette as p
from carc_env.render.bridge_art import (
    FEET,
    LONG,
    SHORT,
    Crossing,
    bridge_svg,
    crossing_svg,
    railing_svg,
)
from carc_env.render.brush import line, plain
from carc_env.render.declaring import drawings
from carc_env.render.plan import (
    LAKE_REACH,
    MASSIF_REACH,
    Axis,
    City,
    Mark,
    Plan,
    Road,
    pier_at,
    plan_of,
    turned_axis,
)
from carc_env.render.shapes import SIZE, Curve, Point, is_inside, number, outline_path, shift, turn
from carc_env.render.sites import sites_of
from carc_env.render.symbols import symbol
from carc_env.render.water import river_svg

EMBLEM = "M-9.5,9V-9H-5.4V-5H-2V-9H2V-5H5.4V-9H9.5V9H3V4.4A3,3.2 0 0 0 -3,4.4V9Z"
"""A castle, 24 units wide."""

ROAD_WIDTH = 9.0
ROAD_EDGE_WIDTH = 11.4


@cache
def tile_svg(tile: str, rotation: int = 0, bridge: Axis | None = None) -> str:
    """Return a tile in the square 0..100 as an SVG group.

    Roads and rivers may extend past the rim by a stroke width; the code that places the tile clips
    it.

    Parameters
    ----------
    tile
        A design's ID.
    rotation
        Clockwise quarter turns from the stored layout.
    bridge
        The direction of the bridge across it, in board orientation.

    Raises
    ------
    KeyError
        No design has this ID.
    ValueError
        No such bridge can stand on the tile.
    """
    plan = plan_of(tile, turned_axis(bridge, rotation))
    parts = [
        _grass(tile) if plan.abbey is None else _courtyard(),
        _precinct(plan, rotation),
        river_svg(plan, rotation),
        _roads(plan, rotation),
        *(_city(city, tile, rotation) for city in plan.cities),
        *(_gate(mark, rotation, is_portal=False) for mark in plan.gates),
        _viaduct(plan, rotation),
        _massif(plan, rotation),
        _lake(plan, rotation),
        *(_gate(mark, rotation, is_portal=True) for mark in plan.mouths),
        _buildings(plan, rotation),
    ]
    return f'<g class="art" data-tile="{tile}">{"".join(parts)}</g>'


# ------------------------------------------------------------------------------------- ground


def _grass(tile: str) -> str:
    """Return a meadow with faint patches and tufts, none of them at the rim."""
    dice = random.Random(f"grass {tile}")
    parts = [f'<rect width="100" height="100" fill="{p.GRASS}"/>']
    for _ in range(7):
        x, y = dice.uniform(16, 84), dice.uniform(12, 88)
        parts.append(
            f'<ellipse cx="{number(x)}" cy="{number(y)}" rx="{number(dice.uniform(7, 14))}"'
            f' ry="{number(dice.uniform(4, 9))}" fill="{p.GRASS_LIGHT}" fill-opacity="0.55"/>'
        )
    blades = []
    for _ in range(34):
        x, y = dice.uniform(4, 96), dice.uniform(5, 96)
        blades.append(
            f"M{number(x - 1.1)},{number(y)}l0.6,-1.7M{number(x)},{number(y)}v-2.2"
            f"M{number(x + 1.1)},{number(y)}l-0.4,-1.6"
        )
    parts.append(
        f'<path d="{"".join(blades)}" stroke="{p.GRASS_DARK}" stroke-width="0.55"'
        ' stroke-linecap="round" fill="none" stroke-opacity="0.8"/>'
    )
    return "".join(parts)


@cache
def back_svg() -> str:
    """Return a tile's back in the square 0..100; all tiles share it."""
    lattice = "".join(
        f"M{x},{y - 8}L{x + 8},{y}L{x},{y + 8}L{x - 8},{y}Z"
        for y in range(18, 90, 16)
        for x in range(18, 90, 16)
    )
    return (
        f'<g class="back"><rect width="100" height="100" fill="{p.BACK}"/>'
        f"{line(lattice, p.BACK_LINE, 1.2)}"
        '<rect x="6.5" y="6.5" width="87" height="87" rx="4" fill="none"'
        f' stroke="{p.BACK_LINE}" stroke-width="3"/>'
        f'<circle cx="50" cy="50" r="27" fill="{p.BACK}" stroke="{p.WALL_LIGHT}" stroke-width="3"/>'
        '<g transform="translate(50 50) scale(1.7)">'
        f"{plain(EMBLEM, p.WALL_LIGHT)}</g></g>"
    )


def _courtyard() -> str:
    """Return the abbey's ground: a wall on all sides, whatever its neighbours (ABB-09)."""
    dice = random.Random("courtyard")
    stones = "".join(
        f"M{number(dice.uniform(15, 80))},{number(dice.uniform(15, 85))}"
        f"h{number(dice.uniform(2, 5))}"
        for _ in range(46)
    )
    beds = "".join(
        f'<rect x="{x}" y="{y}" width="15" height="9" rx="2.5" fill="{p.HEDGE}"'
        f' stroke="{p.HEDGE_DARK}" stroke-width="0.9"/>'
        f'<rect x="{x + 2.6:g}" y="{y + 2.4:g}" width="9.8" height="4.2" rx="1.2"'
        f' fill="{p.GRASS_DARK}"/>'
        for x, y in ((15, 76), (34, 76), (17, 17), (68, 17))
    )
    towers = "".join(
        f'<circle cx="{x}" cy="{y}" r="7.2" fill="{p.WALL_LIGHT}" stroke="{p.WALL_LINE}"'
        f' stroke-width="1.3"/><circle cx="{x}" cy="{y}" r="4.3" fill="{p.SLATE}"'
        f' stroke="{p.SLATE_DARK}" stroke-width="1"/>'
        for x in (8, 92)
        for y in (8, 92)
    )
    rim = '<rect x="{0}" y="{0}" width="{1}" height="{1}" fill="none" stroke="{2}"'
    return (
        f'<rect width="100" height="100" fill="{p.COURT}"/>'
        f'<path d="{stones}" stroke="{p.COURT_SHADE}" stroke-width="1.2" stroke-linecap="round"/>'
        f"{beds}"
        f'<g class="enclosure" data-sides="4">'
        f'{rim.format(6, 88, p.SHADE)} stroke-width="14" stroke-opacity="0.15"/>'
        f'{rim.format(4, 92, p.WALL_LINE)} stroke-width="8"/>'
        f'{rim.format(4.2, 91.6, p.WALL_STONE)} stroke-width="5.8"/>'
        f'{rim.format(4.2, 91.6, p.WALL_LIGHT)} stroke-width="5" stroke-dasharray="3.6 1.9"/>'
        f"{towers}</g>"
    )


def _stroke(
    curves: list[Curve], color: str, width: float, *, cap: str = "butt", opacity: float = 1.0
) -> str:
    if not curves:
        return ""
    path = "".join(curve.path for curve in curves)
    faint = f' stroke-opacity="{number(opacity)}"' if opacity < 1 else ""
    return (
        f'<path d="{path}" fill="none" stroke="{color}" stroke-width="{number(width)}"'
        f' stroke-linecap="{cap}" stroke-linejoin="round"{faint}/>'
    )


# -------------------------------------------------------------------------------------- roads


def _roads(plan: Plan, rotation: int) -> str:
    """Return all roads except one over a city; where roads cross something, the last is on top."""
    is_last_above = plan.bridges or plan.viaduct is not None
    lower = list(plan.roads[:-1] if is_last_above else plan.roads)
    lanes = [lane.turned(rotation) for lane in plan.lanes]
    above = [_crossing(plan.roads[-1], mark, rotation, SHORT) for mark in plan.bridges]
    return _pave(lower, lanes, rotation) + "".join(above)


def _viaduct(plan: Plan, rotation: int) -> str:
    """Return the road that passes over a city, from rim to rim."""
    if plan.viaduct is None:
        return ""
    return _crossing(plan.roads[-1], plan.viaduct, rotation, LONG)


def _crossing(road: Road, mark: Mark, rotation: int, crossing: Crossing) -> str:
    """Return a road on its bridge across something else."""
    frame = _frame(mark, rotation)
    return (
        crossing_svg(*frame, crossing) + _pave([road], [], rotation) + railing_svg(*frame, crossing)
    )


def _pave(roads: list[Road], lanes: list[Curve], rotation: int) -> str:
    strands = [strand.turned(rotation) for road in roads for strand in road.strands]
    if not strands and not lanes:
        return ""
    everything = [*strands, *lanes]
    # Round caps close roads that stop in a meadow; at the rim, the tile's clip path cuts them off.
    return (
        f'<g class="roads" data-count="{len(roads)}">'
        + _stroke(everything, p.ROAD_EDGE, ROAD_EDGE_WIDTH, cap="round")
        + _stroke(everything, p.ROAD, ROAD_WIDTH, cap="round")
        + "</g>"
    )


def _frame(mark: Mark, rotation: int) -> tuple[Point, float]:
    """Return a mark's spot and angle in degrees (0 = heading east) on the rotated tile."""
    spot = turn(mark.spot, rotation)
    ahead = turn(shift(mark.spot, mark.heading, 1), rotation)
    return spot, math.degrees(math.atan2(ahead[1] - spot[1], ahead[0] - spot[0]))


# ------------------------------------------------------------------------------------- cities


def _city(city: City, tile: str, rotation: int) -> str:
    area = outline_path([curve.turned(rotation) for curve in city.outline])
    walls = [wall.turned(rotation) for wall in city.walls]
    shadow = _stroke(walls, p.SHADE, 12.0, opacity=0.3) if city.is_bridge else ""
    return (
        f'<g class="city" data-sides="{len(city.sides)}">{shadow}'
        f'<path d="{area}" fill="{p.CITY_GROUND}"/>{_paving(city, tile, rotation)}'
        f"{_stroke(walls, p.SHADE, 13.0, opacity=0.13)}"
        f"{_stroke(walls, p.WALL_LINE, 6.0, cap='round')}"
        f"{_stroke(walls, p.WALL_STONE, 4.2, cap='round')}"
        f"{_battlements(walls)}</g>"
    )


TOWER_STEP = 0.5
WALL_TOWER = (
    f'<circle r="6.4" fill="{p.WALL_LIGHT}" stroke="{p.WALL_LINE}" stroke-width="1.2"/>'
    f'<circle r="3.9" fill="{p.SLATE}" stroke="{p.SLATE_DARK}" stroke-width="0.9"/>'
)


def _precinct(plan: Plan, rotation: int) -> str:
    """Return ground within a thick wall with towers, which extends across several tiles."""
    if plan.precinct is None:
        return ""
    area = outline_path([curve.turned(rotation) for curve in plan.precinct.outline])
    walls = [wall.turned(rotation) for wall in plan.precinct.walls]
    towers = (wall.at(share) for wall in walls for share in (TOWER_STEP / 2, 1 - TOWER_STEP / 2))
    return (
        f'<g class="precinct"><path d="{area}" fill="{p.PRECINCT}"/>'
        f"{_paving(plan.precinct, plan.tile, rotation, p.PRECINCT_SHADE)}"
        f"{_stroke(walls, p.SHADE, 17.0, opacity=0.15)}"
        f"{_stroke(walls, p.WALL_LINE, 9.0)}{_stroke(walls, p.WALL_STONE, 6.8)}"
        f"{_battlements(walls, 5.8)}"
        + "".join(
            f'<g transform="translate({number(x)} {number(y)})">{WALL_TOWER}</g>' for x, y in towers
        )
        + "</g>"
    )


def _paving(city: City, tile: str, rotation: int, color: str = p.CITY_SHADE) -> str:
    """Return faint cobbles well inside the city."""
    dice = random.Random(f"paving {tile} {city.sides}")
    rim = np.concatenate([curve.points for curve in city.outline])
    spots = np.array([(dice.uniform(3, 97), dice.uniform(3, 97)) for _ in range(150)])
    marks = []
    for x, y in spots[is_inside(spots, rim)]:
        x, y = turn((float(x), float(y)), rotation)
        marks.append(f"M{number(x)},{number(y)}h{number(dice.uniform(1, 2.4))}")
    return (
        f'<path d="{"".join(marks)}" stroke="{color}" stroke-width="1.1"'
        ' stroke-linecap="round" fill="none"/>'
    )


def _battlements(walls: list[Curve], width: float = 3.6) -> str:
    if not walls:
        return ""
    path = "".join(wall.path for wall in walls)
    return (
        f'<path d="{path}" fill="none" stroke="{p.WALL_LIGHT}"'
        f' stroke-width="{number(width)}" stroke-dasharray="3.2 1.7"/>'
    )


def _gate(mark: Mark, rotation: int, *, is_portal: bool) -> str:
    """Return two towers on either side of the road; a portal has a dark opening in between."""
    (x, y), angle = _frame(mark, rotation)
    mouth = "#3a2d20" if is_portal else p.ROAD
    towers = "".join(
        f'<rect x="-3.6" y="{side - 3.1}" width="7.2" height="6.2" rx="1.2"'
        f' fill="{p.WALL_LIGHT}" stroke="{p.WALL_LINE}" stroke-width="1.1"/>'
        f'<rect x="-1.7" y="{side - 1.4}" width="3.4" height="2.8" rx="0.6" fill="{p.ROOF[0]}"/>'
        for side in (-6.6, 6.6)
    )
    kind = "portal" if is_portal else "gate"
    return (
        f'<g class="{kind}" transform="translate({number(x)} {number(y)})'
        f' rotate({number(angle)})">'
        f'<rect x="-3.6" y="-4.5" width="7.4" height="9" fill="{mouth}"/>{towers}</g>'
    )


def _massif(plan: Plan, rotation: int) -> str:
    """Return the rocks that tunnels lead into; the tunnel mouths are drawn in front of them."""
    if plan.massif is None:
        return ""
    return symbol("massif", turn(plan.massif, rotation), MASSIF_REACH + 1)


def _lake(plan: Plan, rotation: int) -> str:
    """Return the lake at which roads end, each at a wooden pier."""
    if plan.lake is None:
        return ""
    sides = [(side + rotation) % 4 for road in plan.roads for side in road.sides]
    piers = [pier_at(plan.tile, rotation, side) for side in sides]
    drawn = [
        f'<g class="pier" transform="translate({number(x)} {number(y)}) rotate({90 * side})">'
        f"{symbol('pier', (0, 0), 6)}</g>"
        for side, (x, y) in zip(sides, piers, strict=True)
    ]
    return symbol("lake", turn(plan.lake, rotation), LAKE_REACH + 1) + "".join(drawn)


# ---------------------------------------------------------------------------------- buildings


# Kind, offset from the middle of the bazaar, variety; with a bridge, these are where they stay
# visible.
_MARKETS: dict[Axis | None, tuple[tuple[str, Point, int], ...]] = {
    None: (
        ("tent", (-6.8, -3.5), 0),
        ("stall", (7.0, -4.0), 1),
        ("stall", (-7.2, 6.5), 2),
        ("tent", (6.6, 6.5), 3),
    ),
    "NS": (
        ("tent", (-18.5, -3.5), 0),
        ("stall", (17.5, -3.0), 1),
        ("stall", (-15.5, 6.0), 2),
        ("tent", (18.5, 7.0), 3),
    ),
    "EW": (
        ("tent", (-6.5, -17.0), 0),
        ("stall", (7.0, -17.0), 1),
        ("stall", (-7.0, 18.5), 2),
        ("tent", (6.5, 18.5), 3),
    ),
}


def _market(spot: Point, bridge: Axis | None) -> list[tuple[Point, str, float, int]]:
    """Return a bazaar's ground, with tents and stalls on it."""
    ground = (None, *AXES).index(bridge)
    return [
        (spot, "bazaar", 16.0, ground),
        *(
            ((spot[0] + x, spot[1] + y), kind, 6.0, variety)
            for kind, (x, y), variety in _MARKETS[bridge]
        ),
    ]


VOLCANO_SPOT = (56.0, 49.0)


def _buildings(plan: Plan, rotation: int) -> str:
    """Return everything that stands on the tile, north to south so that nearer things overlap."""
    bridge = turned_axis(plan.bridge, rotation)
    standing: list[tuple[Point, str, float, int]] = []
    for kind, spot, radius in (
        (plan.sanctuary, plan.monastery, 15.0),
        ("volcano", VOLCANO_SPOT if plan.has_volcano else None, 20.0),
        ("abbey", plan.abbey, 26.0),
        ("cathedral", plan.cathedral, 20.0),
        ("village", plan.village, 8.0),
        ("stone", plan.stone, 8.0),
    ):
        if spot is not None:
            standing.append((turn(spot, rotation), kind, radius, 0))
    if plan.bazaar is not None:
        standing += _market(turn(plan.bazaar, rotation), bridge)
    directed = {kind for drawing in drawings() for kind in drawing.directed}
    for thing in sites_of(plan.tile, plan.bridge).things:
        variety = thing.variety
        if thing.kind in directed:
            variety = (variety + 2 * rotation) % 8
        standing.append((turn(thing.spot, rotation), thing.kind, thing.radius, variety))
    # Village and bazaar squares lie flat on the ground, below everything that stands there.
    drawn = [
        (0.0 if kind in ("village", "bazaar") else spot[1], symbol(kind, spot, radius, variety))
        for spot, kind, radius, variety in standing
    ]
    if bridge is not None:
        drawn.append((FEET[bridge], bridge_svg(bridge)))
    drawn.sort(key=lambda thing: thing[0])
    return "".join(svg for _, svg in drawn)


CLIP = f'<clipPath id="tile-clip"><rect width="{SIZE:g}" height="{SIZE:g}"/></clipPath>'
"""For ``<defs>``: clips a tile at its rim."""
