"""The ground plan of a tile: city outlines, roads and rivers as curves, derived from the facts.

No tile is drawn by hand. A city fills the tile except for *bays*: stretches of the rim between two
corners that the city touches. A road is a set of *strands* from the rim inwards.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from carc_env.engine.core.tiles import (
    ABBEY_DESIGN,
    AXES,
    BRIDGED,
    DESIGN,
    FORMS,
    HALVES,
    N_AXES,
    NO_FORM,
    SIDES,
)
from carc_env.render.shapes import (
    CENTRE,
    CORNERS,
    INWARD,
    MIDDLES,
    Curve,
    Point,
    bend,
    chain,
    mix,
    shift,
    straight,
    turn,
)

CAP_DEPTH = 29.0
MEETING_DEPTH = 50.0
BAY_DEPTH = 25.0
GARDEN_BAY_DEPTH = 34.0
DEEP_BAY_DEPTH = 44.0  # leaves room for another city in the bay
TRIANGLE_BAY_DEPTH = 42.0
TOWER_REACH = 84.0  # how far a cap that crosses another city extends into the tile
OVERPASS_REACH = 66.0
TUNNEL_REACH = 15.0
MASSIF_REACH = 16.0
LAKE_REACH = 15.0
STONE_REACH = 41.0  # up to the road that a stone blocks
SIDE_ROAD_REACH = 27.0  # ends in the field before the through road
ABBEY_SPOT = (46.0, 47.0)  # leaves a forecourt for the figure
CLEARANCE = 24.0  # distance between a monastery and a bridge that passes it

# As stored, the river is in the west; both begin beyond the rim, where the tile is clipped.
_SOURCE = chain(
    bend((-6, 43), (10, 43), (17, 38), (27, 40)),
    bend((27, 40), (36, 42), (40, 46.5), (45.5, 44)),
    bend((45.5, 44), (50, 39.6), (58, 38.4), (63.5, 42)),
    bend((63.5, 42), (69.5, 46.5), (69, 55.5), (63, 59.4)),
    bend((63, 59.4), (56.5, 63.4), (49.5, 61), (45.5, 56.4)),
    bend((45.5, 56.4), (41.5, 52.4), (36, 50.6), (28, 51.4)),
    bend((28, 51.4), (18, 52.6), (12, 57), (-6, 57)),
)
_LAKE = chain(
    bend((-6, 43), (10, 43), (17, 43), (24, 37)),
    bend((24, 37), (33, 27), (47, 24), (60, 27)),
    bend((60, 27), (75, 31), (82, 43), (80, 55)),
    bend((80, 55), (77, 70), (61, 76), (47, 73)),
    bend((47, 73), (35, 70), (30, 63), (22, 59)),
    bend((22, 59), (15, 56.6), (8, 57), (-6, 57)),
)
_POOLS = {"source": _SOURCE, "lake": _LAKE}

Axis = Literal["NS", "EW"]
"""Direction of a bridge that a player built."""


@dataclass(frozen=True)
class City:
    """A city segment: its closed outline, and the part of the outline that is wall."""

    sides: tuple[int, ...]
    outline: tuple[Curve, ...]
    walls: tuple[Curve, ...]
    shields: int = 0
    goods: str | None = None
    has_cathedral: bool = False
    is_bridge: bool = False


@dataclass(frozen=True)
class Road:
    """A road segment; every strand starts at the rim, and a road through the tile is one strand."""

    sides: tuple[int, ...]
    strands: tuple[Curve, ...]
    has_inn: bool = False


@dataclass(frozen=True)
class Mark:
    """A spot with a direction: a gate (into the city), or a bridge or portal (along the road)."""

    spot: Point
    heading: Point


@dataclass(frozen=True)
class Plan:
    """Where everything is on a form, as stored (rotation 0), in the square 0..100."""

    tile: str
    bridge: Axis | None = None
    cities: tuple[City, ...] = ()
    roads: tuple[Road, ...] = ()
    lanes: tuple[Curve, ...] = ()  # short stretches between a crossing and a gate: not segments
    river: Curve | None = None
    arm: Curve | None = None  # of a forked river, from the rim to the middle
    pool: Curve | None = None  # the outline of a source or lake, including its mouth
    is_source: bool = False
    has_volcano: bool = False
    gates: tuple[Mark, ...] = ()
    bridges: tuple[Mark, ...] = ()  # of the last road, over a road or the river
    viaduct: Mark | None = None  # of the last road, over a city
    mouths: tuple[Mark, ...] = ()  # of tunnels
    massif: Point | None = None  # the rocks that tunnels lead into
    lake: Point | None = None  # the lake at which roads end
    village: Point | None = None
    stone: Point | None = None  # where a road ends before another that branches
    screen: Point | None = None  # the spot of a road that something hides
    monastery: Point | None = None
    sanctuary: str = "monastery"  # the name of the building's drawing
    abbey: Point | None = None  # walled on all sides: the tile has no other ground
    bazaar: Point | None = None
    cathedral: Point | None = None
    precinct: City | None = None  # within a wall that extends across several tiles: not a segment

    @property
    def walls(self) -> tuple[Curve, ...]:
        """All walls that divide the ground."""
        enclosed = (*self.cities, *([self.precinct] if self.precinct is not None else []))
        return tuple(wall for city in enclosed for wall in city.walls)

    @property
    def buildings(self) -> tuple[tuple[str, Point, float], ...]:
        """The buildings, by the names of their drawings, with locations and sizes."""
        found = (
            ("village", self.village, 11.0),
            ("stone", self.stone, 7.0),
            ("massif", self.massif, MASSIF_REACH + 2),
            ("lake", self.lake, LAKE_REACH + 2),
            (self.sanctuary, self.monastery, 15.0),
            ("bazaar", self.bazaar, 19.0 if self.bridge is None else 24.0),
            ("cathedral", self.cathedral, 21.0),
        )
        return tuple((kind, spot, room) for kind, spot, room in found if spot is not None)


def form_of(tile: str, rotation: int, bridge: Axis | None) -> int:
    """Return the number of a design's form with a bridge; the bridge is in board orientation.

    Raises
    ------
    KeyError
        No design has this ID.
    ValueError
        No such bridge can stand on the tile.
    """
    if bridge is None:
        return DESIGN[tile]
    form = int(BRIDGED[DESIGN[tile], rotation % 4, AXES.index(bridge)])
    if form == NO_FORM:
        raise ValueError(f"{tile!r} at rotation {rotation} cannot have a bridge {bridge}")
    return form


def turned_axis(bridge: Axis | None, rotation: int) -> Axis | None:
    """Return a bridge's direction after quarter turns of its tile, in either direction."""
    return None if bridge is None else AXES[(AXES.index(bridge) + rotation) % N_AXES]


