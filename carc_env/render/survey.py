"""A survey of a tile: each thing takes the roomiest spot that is left in its segment.

The ground plan is sampled on a grid. Figures come first, so nothing has to be placed by hand, and
figures hide as little as possible.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from carc_env.engine.core.codes import Kind
from carc_env.engine.core.tiles import (
    FORMS,
    HALVES,
    segments_of,
)
from carc_env.render.bridge_art import distance_beyond, stand_on
from carc_env.render.plan import Axis, Plan, Road, form_of, plan_of, turned_axis
from carc_env.render.shapes import (
    MIDDLES,
    SIZE,
    Curve,
    Point,
    Points,
    distance_to_line,
    is_inside,
    turn,
)

Grid = npt.NDArray[np.float64]
"""Shape (CELLS, CELLS), rows from north to south: one number per sampled spot."""

Labels = npt.NDArray[np.int16]

CELLS = 50
STEP = SIZE / CELLS

ROAD_HALF_WIDTH = 4.6
RIVER_HALF_WIDTH = 7.5
WALL_HALF_WIDTH = 1.6
ARCHES = 13.0  # how far the arches of a road over a city extend from its middle, below a roof
FIGURE_ROOM = 13.0
EDGE = 4.0  # minimum distance between a farmer and the tile's rim

# By the water, as stored, where the river is in the west.
ROCKS: tuple[Point, ...] = ((50, 37.4), (59, 35.8), (67.5, 41), (70.4, 50), (66.6, 58.6), (57, 63))
REEDS: tuple[Point, ...] = ((35, 28), (81, 44), (72, 70))

# Where figures may stand around a building, clockwise in degrees from the east: in front of it if
# there is room, to the right, or to the left for lying figures.
IN_FRONT = (45, 30, 60, 15, 75, 0, 90, *range(105, 360, 15))
LEFT_IN_FRONT = (135, 150, 120, 165, 180, 195, 210, 225, *range(240, 480, 15))
APART = 22.0  # minimum distance from another figure at the same building, if there is room

# Cell labels; the segment's number among its kind is added.
CITY, ROAD, FIELD, OTHER, PRECINCT = 0, 100, 200, 300, 400

# A smaller component of a field is a sliver between two walls, not a usable area.
SLIVER_CELLS = 9


@dataclass(frozen=True)
class Thing:
    """A small drawn object: kind, spot and radius, sometimes with a variety."""

    kind: str
    spot: Point
    radius: float
    variety: int = 0


# --------------------------------------------------------------------------------- the ground


def grid_spots() -> Points:
    """Return the sampled spots, shape (CELLS * CELLS, 2), row by row."""
    steps = (np.arange(CELLS) + 0.5) * STEP
    x, y = np.meshgrid(steps, steps)
    return np.stack([x.ravel(), y.ravel()], axis=1)


def ground(plan: Plan) -> Labels:
    """Return the owner of every sampled spot: ``CITY + i``, ``ROAD + i``, ``OTHER`` or ``FIELD``.

    ``OTHER`` is ground that no segment owns, such as rivers, walls and the abbey; ``PRECINCT`` is
    such ground within walls. Fields are not distinguished, and a bridge does not divide anything
    that it crosses (BRI-13).
    """
    spots = grid_spots()
    labels = np.full(len(spots), FIELD if plan.abbey is None else OTHER, np.int16)
    if plan.pool is not None:
        labels[is_inside(spots, plan.pool.points)] = OTHER
    else:
        for river in (plan.river, plan.arm):
            if river is not None:
                labels[distance_to_line(spots, river.points) < RIVER_HALF_WIDTH] = OTHER
    for lane in plan.lanes:
        labels[distance_to_line(spots, lane.points) < ROAD_HALF_WIDTH] = OTHER
    for i, road in enumerate(plan.roads):
        _lay_road(labels, spots, road, ROAD + i)
    enclosed = [(city, CITY + i) for i, city in enumerate(plan.cities)]
    enclosed += [(plan.precinct, PRECINCT)] if plan.precinct is not None else []
    for city, label in enclosed:
        for wall in city.walls:
            labels[distance_to_line(spots, wall.points) < WALL_HALF_WIDTH] = OTHER
        rim = np.concatenate([curve.points for curve in city.outline])
        labels[is_inside(spots, rim)] = label
    if plan.viaduct is not None:
        _lay_road(labels, spots, plan.roads[-1], ROAD + len(plan.roads) - 1)
    return labels.reshape(CELLS, CELLS)


def _lay_road(labels: Labels, spots: Points, road: Road, label: int) -> None:
    for strand in road.strands:
        labels[distance_to_line(spots, strand.points) < ROAD_HALF_WIDTH] = label


def components(mask: npt.NDArray[np.bool_]) -> list[npt.NDArray[np.bool_]]:
    """Return a mask's connected parts (four neighbours) without slivers, west to east."""
    left = set(zip(*(axis.tolist() for axis in mask.nonzero()), strict=True))
    found = []
    while left:
        todo = [min(left)]
        left.remove(todo[0])
        for r, c in todo:  # the list grows
            near = {(r - 1, c), (r + 1, c), (r, c - 1), (r, c + 1)} & left
            left -= near
            todo += near
        if len(todo) > SLIVER_CELLS:
            part = np.zeros_like(mask)
            part[tuple(zip(*todo, strict=True))] = True
            found.append(part)
    return sorted(found, key=lambda part: round(float(np.argwhere(part)[:, 1].mean())))