@cache
def plan_of(tile: str, bridge: Axis | None = None) -> Plan:
    """Return a design's ground plan, or that of its form with a bridge (as stored, rotation 0).

    Raises
    ------
    KeyError
        No design has this ID.
    ValueError
        No such bridge can stand on the tile.
    """
    row = FORMS[form_of(tile, 0, bridge)]
    is_abbey = DESIGN[tile] == ABBEY_DESIGN
    cities = tuple(_city(row, i) for i in range(len(row.get("cities", []))))
    hub = _hub(row)
    roads: list[Road] = []
    gates: list[Mark] = []
    mouths: list[Mark] = []
    for i, facts in enumerate(row.get("roads", [])):
        sides = _sides(facts["at"])
        if facts.get("tunnel") or (facts.get("mouth") and "crossing" in row):
            strands, marks = _tunnel_strands(row, sides, cities)
            mouths += marks
        elif facts.get("mouth"):
            strands, marks = _dead_end(row, i, cities, hub)
            mouths.append(Mark(shift(hub, INWARD[sides[0]], -MASSIF_REACH), INWARD[sides[0]]))
        elif len(sides) == 1:
            strands, marks = _dead_end(row, i, cities, hub)
            gates += marks
        else:
            strands = _through(row, sides, cities)
        roads.append(Road(sides, strands, bool(facts.get("inn"))))
    lanes, stub_gates = _lanes(row, cities, hub)
    river = _river(row)
    return Plan(
        tile=tile,
        bridge=bridge,
        cities=cities,
        roads=tuple(roads),
        lanes=lanes,
        river=river,
        arm=_arm(row),
        pool=_POOLS.get(row.get("river_role", "")),
        is_source=row.get("river_role") == "source",
        has_volcano=bool(row.get("volcano") and row.get("river")),
        gates=(*gates, *stub_gates),
        bridges=_bridges(row, roads, river),
        viaduct=_viaduct(row, roads),
        mouths=tuple(mouths),
        massif=hub if _has_massif(row) else None,
        lake=hub if row.get("ferry") else None,
        village=hub if _has_village(row) else None,
        stone=_stone(row),
        screen=_screen(row, roads),
        monastery=hub if _has_building(row) and not is_abbey else None,
        sanctuary=next((kind for kind in ("shrine", "hut") if row.get(kind)), "monastery"),
        abbey=ABBEY_SPOT if is_abbey else None,
        bazaar=hub if row.get("bazaar") else None,
        cathedral=CENTRE if any(c.has_cathedral for c in cities) else None,
        precinct=_precinct(row),
    )


def _sides(letters: str) -> tuple[int, ...]:
    return tuple(SIDES.index(letter) for letter in letters)


def _field_at(row: dict[str, Any]) -> dict[int, int]:
    """Return the number of the field at each half-edge."""
    return {
        HALVES.index(half): i
        for i, field in enumerate(row["fields"])
        for half in field["at"].split()
    }


# ------------------------------------------------------------------------------------- cities


def _city(row: dict[str, Any], i: int) -> City:
    facts = row["cities"][i]
    sides = _sides(facts["at"])
    is_last = i == len(row["cities"]) - 1
    is_bridge = row.get("crossing") in ("cities", "city over river") and is_last
    if is_bridge:
        outline, walls = _bridge_outline(sides)
    elif any("shared" in city for city in row["cities"]):
        outline, walls = _sharing_outline(row, i, sides)
    elif _is_stretched(row, i):
        outline, walls = _stretched_outline(sides[0])
    elif (reach := _point_of(row, i)) is not None:
        outline, walls = _pointed_outline(sides[0], reach)
    else:
        outline, walls = _outline(row, i, sides)
    return City(
        sides=sides,
        outline=outline,
        walls=walls,
        shields=facts.get("shields", 0),
        goods=facts.get("goods"),
        has_cathedral=bool(facts.get("cathedral")),
        is_bridge=is_bridge,
    )


def _outline(
    row: dict[str, Any], i: int, sides: tuple[int, ...]
) -> tuple[tuple[Curve, ...], tuple[Curve, ...]]:
    """Walk clockwise around the rim: city sides are straight, the bays between them are walls."""
    touched = {corner for side in sides for corner in (side, (side + 1) % 4)}
    touched |= {corner for corner in range(4) if _splits_field(row, corner) == i}
    outline: list[Curve] = []
    walls: list[Curve] = []
    side = sides[0]
    while side < sides[0] + 4:
        if side % 4 in sides:
            outline.append(straight(CORNERS[side % 4], CORNERS[(side + 1) % 4]))
            side += 1
            continue
        n_sides = 1
        while (side + n_sides) % 4 not in touched:
            n_sides += 1
        is_lone = len(row["cities"]) == len(sides) == 1
        if n_sides == 2 and (is_lone or not row["fields"]):
            # A lone cap that extends to the opposite corner, or has no field beyond its wall.
            wall = straight(CORNERS[side % 4], CORNERS[(side + 2) % 4])
        else:
            is_cap = n_sides == 3
            depth = _cap_depth(row, i) if is_cap else _bay_depth(row, i, sides, side % 4)
            wall = _bay(side % 4, n_sides, depth)
        outline.append(wall)
        walls.append(wall)
        side += n_sides
    return tuple(outline), tuple(walls)


def _splits_field(row: dict[str, Any], corner: int) -> int | None:
    """Return the city between two fields at a corner of the tile, if there is one."""
    field_at = _field_at(row)
    before, after = field_at.get((2 * corner - 1) % 8), field_at.get(2 * corner)
    if before is None or after is None or before == after:
        return None
    shared = set(row["fields"][before]["cities"]) & set(row["fields"][after]["cities"])
    return min(shared) if shared else None


def _cap_depth(row: dict[str, Any], i: int) -> float:
    """Return a cap's depth: to the middle if another cap meets it there, separating fields."""
    (side,), field_at = _sides(row["cities"][i]["at"]), _field_at(row)
    faces = [_sides(city["at"]) for city in row["cities"]]
    parts = field_at.get((2 * side + 2) % 8) != field_at.get((2 * side - 1) % 8)
    is_free = len(row.get("roads", ())) < 2 and "crossing" not in row
    meets = faces.count(((side + 2) % 4,)) == 1 and len(faces) == 2
    return MEETING_DEPTH if parts and is_free and meets else CAP_DEPTH


def _bay_depth(row: dict[str, Any], i: int, sides: tuple[int, ...], side: int) -> float:
    others = {s for j, c in enumerate(row["cities"]) if j != i for s in _sides(c["at"])}
    if side in others:
        return DEEP_BAY_DEPTH if row.get("crossing") != "cities" else 41.0
    if row.get("crossing") == "cities":
        return 34.0  # the tower of the crossing city ends in this bay
    if row.get("crossing") == "road under city" and _is_undivided(row, side):
        return 36.0  # the field extends around the tunnel portal
    if len(sides) == 1 and (side + 2) % 4 == sides[0]:
        return TRIANGLE_BAY_DEPTH
    has_sign = row.get("garden") or "wind_rose" in row
    return GARDEN_BAY_DEPTH if has_sign and len(sides) > 1 else BAY_DEPTH