def cell_of_half(half: int) -> tuple[int, int]:
    """Return row and column of the cell at the middle of a half-edge (0..7, clockwise from Nw)."""
    side = half // 2
    x, y = turn((25.0 if half % 2 == 0 else 75.0, STEP / 2), side)
    return min(int(y / STEP), CELLS - 1), min(int(x / STEP), CELLS - 1)


def field_masks(row: dict[str, Any], labels: Labels) -> list[npt.NDArray[np.bool_]]:
    """Return the ground of each field on a tile, in the order of the facts."""
    parts = components(labels == FIELD)
    rimless = [p for p in parts if not (p[0].any() or p[-1].any() or p[:, [0, -1]].any())]
    n_enclosed = sum(not field["at"] for field in row["fields"])
    # Under a bridge, one enclosed field can show as two parts: the largest represents it.
    shares = iter(np.array_split(np.arange(len(rimless)), max(n_enclosed, 1)))
    masks = []
    for field in row["fields"]:
        if field["at"]:
            cells = [cell_of_half(HALVES.index(half)) for half in field["at"].split()]
            masks.append(next(p for p in parts if any(p[cell] for cell in cells)))
        else:
            masks.append(max((rimless[k] for k in next(shares)), key=np.count_nonzero))
    return masks


# --------------------------------------------------------------------------------- the survey


class Survey:
    """Assigns spots on one tile; each spot takes room from later ones."""

    def __init__(self, tile: str, bridge: Axis | None) -> None:
        self.row = FORMS[form_of(tile, 0, bridge)]
        self.plan = plan_of(tile, bridge)
        self.segments = segments_of(self.row)
        self.spots = grid_spots()
        self.labels = ground(self.plan)
        self.fields = field_masks(self.row, self.labels)
        self.random = random.Random(tile)
        self.stands: dict[int, tuple[Point, ...]] = {}
        self.things: list[Thing] = []
        self.room = self._free_room()

    def _free_room(self) -> Grid:
        """Return every spot's distance to the nearest wall, road, river, building and edge."""
        plan = self.plan
        edge = np.minimum(self.spots, SIZE - self.spots).min(axis=1)
        room = edge
        roads = [strand for road in plan.roads for strand in road.strands]
        obstacles: list[tuple[Iterable[Curve], float]] = [
            (plan.walls, 2.5),
            ((*roads, *plan.lanes), ROAD_HALF_WIDTH),
            ((river for river in (plan.river, plan.arm) if river is not None), RIVER_HALF_WIDTH),
            ((plan.pool,) if plan.pool is not None else (), 2.5),
        ]
        for curves, half_width in obstacles:
            for curve in curves:
                room = np.minimum(room, distance_to_line(self.spots, curve.points) - half_width)
        room = np.minimum(room, self._beyond_bridge(self.spots))
        self.room = room.reshape(CELLS, CELLS)
        for spot, radius in (
            *((spot, radius) for _, spot, radius in plan.buildings),
            *((gate.spot, 8.0) for gate in plan.gates),
            *((mouth.spot, 7.0) for mouth in plan.mouths),
        ):
            self.take(spot, radius)
        return self.room

    def _beyond_bridge(self, spots: Points) -> npt.NDArray[np.float64]:
        """Return every spot's distance from the bridge, below zero under it."""
        if self.plan.bridge is None:
            return np.full(len(spots), SIZE)
        return distance_beyond(self.plan.bridge, spots)

    def distance(self, spot: Point) -> Grid:
        """Return every sampled spot's distance from a given spot."""
        gap = self.spots - np.array(spot)
        away: Grid = np.hypot(gap[:, 0], gap[:, 1]).reshape(CELLS, CELLS)
        return away

    def take(self, spot: Point, radius: float) -> None:
        """Reserve the room around a spot."""
        self.room = np.minimum(self.room, self.distance(spot) - radius)

    def roomiest(
        self, mask: npt.NDArray[np.bool_], room: Grid | None = None
    ) -> tuple[Point, float]:
        """Return the ground's spot with the most room around it, and how much room that is."""
        room = self.room if room is None else room
        # A slight slope breaks ties the same way on every machine.
        slope = np.arange(CELLS)[:, None] * 2e-3 + np.arange(CELLS) * 1e-3
        best = np.where(mask, np.round(room, 6) - slope, -np.inf).argmax()
        x, y = self.spots[best]
        return (float(x), float(y)), float(room.ravel()[best])

    # ----------------------------------------------------------------------------- figures

    def seat_figures(self) -> None:
        """Choose where figures stand, except in fields; this also lays out the garden."""
        n_seen: dict[Kind, int] = {}
        monks: list[Point] = []
        for j, (kind, *_) in enumerate(self.segments):
            i = n_seen.setdefault(kind, 0)
            n_seen[kind] += 1
            if kind == Kind.ROAD and i == len(self.plan.roads):
                self._seat_on_bridge(j)
            elif kind == Kind.ROAD:
                self._seat(j, self._on_road(i))
            elif kind == Kind.CITY:
                self._seat(j, self._in_city(i))
            elif kind == Kind.MONASTERY and self.plan.monastery is not None:
                monks = self._seat_beside(j, self.plan.monastery, 19.0)
            elif kind == Kind.MONASTERY and self.plan.abbey is not None:
                self._seat_beside(j, self.plan.abbey, 26.0)
            elif kind == Kind.GARDEN:
                self._seat_beside(j, *self._lay_out_garden())
            elif kind == Kind.LINES and self.plan.monastery is not None:
                self._seat_beside(j, self.plan.monastery, 21.0, LEFT_IN_FRONT, monks)

    def _seat(self, segment: int, spot: Point) -> None:
        self.stands[segment] = tuple(turn(spot, rotation) for rotation in range(4))
        self.take(spot, FIGURE_ROOM)

    def _seat_beside(
        self,
        segment: int,
        spot: Point,
        radius: float,
        angles: tuple[int, ...] = IN_FRONT,
        others: Sequence[Point] = (),
    ) -> list[Point]:
        # Buildings also stand upright on rotated tiles, so their front always faces south-east.
        spots = [
            self._beside(spot, radius, rotation, angles, others[rotation : rotation + 1])
            for rotation in range(4)
        ]
        self.stands[segment] = tuple(turn(spots[rotation], rotation) for rotation in range(4))
        for taken in spots:
            self.take(taken, FIGURE_ROOM)
        return spots

    def _seat_on_bridge(self, segment: int) -> None:
        # Bridges are drawn in board orientation, so these stands do not rotate with the tile.
        axes = [turned_axis(self.plan.bridge, rotation) for rotation in range(4)]
        self.stands[segment] = tuple(stand_on(axis) for axis in axes if axis is not None)

    def _on_road(self, i: int) -> Point:
        """Choose a stand well inside the tile, away from walls, bridges and buildings."""
        road = self.plan.roads[i]
        strand = max(road.strands, key=lambda s: len(s.points))
        if len(road.sides) == 1:
            ends_at = {kind for kind, *_ in self.plan.buildings} - {"village"}
            return strand.at(0.3 if ends_at else 0.4)
        if len(road.strands) > 1:
            is_free = len(road.sides) > 2 and self.plan.stone is None
            return road.strands[-1].at(1.0 if is_free else 0.4)
        if self.plan.bridges:
            return strand.at(0.22)
        spots = np.array([strand.at(share) for share in (0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8)])
        free = np.full(len(spots), FIGURE_ROOM + 4)
        for wall in self.plan.walls:
            free = np.minimum(free, distance_to_line(spots, wall.points))
        free = np.minimum(free, self._beyond_bridge(spots) + 4)
        if self.plan.screen is not None:
            free = np.minimum(free, np.hypot(*(spots - self.plan.screen).T) - FIGURE_ROOM)
        x, y = spots[int(np.argmax(np.round(free, 6)))]
        return float(x), float(y)

    def _in_city(self, i: int) -> Point:
        mask = self.labels == CITY + i
        if self.plan.cities[i].is_bridge:
            others = [MIDDLES[side] for side in self.plan.cities[i].sides]
            mask &= self.distance(others[0]) < 30
        return self.roomiest(mask)[0]

    def _beside(
        self,
        spot: Point,
        radius: float,
        rotation: int,
        angles: tuple[int, ...],
        others: Sequence[Point],
    ) -> Point:
        """Return a free spot at some distance from a building, in front of it if possible."""
        turned = np.radians(np.array(angles) - 90.0 * rotation)
        ring = [(spot[0] + radius * np.cos(a), spot[1] + radius * np.sin(a)) for a in turned]
        ring = [(float(x), float(y)) for x, y in ring if 11 < x < 89 and 11 < y < 89]
        lines = [s.points for road in self.plan.roads for s in road.strands]
        lines += [wall.points for wall in self.plan.walls]
        lines += [self.plan.river.points] if self.plan.river is not None else []
        free = np.full(len(ring), 14.0)
        for line in lines:
            free = np.minimum(free, distance_to_line(np.array(ring), line))
        free = np.minimum(free, self._beyond_bridge(np.array(ring)) + 4)
        for other in others:
            free = np.minimum(free, np.hypot(*(np.array(ring) - other).T) + 14.0 - APART)
        return ring[int(np.argmax(np.round(free, 6)))]

    def _lay_out_garden(self) -> tuple[Point, float]:
        """Find the roomiest field; return the spot and the abbot's distance from it."""
        spot, room = self.roomiest_field()
        radius = min(12.0, max(8.0, room - 1.0))
        self.add("garden", spot, radius, radius + 1)
        return spot, radius * 0.75

    def seat_farmers(self) -> None:
        """Choose where figures stand in fields, so that they leave the most room."""
        numbers = [j for j, (kind, *_) in enumerate(self.segments) if kind == Kind.FIELD]
        for j, mask in zip(numbers, self.fields, strict=True):
            x, y = self.roomiest(mask)[0]
            self._seat(j, (min(max(x, EDGE), SIZE - EDGE), min(max(y, EDGE), SIZE - EDGE)))

    def add_sign(self, trait: str, kind: str | None = None) -> None:
        """Add a sign for tiles with a trait, drawn as ``kind``, where a field has the most room."""
        if self.row.get(trait):
            spot, room = self.roomiest_field()
            radius = min(15.0, max(6.5, room - 2.5))
            self.add(kind or trait, spot, radius, 0.9 * radius)

    def roomiest_field(self) -> tuple[Point, float]:
        """Return the field spot with the most room around it, and how much room that is."""
        return max((self.roomiest(mask) for mask in self.fields), key=lambda place: place[1])

    def roomiest_ground(self, least: float) -> tuple[Point, float]:
        """Return the roomiest spot in a field, or in a city if no field has the required room."""
        spot, room = self.roomiest_field()
        if room >= least:
            return spot, room
        cities = [self.labels == CITY + i for i in range(len(self.plan.cities))]
        places = [(spot, room), *map(self.roomiest, cities)]
        return max(places, key=lambda place: place[1])

    def add(self, kind: str, spot: Point, radius: float, taken: float, variety: int = 0) -> None:
        """Add a thing and reserve the room that it takes."""
        self.things.append(Thing(kind, spot, radius, variety))
        self.take(spot, taken)

    # ------------------------------------------------------------------- water and emblems

    def add_rocks_and_reeds(self) -> None:
        """Add rocks and reeds at the spring and the lake, clear of the river and of bridges."""
        if self.plan.pool is None:
            return
        kind, spots, radius = ("rock", ROCKS, 4.6) if self.plan.is_source else ("reeds", REEDS, 5.0)
        for i, spot in enumerate(spots):
            if self._beyond_bridge(np.array([spot]))[0] > 0:
                self.add(kind, spot, radius, radius + 1, i % 3)

    def add_emblems(self, emblems: Sequence[Callable[[dict[str, Any]], str | None]]) -> None:
        """Add coats of arms and similar emblems, each in its city, as given in the facts."""
        for i, city in enumerate(self.plan.cities):
            mask = self.labels == CITY + i
            shown = (emblem(self.row["cities"][i]) for emblem in emblems)
            for kind in ["shield"] * city.shields + [kind for kind in shown if kind]:
                radius = 7.0 if kind == "shield" else 8.6
                room = np.minimum(self.room, radius + 2) + self._in_corner()
                spot, _ = self.roomiest(mask, room)
                self.add(kind, spot, radius, radius + 1.5)

    def _in_corner(self) -> Grid:
        """Return a weak pull towards the rim that keeps emblems away from figures and houses."""
        return self.distance((50.0, 50.0)) * 0.02

    # --------------------------------------------------------------------- houses and trees

    def add_houses(self) -> None:
        """Add a few roofs in every city, leaving a square free for the figure."""
        if self.plan.viaduct is not None:  # clear of its arches
            line = self.plan.roads[-1].strands[0].points
            away = distance_to_line(self.spots, line).reshape(CELLS, CELLS)
            self.room = np.minimum(self.room, away - ARCHES)
        for label in (*(CITY + i for i in range(len(self.plan.cities))), PRECINCT):
            mask = self.labels == label
            size = int(mask.sum())
            self._scatter("house", mask, 4 + size // 95, 6.4, 5.2)
        if self.plan.village is not None:
            for dx, dy in ((-10.5, -9.5), (10.5, -9.5), (10.5, 9.5)):
                x, y = self.plan.village
                self.things.append(Thing("house", (x + dx, y + dy), 4.6, self.random.randrange(4)))

    def add_trees(self) -> None:
        """Add some trees on open ground, away from farmers and clear of small bridges."""
        for mark in self.plan.bridges:
            self.take(mark.spot, 15.0)
        for mask in self.fields:
            self._scatter("tree", mask, int(mask.sum()) // 260, 5.0, 3.4)

    def _scatter(
        self, kind: str, mask: npt.NDArray[np.bool_], n_most: int, room: float, radius: float
    ) -> None:
        for _ in range(n_most):
            free = np.argwhere(mask & (self.room > room))
            if not len(free):
                return
            r, c = free[self.random.randrange(len(free))]
            spot = (float((c + 0.5) * STEP), float((r + 0.5) * STEP))
            self.add(kind, spot, radius, radius, self.random.randrange(4))