def _is_undivided(row: dict[str, Any], side: int) -> bool:
    """Return whether the same field is at both halves of a side."""
    field_at = _field_at(row)
    return field_at.get(2 * side) == field_at.get(2 * side + 1)


def _bay(first_side: int, n_sides: int, depth: float) -> Curve:
    """Return the wall of a bay along some sides, clockwise from the corner before the first."""
    if n_sides == 1:
        y = depth * 4 / 3
        inset = 18.0 if depth > BAY_DEPTH + 5 else 26.0
        wall = bend((0, 0), (inset, y), (100 - inset, y), (100, 0))
    elif n_sides == 2:
        wall = bend((0, 0), (21, 45), (55, 79), (100, 100))
    else:
        # Less than 45 degrees at the corner, so that two adjacent caps stay apart.
        x = depth
        wall = chain(
            bend((0, 0), (9, 13), (x, 25), (x, 50)), bend((x, 50), (x, 75), (9, 87), (0, 100))
        )
    return wall.turned(first_side)


def _bridge_outline(sides: tuple[int, ...]) -> tuple[tuple[Curve, ...], tuple[Curve, ...]]:
    """Return a city that crosses over another one: a narrow band across the tile."""
    flank = chain(
        bend((0, 0), (20, 12), (17, 39), (31, 39)),
        straight((31, 39), (69, 39)),
        bend((69, 39), (83, 39), (80, 12), (100, 0)),
    )
    if len(sides) == 2:
        upper, lower = flank.turned(sides[0] - 1), flank.turned(sides[0] + 1)
        rims = [straight(CORNERS[s], CORNERS[(s + 1) % 4]) for s in sides]
        return (rims[0], lower, rims[1], upper), (upper, lower)
    far, near = 100 - TOWER_REACH, 69.0
    wall = chain(
        bend((100, 100), (80, 88), (83, 61), (near, 61)),
        straight((near, 61), (far + 9, 61)),
        bend((far + 9, 61), (far - 3, 61), (far - 3, 39), (far + 9, 39)),
        straight((far + 9, 39), (near, 39)),
        bend((near, 39), (83, 39), (80, 12), (100, 0)),
    ).turned(sides[0] - 1)
    rim = straight(CORNERS[sides[0]], CORNERS[(sides[0] + 1) % 4])
    return (rim, wall), (wall,)


def _point_of(row: dict[str, Any], i: int) -> float | None:
    """Return the depth of a city that narrows to a point and separates the fields beside it.

    It reaches the far side of the tile, or the point of a city coming from there.
    """
    cities = row["cities"]
    (side, *others), far = _sides(cities[i]["at"]), 100.0
    opposite = (side + 2) % 4
    if others:
        return None
    if row["edges"][opposite] == "F":
        is_round = cities[i].get("castle") is not False
        return None if is_round or _is_undivided(row, opposite) else far
    faces = [_sides(city["at"]) for city in cities]
    parts = len(row["fields"]) == 2 and not row.get("roads") and not row.get("river")
    return far / 2 if parts and faces.count((opposite,)) == 1 else None


def _is_stretched(row: dict[str, Any], i: int) -> bool:
    """Return whether a city on one side extends along the next side, around an enclosed field."""
    is_cap = row["cities"][i].get("castle") is False and "crossing" not in row
    return is_cap and any(not field["at"] and i in field["cities"] for field in row["fields"])


def _stretched_outline(side: int) -> tuple[tuple[Curve, ...], tuple[Curve, ...]]:
    """Return a city on one side that extends along the preceding side, to the next corner."""
    inner = bend((100, 0), (50, 27), (27, 50), (0, 100)).turned(side)
    outer = bend((0, 100), (13, 74), (13, 26), (0, 0)).turned(side)
    return (straight((0, 0), (100, 0)).turned(side), inner, outer), (inner, outer)


def _pointed_outline(side: int, reach: float) -> tuple[tuple[Curve, ...], tuple[Curve, ...]]:
    """Return a city on one side whose walls meet in a point."""
    wall = chain(
        bend((100, 0), (80, 0.28 * reach), (56, 0.5 * reach), (50, reach)),
        bend((50, reach), (44, 0.5 * reach), (20, 0.28 * reach), (0, 0)),
    ).turned(side)
    return (straight((0, 0), (100, 0)).turned(side), wall), (wall,)


def _sharing_outline(
    row: dict[str, Any], i: int, sides: tuple[int, ...]
) -> tuple[tuple[Curve, ...], tuple[Curve, ...]]:
    """Return half of a side that two cities share (HS-40): the first has north and east."""
    assert [city["at"] for city in row["cities"]] == ["NE", "S"], "drawn for a single design"
    if i == 0:
        wall = bend((100, 47), (72, 45), (36, 34), (0, 0))
        return (
            straight((0, 0), (100, 0)),
            straight((100, 0), (100, 47)),
            wall,
        ), (wall,)
    wall = bend((0, 100), (36, 66), (72, 55), (100, 53))
    return (straight((100, 53), (100, 100)), straight((100, 100), (0, 100)), wall), (wall,)


def _precinct(row: dict[str, Any]) -> City | None:
    """Return walled ground that belongs to no segment, on edges that are laid beforehand.

    The wall leaves the tile at the middle of a side if a field has one half of the edge.
    """
    sides = tuple(side for side in range(4) if row["edges"][side] == "K")
    outer = _field_at(row)
    halves = [half for side in sides for half in (2 * side, 2 * side + 1) if half not in outer]
    ways = {half: straight(_rim_point(half), _rim_point(half + 1)) for half in halves}
    ends = [half for half in halves if (half + 1) % len(HALVES) not in ways]
    if not ends:
        return City(sides, tuple(ways.values()), ()) if ways else None
    (last,) = ends
    first = next(half for half in halves if (half - 1) % len(HALVES) not in ways)
    order = [(first + k) % len(HALVES) for k in range(len(halves))]
    wall = _pass(last // 2, first // 2, CENTRE)
    return City(sides, (*(ways[half] for half in order), wall), (wall,))


def _rim_point(k: int) -> Point:
    """Return where a half-edge begins: at a corner, or in the middle of a side."""
    side, is_second = divmod(k % len(HALVES), 2)
    return MIDDLES[side] if is_second else CORNERS[side]


# -------------------------------------------------------------------------------------- roads


def _has_village(row: dict[str, Any]) -> bool:
    """Return whether roads end at a crossing in the middle."""
    meet = any(sum(name[0] == "r" for name in group) > 1 for group in row.get("links", []))
    return meet and _stone(row) is None


def _stone(row: dict[str, Any]) -> Point | None:
    """Return the stone at which a road ends in the fork of another road."""
    roads = [_sides(road["at"]) for road in row.get("roads", [])]
    for group in row.get("links", []):
        met = sorted((roads[int(name[1:])] for name in group if name[0] == "r"), key=len)
        if len(met) > 1 and len(met[-1]) > 2:
            side = met[0][0]
            return shift(MIDDLES[side], INWARD[side], STONE_REACH)
    return None


def _screen(row: dict[str, Any], roads: list[Road]) -> Point | None:
    """Return where a road passes behind a tree: in the middle, or beside a bridge over the road."""
    if row.get("trap") != "tree":
        return None
    return roads[0].strands[0].at(0.2 if "bridge" in row else 0.5)


def _has_massif(row: dict[str, Any]) -> bool:
    """Return whether tunnels lead into rocks in the middle rather than under a city."""
    return "crossing" not in row and any(road.get("mouth") for road in row.get("roads", []))


def _has_building(row: dict[str, Any]) -> bool:
    """Return whether a monastery, a shrine or a hut stands on the tile."""
    return bool(row.get("monastery") or row.get("shrine") or row.get("hut"))


def _hub(row: dict[str, Any]) -> Point:
    """Return the middle of the tile, shifted away from a lone cap and from passing bridges."""
    if _has_building(row) and "bridge" in row:
        return _beside_bridge(row)
    return _middle(row)


def _beside_bridge(row: dict[str, Any]) -> Point:
    """Return a monastery's location beside a bridge: across from a city, or from the first road."""
    parts = [*row.get("cities", []), *row.get("roads", [])]
    sides = [side for part in parts for side in _sides(part["at"])]
    behind = sides[0] if sides else SIDES.index("W" if row["bridge"] == "NS" else "N")
    return shift(_middle(row), INWARD[behind], CLEARANCE)


def _middle(row: dict[str, Any]) -> Point:
    caps = [_sides(c["at"])[0] for c in row.get("cities", []) if len(c["at"]) == 1]
    if len(caps) == 1 and _ends_at_wall(row, (caps[0],)):
        return shift(MIDDLES[caps[0]], INWARD[caps[0]], CAP_DEPTH)
    if len(caps) == 1:
        below = shift(CENTRE, INWARD[caps[0]], 6)
        bends = [_sides(r["at"]) for r in row.get("roads", []) if len(r["at"]) == 2]
        if not (row.get("monastery") and bends):
            return below
        return shift(below, INWARD[next(s for s in bends[0] if s != (caps[0] + 2) % 4)], 22)
    if _has_building(row) and row.get("river"):
        return shift(CENTRE, INWARD[_far_bank(row)], 22)
    if _has_building(row) and any(len(r["at"]) == 2 for r in row.get("roads", [])):
        return shift(CENTRE, INWARD[(_sides(row["roads"][0]["at"])[0] + 1) % 4], 21)
    return CENTRE


def _ends_at_wall(row: dict[str, Any], sides: tuple[int, ...]) -> bool:
    """Return whether two roads end at a city wall and separate the fields to its left and right."""
    field_at, ends = _field_at(row), [len(road["at"]) for road in row.get("roads", [])]
    parts = field_at.get((2 * sides[-1] + 2) % 8) != field_at.get((2 * sides[0] - 1) % 8)
    return parts and ends == [1, 1] and "crossing" not in row and "links" not in row


def _far_bank(row: dict[str, Any]) -> int:
    """Return the side across the river from a monastery: where its road begins, or the south."""
    return _sides(row["roads"][0]["at"])[0] if "roads" in row else SIDES.index("S")


def _dead_end(
    row: dict[str, Any], i: int, cities: tuple[City, ...], hub: Point
) -> tuple[tuple[Curve, ...], list[Mark]]:
    """Return a road with one end on this tile, and the gate if it ends at one."""
    side = _sides(row["roads"][i]["at"])[0]
    start = MIDDLES[side]
    if (precinct := _precinct(row)) is not None:
        gate = _gate(precinct, CENTRE)
        return (_to_gate(start, INWARD[side], gate),), [gate]
    if (stone := _stone(row)) is not None:
        return (straight(start, stone),), []
    groups = [group for group in row.get("links", []) if f"r{i}" in group]
    partners = {name for group in groups for name in group}
    roads_met = {name for name in partners if name[0] == "r"}
    walled = [int(name[1:]) for name in partners if name[0] == "c"]
    if walled and len(roads_met) == 1:
        gate = _gate(cities[walled[0]], shift(start, INWARD[side], 8 if "bridge" in row else 25))
        return (_to_gate(start, INWARD[side], gate),), [gate]
    if not partners and row.get("crossing") == "roads":
        return (straight(start, shift(start, INWARD[side], OVERPASS_REACH)),), []
    if "circle" in row and any(len(road["at"]) == 2 for road in row["roads"]):
        return (_to_gate(start, INWARD[side], _end_at_circle(row, cities)),), []
    is_beside_tunnels = _has_massif(row) and not row["roads"][i].get("mouth")
    if not partners and (is_beside_tunnels or any(len(road["at"]) == 2 for road in row["roads"])):
        return (straight(start, shift(start, INWARD[side], SIDE_ROAD_REACH)),), []
    field_at = _field_at(row)
    if cities and len(row["roads"]) == 1 and field_at[2 * side] != field_at[2 * side + 1]:
        return (straight(start, _gate(cities[0], start).spot),), []
    faces = [_sides(city["at"]) for city in row.get("cities", ())]
    if len(faces) == 1 and len(faces[0]) == 2 and _ends_at_wall(row, faces[0]):
        hub = _gate(cities[0], hub).spot
    reach = 0.5 * abs(hub[0] - start[0]) + 0.5 * abs(hub[1] - start[1])
    return (bend(start, shift(start, INWARD[side], reach), mix(start, hub, 0.7), hub),), []


def _end_at_circle(row: dict[str, Any], cities: tuple[City, ...]) -> Mark:
    """Return where roads end at a crop circle: all of them, or only one, beside a through road."""
    sides = [_sides(road["at"]) for road in row["roads"]]
    ends = [shift(MIDDLES[s[0]], INWARD[s[0]], SIDE_ROAD_REACH) for s in sides if len(s) == 1]
    if len(ends) == 1:
        curve = _through(row, next(s for s in sides if len(s) == 2), cities)[0]
        spot = curve.at(0.5)
    else:
        spot = (sum(x for x, _ in ends) / len(ends), sum(y for _, y in ends) / len(ends))
    away = (CENTRE[0] - spot[0], CENTRE[1] - spot[1])
    reach = (away[0] ** 2 + away[1] ** 2) ** 0.5
    return Mark(spot, (-away[0] / reach, -away[1] / reach))


def _gate(city: City, near: Point) -> Mark:
    """Return the spot on a city's wall closest to a point, heading into the city."""
    best: tuple[float, Mark] | None = None
    for wall in city.walls:
        share = wall.nearest_share(near)
        spot, along = wall.at(share), wall.heading(share)
        gap = (spot[0] - near[0]) ** 2 + (spot[1] - near[1]) ** 2
        # Outlines run clockwise, so the city lies to the right of its wall.
        mark = Mark(spot, (-along[1], along[0]))
        if best is None or gap < best[0]:
            best = (gap, mark)
    assert best is not None, "a city on all four sides has no gate"
    return best[1]


def _to_gate(start: Point, inward: Point, gate: Mark) -> Curve:
    reach = 0.45 * ((gate.spot[0] - start[0]) ** 2 + (gate.spot[1] - start[1]) ** 2) ** 0.5
    return bend(
        start, shift(start, inward, reach), shift(gate.spot, gate.heading, -reach), gate.spot
    )


def _lanes(
    row: dict[str, Any], cities: tuple[City, ...], hub: Point
) -> tuple[tuple[Curve, ...], tuple[Mark, ...]]:
    """Return the roads from a crossing to city gates; nobody can claim them."""
    lanes: list[Curve] = []
    gates: list[Mark] = []
    for group in row.get("links", []):
        if sum(name[0] == "r" for name in group) < 2:
            continue
        for name in group:
            if name[0] == "c":
                gate = _gate(cities[int(name[1:])], hub)
                gates.append(gate)
                lanes.append(straight(hub, gate.spot))
    return tuple(lanes), tuple(gates)


def _through(
    row: dict[str, Any], sides: tuple[int, ...], cities: tuple[City, ...]
) -> tuple[Curve, ...]:
    """Return a road that leads through the tile; with three sides, the third joins the others."""
    if len(sides) > 2:
        a, b = next((a, b) for a in sides for b in sides if b == a + 2)
        rest = [straight(MIDDLES[s], CENTRE) for s in sides if s not in (a, b)]
        return (_pass(a, b, CENTRE), *rest)
    a, b = sides
    if (a + 2) % 4 == b:
        return (_pass(a, b, _bulge(row, sides, cities)),)
    # The road bends around the corner between its sides; b follows a clockwise, or a follows b.
    first = a if (a + 1) % 4 == b else b
    outer = (2 * first, (2 * first + 3) % 8)
    field_at = _field_at(row)
    left, right = field_at[outer[0]] if outer[0] in field_at else -1, field_at.get(outer[1], -1)
    if cities and left != right and left >= 0 and right >= 0 and not row.get("crossing"):
        shared = set(row["fields"][left]["cities"]) & set(row["fields"][right]["cities"])
        if shared:
            return (_touching(a, b, cities[min(shared)]),)
    return (_pass(a, b, CENTRE),)


def _pass(a: int, b: int, middle: Point) -> Curve:
    """Return a path from side to side: around the corner, or straight with a slight bulge."""
    start, end = MIDDLES[a], MIDDLES[b]
    if (a + 2) % 4 != b:
        return bend(start, shift(start, INWARD[a], 28), shift(end, INWARD[b], 28), end)
    return chain(
        bend(start, shift(start, INWARD[a], 20), shift(middle, INWARD[a], -20), middle),
        bend(middle, shift(middle, INWARD[b], -20), shift(end, INWARD[b], 20), end),
    )


def _bulge(row: dict[str, Any], sides: tuple[int, ...], cities: tuple[City, ...]) -> Point:
    """Return the middle of a straight road, pushed away from caps and monasteries beside it.

    A road that separates two fields beside a cap touches the cap's wall.
    """
    if row.get("crossing") or row.get("river"):
        return CENTRE
    beside = [(sides[0] + 1) % 4, (sides[0] + 3) % 4]
    capped = [s for s in beside if row["edges"][s] == "C"]
    if row.get("monastery"):
        return shift(CENTRE, INWARD[beside[1]], 12)
    if len(capped) == 1:
        field_at, (cap,) = _field_at(row), capped
        if field_at[(2 * cap + 2) % 8] != field_at[(2 * cap + 7) % 8]:
            wall = _gate(cities[0], CENTRE)
            return shift(wall.spot, wall.heading, -3.5)
        return shift(CENTRE, INWARD[cap], 8)
    return shift(CENTRE, INWARD[beside[1]], 4)


def _touching(a: int, b: int, city: City) -> Curve:
    """Return a bend that grazes a city's wall and continues."""
    away = (INWARD[a][0] + INWARD[b][0], INWARD[a][1] + INWARD[b][1])
    wall = _gate(city, shift(CENTRE, away, 8))
    spot = shift(wall.spot, wall.heading, -3.5)
    along = (wall.heading[1], -wall.heading[0])
    start, end = MIDDLES[a], MIDDLES[b]
    if along[0] * (end[0] - start[0]) + along[1] * (end[1] - start[1]) < 0:
        along = (-along[0], -along[1])
    return chain(
        bend(start, shift(start, INWARD[a], 18), shift(spot, along, -13), spot),
        bend(spot, shift(spot, along, 13), shift(end, INWARD[b], 26), end),
    )


def _tunnel_strands(
    row: dict[str, Any], sides: tuple[int, ...], cities: tuple[City, ...]
) -> tuple[tuple[Curve, ...], list[Mark]]:
    """Return the visible ends of a tunnel road: up to the wall, or to a portal in a field."""
    strands: list[Curve] = []
    marks: list[Mark] = []
    for side in sides:
        start = MIDDLES[side]
        if _is_undivided(row, side):
            portal = Mark(shift(start, INWARD[side], TUNNEL_REACH), INWARD[side])
        else:
            portal = _gate(cities[0], shift(start, INWARD[side], 25))
        strands.append(straight(start, portal.spot))
        marks.append(portal)
    return tuple(strands), marks


def mouth_at(tile: str, rotation: int, side: int) -> Point:
    """Return where a tunnel's mouth is on a placed tile, for the road that leads to a side.

    It is in board orientation, in the square 0..100.
    """
    spots = [turn(mouth.spot, rotation) for mouth in plan_of(tile).mouths]
    return min(spots, key=lambda spot: _gap(spot, MIDDLES[side]))


def pier_at(tile: str, rotation: int, side: int) -> Point:
    """Return where the road that leads to a side of a placed tile ends at its lake.

    It is in board orientation, in the square 0..100.
    """
    lake = plan_of(tile).lake
    assert lake is not None, f"{tile} has no lake"
    return shift(turn(lake, rotation), INWARD[side], -LAKE_REACH)


# ------------------------------------------------------------------------- rivers and bridges


def _river(row: dict[str, Any]) -> Curve | None:
    if "river" not in row:
        return None
    sides = _sides(row["river"])
    if len(sides) == 1:
        if row.get("river_role") == "end":
            return straight(MIDDLES[sides[0]], MIDDLES[(sides[0] + 2) % 4])
        return bend((0, 50), (14, 50), (20, 45), (50, 50)).turned(sides[0] + 1)
    if len(sides) == 3:
        a, b = _through_fork(sides)
        return _pass(a, b, CENTRE)
    if (sides[0] + 2) % 4 != sides[1]:
        return _pass(sides[0], sides[1], CENTRE)
    if row.get("monastery"):
        toward = INWARD[_far_bank(row)]
        return _pass(sides[0], sides[1], shift(CENTRE, toward, -8))
    caps = [_sides(c["at"])[0] for c in row.get("cities", [])]
    if len(caps) == 1:
        return _pass(sides[0], sides[1], shift(CENTRE, INWARD[caps[0]], 9))
    if row.get("cities") or row.get("roads"):
        return _pass(sides[0], sides[1], CENTRE)
    return chain(
        bend((0, 50), (14, 50), (20, 43), (34, 44)),
        bend((34, 44), (54, 45), (52, 57), (70, 56)),
        bend((70, 56), (82, 55), (87, 50), (100, 50)),
    ).turned(1 - sides[0])


def _through_fork(sides: tuple[int, ...]) -> tuple[int, int]:
    """Return the two opposite sides of a fork."""
    return next((a, b) for a in sides for b in sides if b == a + 2)


def _arm(row: dict[str, Any]) -> Curve | None:
    """Return the third arm of a forked river."""
    sides = _sides(row.get("river", ""))
    if len(sides) < 3:
        return None
    (side,) = set(sides) - set(_through_fork(sides))
    return straight(MIDDLES[side], CENTRE)


def _bridges(row: dict[str, Any], roads: list[Road], river: Curve | None) -> tuple[Mark, ...]:
    """Return where the last road crosses the river or another road."""
    if row.get("crossing") not in ("roads", "road over river"):
        return ()
    upper = roads[-1].strands[0]
    lower = river if river is not None else roads[0].strands[0]
    shares = [s / 60 for s in range(61)]
    spots = [upper.at(s) for s in shares]
    gaps = [_gap(spot, lower.at(lower.nearest_share(spot))) for spot in spots]
    share = shares[gaps.index(min(gaps))]
    return (Mark(upper.at(share), upper.heading(share)),)


def _viaduct(row: dict[str, Any], roads: list[Road]) -> Mark | None:
    """Return where the last road crosses the middle of a city."""
    if row.get("crossing") != "road over city":
        return None
    upper = roads[-1].strands[0]
    return Mark(upper.at(0.5), upper.heading(0.5))


def _gap(a: Point, b: Point) -> float:
    return (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2
