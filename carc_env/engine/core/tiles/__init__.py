"""Tile facts: ``tiles.json``, here and in the set folders, and the tables that kernels read.

docs/tiles.md explains the notation in these files. A *design* is a row of such a file, known to
kernels by its number. A *form* is a design as printed or with a bridge over it (BRI-07); form
numbers start with those of the designs. The segments of a tile are numbered in this order: cities,
roads, fields, the monastery or garden in the centre, the lines of a special monastery, and the
bridge. Tables are indexed ``[form, rotation, ...]``, with the rotation in clockwise quarter turns.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from carc_env.engine.compiler.python_ints import Numbers
from carc_env.engine.core.codes import (
    EDGE_ABBEY,
    EDGE_CITY,
    EDGE_FIELD,
    EDGE_RIVER,
    EDGE_ROAD,
    EDGE_WALL,
    FIRST_ENCLOSED,
    FIRST_HALF,
    Good,
    Kind,
    Spot,
)
from carc_env.sets import BOXES, read_all

_BASE: dict[str, Any] = json.loads((files(__package__) / "tiles.json").read_text("utf-8"))
_FILES = _BASE, *read_all("tiles.json", BOXES)

FACTS: list[dict[str, Any]] = [row for file in _FILES for row in file["tiles"]]
"""The rows for the tiles in the bag, one per design."""

ABBEY: dict[str, Any] = {
    **next(row for file in _FILES for row in file.get("player_tiles", ())),
    "set": "player",
    "n": {"C1": 0, "C2": 0},
    "rot": 1,
    "fields": [],
}
"""The abbey that players hold, completed to a row like the others."""

ROWS = [*FACTS, ABBEY]
"""All designs, by number."""

DESIGN = {row["id"]: number for number, row in enumerate(ROWS)}
"""Tile id -> design number."""

TILE_ID = tuple(row["id"] for row in ROWS)
"""Design number -> tile id."""

START_DESIGN = DESIGN["bg-cap-straight"]
ROSE_DESIGN = DESIGN["wr-cap-gate-all"]
"""The orange wind rose, the start tile of its set (WR-01)."""
RIVER_SET = "river1"
FORKED_RIVER_SET = "river2"
SOURCE_DESIGN = {RIVER_SET: DESIGN["rv-source"], FORKED_RIVER_SET: DESIGN["r2-source"]}
"""The start tiles of games with a river (BASE-40)."""
LAKE_DESIGN = {RIVER_SET: DESIGN["rv-lake"], FORKED_RIVER_SET: DESIGN["r2-lake-volcano"]}
ABBEY_DESIGN = DESIGN[ABBEY["id"]]

AXES: tuple[Literal["NS"], Literal["EW"]] = ("NS", "EW")
"""The two bridge directions; kernels use 0 and 1."""

N_AXES = len(AXES)
N_SITES = 5 * N_AXES
"""Number of places for a bridge: on the tile just placed and on its four neighbours."""
SIDES = "NESW"
HALVES = ("Nw", "Ne", "En", "Es", "Se", "Sw", "Ws", "Wn")
EDGE = {
    "F": EDGE_FIELD,
    "R": EDGE_ROAD,
    "C": EDGE_CITY,
    "V": EDGE_RIVER,
    "K": EDGE_WALL,
    "A": EDGE_ABBEY,
}

Segment = tuple[Kind, list[int], int, int]
"""Kind, places (sides, or half-edges of a field), shields, bits of the cities touched.

Shields are coats of arms; a field has one where it touches the city of Carcassonne (COU-21)."""


def segments_of(row: dict[str, Any]) -> list[Segment]:
    """Return all segments of a design, in kernel order, as stored (rotation 0)."""

    def sides(text: str) -> list[int]:
        return [SIDES.index(side) for side in text]

    found: list[Segment] = []
    for city in row.get("cities", []):
        places = sides(city["at"] + city.get("shared", ""))
        found.append((Kind.CITY, places, city.get("shields", 0), 0))
    for road in row.get("roads", []):
        found.append((Kind.ROAD, sides(road["at"]), 0, 0))
    for field in row["fields"]:
        halves = [HALVES.index(half) for half in field["at"].split()]
        touched = sum(1 << c for c in field["cities"])
        found.append((Kind.FIELD, halves, int(field.get("carcassonne", False)), touched))
    if row.get("monastery") or row.get("shrine") or row.get("hut"):
        found.append((Kind.MONASTERY, [], 0, 0))
    if row.get("garden"):
        found.append((Kind.GARDEN, [], 0, 0))
    if row.get("special_monastery"):
        found.append((Kind.LINES, [], 0, 0))
    if "bridge" in row:
        found.append((Kind.ROAD, sides(row["bridge"]), 0, 0))
    return found


def _bridged_forms() -> list[dict[str, Any]]:
    """Make a row for each way a bridge can stand on a design, with both ends on field sides."""
    found = []
    for design, row in enumerate(ROWS):
        for axis in AXES:
            ends = [SIDES.index(side) for side in axis]
            if all(row["edges"][side] == "F" for side in ends):  # BRI-05
                edges = "".join("R" if k in ends else row["edges"][k] for k in range(4))
                found.append({**row, "edges": edges, "bridge": axis, "design": design})
    return found


SEGMENTS = [segments_of(row) for row in ROWS]
N_DESIGNS = len(ROWS)
FORMS = [*ROWS, *_bridged_forms()]
N_FORMS = len(FORMS)
_FORM_SEGMENTS = [segments_of(row) for row in FORMS]
MAX_SEGMENTS_PER_TILE = max(len(found) for found in _FORM_SEGMENTS)

NO_FORM = -1
NO_AXIS = -1
NO_CAP, POINTED_CAP, SEMICIRCLE = 0, 1, 2
NO_GOOD = -1


def _table(*shape: int, fill: int = 0, dtype: type = np.int8) -> Numbers:
    return np.full((N_FORMS, *shape), fill, dtype).view(Numbers)


def _column(facts: Iterable[int], dtype: type = np.int8) -> Numbers:
    return np.array([*facts], dtype).view(Numbers)


N_SEGMENTS = _column(len(found) for found in _FORM_SEGMENTS)
N_DISTINCT_ROTATIONS = _column(row["rot"] for row in FORMS)
IS_BAZAAR = _column((row.get("bazaar", False) for row in FORMS), np.bool_)
IS_HILL = _column((row.get("hill", False) for row in FORMS), np.bool_)
IS_VINEYARD = _column((row.get("vineyard", False) for row in FORMS), np.bool_)
IS_RIVER = _column(("V" in row["edges"] for row in FORMS), np.bool_)
ON_LAND, LAKE, RIVER, FORK = range(4)
_LAYERS = {"lake": LAKE, "fork": FORK}
LAYER = _column(
    _LAYERS.get(row.get("river_role", ""), RIVER) if "V" in row["edges"] else ON_LAND
    for row in FORMS
)
"""Form -> its layer in the bag, counted from the bottom (BASE-40, RIV2-02)."""
IS_VOLCANO = _column((row.get("volcano", False) for row in FORMS), np.bool_)
IS_DRAGON = _column((row.get("dragon", False) for row in FORMS), np.bool_)
IS_PORTAL = _column((row.get("portal", False) for row in FORMS), np.bool_)
IS_TOWER = _column((row.get("tower", False) for row in FORMS), np.bool_)
"""Form -> whether it shows a tower foundation (TOW-01)."""
IS_FESTIVAL = _column((row.get("festival", False) for row in FORMS), np.bool_)
IS_ON_TABLE = _column(("table" in row for row in FORMS), np.bool_)
"""Form -> whether it is on the table when a game begins, as part of Carcassonne (COU-01)."""
IS_CLOSED = _column((row.get("closed", False) for row in FORMS), np.bool_)
"""Form -> whether it is closed to the dragon: the middle of Carcassonne (COU-24)."""
IS_BESIEGED = _column(
    (any(city.get("besieged") for city in row.get("cities", [])) for row in FORMS), np.bool_
)
"""Form -> whether its city, and any city that it joins, is besieged (SIE-02)."""
HAS_DARMSTADTIUM = _column(
    (any(city.get("darmstadtium") for city in row.get("cities", [])) for row in FORMS), np.bool_
)
"""Form -> whether its city contains the Darmstadtium (DAR-03)."""
IS_CHURCH = _column((row.get("church", False) for row in FORMS), np.bool_)
"""Form -> whether its monastery is a church (DAR-04)."""
CIRCLE = _column(Kind[row.get("circle", "nothing").upper()] for row in FORMS)
"""Form -> the feature kind that its corn circle affects, or ``NOTHING`` (CRN-02)."""
PRINCESS = _column(
    next((k for k, city in enumerate(row.get("cities", [])) if city.get("princess")), -1)
    for row in FORMS
)
"""Form -> the city with a princess (PD-50), -1 if there is none."""
NO_BUILDING, MONASTERY, SHRINE = range(3)
BUILDING = _column(
    SHRINE if row.get("shrine") else MONASTERY if row.get("monastery") else NO_BUILDING
    for row in FORMS
)
"""Form -> which of the two rivals stands on it; an abbey counts as a monastery (CULT-14)."""
IS_HUT = _column((row.get("hut", False) for row in FORMS), np.bool_)
"""Form -> whether the building in its centre is a hut rather than a monastery (RUS-02)."""
PRINTED = _column((row.get("design", k) for k, row in enumerate(FORMS)), np.int16)
"""Form -> its design."""
BRIDGED = _table(4, N_AXES, fill=NO_FORM, dtype=np.int16)
"""[form, rotation, axis]: the form with a bridge; NO_FORM if none can stand (BRI-05, BRI-15)."""
BRIDGE_AXIS = _table(4, fill=NO_AXIS)
"""[form, rotation]: direction of its bridge."""
_BRIDGEABLE = {row["design"] for row in FORMS if "bridge" in row}
MOST_SEGMENTS = _column(len(found) + (k in _BRIDGEABLE) for k, found in enumerate(SEGMENTS))
"""Design -> number of its segments, including the bridge that can stand on it."""

SEGMENT_KIND = _table(MAX_SEGMENTS_PER_TILE)
N_OPEN = _table(MAX_SEGMENTS_PER_TILE)  # sides of a city or road; 1 for lines: never complete
SHIELDS = _table(MAX_SEGMENTS_PER_TILE)
PIG_HERD = _column(
    next(
        (
            len(row.get("cities", [])) + len(row.get("roads", [])) + k
            for k, field in enumerate(row["fields"])
            if field.get("pig_herd")
        ),
        -1,
    )
    for row in FORMS
)
"""Form -> the field with a pig-herd (RIV2-10), -1 if there is none."""
CITIES_TOUCHED = _table(MAX_SEGMENTS_PER_TILE)  # for fields: bits of the tile's city segments
FIELDS_TOUCHED = _table(MAX_SEGMENTS_PER_TILE, dtype=np.int16)  # for cities: bits of fields
HAS_TWIN = _table(MAX_SEGMENTS_PER_TILE, dtype=np.bool_)  # the tile has another city (or road)
CENTRE = _table(fill=-1)  # the segment of the monastery or garden
LINES = _table(fill=-1)  # the segment for meeples lying on a special monastery (MON-03)
MAZE = _table(fill=-1)  # the labyrinth's road, where four others meet (LAB-01)

EDGES = _table(4, dtype=np.int32)  # edge kinds, four bits per side, north lowest
SIDE_SEGMENT = _table(4, 4, fill=-1)  # city or road at a side
SHARED_SEGMENT = _table(4, 4, fill=-1)  # a second city at a side (HS-40)
HAS_SHARED_SIDE = _table(dtype=np.bool_)
HAS_DIVIDED_SIDE = _table(dtype=np.bool_)  # two fields on one field side (HS-41)
HALF_SEGMENT = _table(4, 8, fill=-1)  # field at a half-edge
SPOT_SEGMENT = _table(4, len(Spot), fill=-1)  # segment named by a spot
SEGMENT_SPOT = _table(4, MAX_SEGMENTS_PER_TILE)  # spot that names a segment
CORNER_SEGMENT = _table(4, 4, fill=-1)  # the only field at a corner (BARN-03)
LINKED = _table(MAX_SEGMENTS_PER_TILE, dtype=np.int16)  # bits of the segments linked (WAG-20)
SEGMENT_SIDES = _table(4, MAX_SEGMENTS_PER_TILE)  # bits of the sides on which the segment appears
GOOD = _table(MAX_SEGMENTS_PER_TILE, fill=NO_GOOD)  # trade good shown in a city
BONUS = _table(MAX_SEGMENTS_PER_TILE, dtype=np.bool_)  # a road with an inn, a city with a cathedral
CAP = _table(MAX_SEGMENTS_PER_TILE)  # NO_CAP, POINTED_CAP or SEMICIRCLE, for cities (CAS-02)


def _fill_segment_facts(form: int) -> None:
    kinds = [kind for kind, *_ in _FORM_SEGMENTS[form]]
    for j, (kind, places, shields, touched) in enumerate(_FORM_SEGMENTS[form]):
        SEGMENT_KIND[form, j] = kind
        SHIELDS[form, j] = shields
        CITIES_TOUCHED[form, j] = touched
        for city in range(MAX_SEGMENTS_PER_TILE):
            FIELDS_TOUCHED[form, city] |= (touched >> city & 1) << j
        if kind in (Kind.CITY, Kind.ROAD):
            N_OPEN[form, j] = len(places)
            HAS_TWIN[form, j] = kinds.count(kind) > 1
        if kind in (Kind.MONASTERY, Kind.GARDEN):
            CENTRE[form] = j
        if kind == Kind.LINES:
            LINES[form], N_OPEN[form, j] = j, 1
    cities, roads = FORMS[form].get("cities", []), FORMS[form].get("roads", [])
    for j, part in enumerate([*cities, *roads]):
        BONUS[form, j] = part.get("inn", False) or part.get("cathedral", False)
        if "goods" in part:
            GOOD[form, j] = Good[part["goods"].upper()]
        if part.get("maze"):
            MAZE[form] = j
    for j, city in enumerate(cities):
        if len(city["at"]) == 1 and "shared" not in city:
            CAP[form, j] = SEMICIRCLE if city["castle"] else POINTED_CAP


def _fill_links(form: int) -> None:
    kinds = [kind for kind, *_ in _FORM_SEGMENTS[form]]
    first = {"c": 0, "r": kinds.count(Kind.CITY), "m": CENTRE[form]}
    for group in FORMS[form].get("links", []):
        members = [int(first[name[0]]) + int(name[1:] or 0) for name in group]
        for member in members:
            LINKED[form, member] |= sum(1 << other for other in members if other != member)
        if "m" in group and LINES[form] >= 0:  # linked like the monastery, but not to it
            for member in set(members) - {int(CENTRE[form])}:
                LINKED[form, member] |= 1 << int(LINES[form])
                LINKED[form, LINES[form]] |= 1 << member


def _fill_bridges(form: int) -> None:
    if "bridge" not in FORMS[form]:
        return
    for rotation in range(4):
        axis = (AXES.index(FORMS[form]["bridge"]) + rotation) % N_AXES
        BRIDGED[PRINTED[form], rotation, axis] = form
        BRIDGE_AXIS[form, rotation] = axis


def _fill_rotation(form: int, rotation: int) -> None:
    n_enclosed = 0
    edges, at_side, at_half = 0, [-1] * 4, [-1] * 8
    for side, letter in enumerate(FORMS[form]["edges"]):
        edges |= EDGE[letter] << 4 * ((side + rotation) % 4)
    for j, (kind, places, *_) in enumerate(_FORM_SEGMENTS[form]):
        if kind in (Kind.CITY, Kind.ROAD):
            turned = sorted((side + rotation) % 4 for side in places)
            for side in turned:
                if at_side[side] >= 0:
                    SHARED_SEGMENT[form, rotation, side] = j
                    HAS_SHARED_SIDE[form] = True
                else:
                    at_side[side] = j
            spot = next(side for side in turned if at_side[side] == j)
        elif kind == Kind.FIELD and places:
            turned = sorted((half + 2 * rotation) % 8 for half in places)
            for half in turned:
                at_half[half] = j
            spot = FIRST_HALF + turned[0]
        elif kind == Kind.FIELD:
            spot = FIRST_ENCLOSED + n_enclosed
            n_enclosed += 1
        else:
            spot = Spot.lying if kind == Kind.LINES else Spot.mid
        SPOT_SEGMENT[form, rotation, spot] = j
        SEGMENT_SPOT[form, rotation, j] = spot
    for side in range(4):
        is_field = edges >> 4 * side & 15 == EDGE_FIELD
        shown = at_half[2 * side] if is_field else at_side[side]
        if shown >= 0:
            SEGMENT_SIDES[form, rotation, shown] |= 1 << side
        if is_field and at_half[2 * side] != at_half[2 * side + 1]:
            HAS_DIVIDED_SIDE[form] = True
    for corner in range(4):
        before, behind = at_half[2 * corner + 1], at_half[(2 * corner + 2) % 8]
        CORNER_SEGMENT[form, rotation, corner] = before if before == behind else -1
    EDGES[form, rotation] = edges
    SIDE_SEGMENT[form, rotation], HALF_SEGMENT[form, rotation] = at_side, at_half


for _form in range(N_FORMS):
    _fill_segment_facts(_form)
    _fill_links(_form)
    _fill_bridges(_form)
    for _rotation in range(4):
        _fill_rotation(_form, _rotation)


@cache
def _printed(column: str) -> tuple[npt.NDArray[Any], ...]:
    """Return each design's copies in a column, its copies from other boxes, and its set."""
    return (
        np.array([row["n"][column] for row in ROWS], np.int64),
        np.array([row.get("promo", 0) for row in ROWS], np.int64),
        np.array([row["set"] for row in ROWS]),
    )


def tile_counts(
    sets: tuple[str, ...], column: str, *, has_promos: bool = False
) -> npt.NDArray[np.int64]:
    """Return the number of copies of each design in play, by design number, with the start tile.

    Two rivers become one, with one source and one lake (RIV2-11). ``has_promos`` adds the copies
    that came in other boxes.
    """
    printed, promos, set_of = _printed(column)
    counts: npt.NDArray[np.int64] = (printed + promos * has_promos) * np.isin(set_of, sets)
    if RIVER_SET in sets and FORKED_RIVER_SET in sets:
        counts[[SOURCE_DESIGN[RIVER_SET], LAKE_DESIGN[RIVER_SET]]] = 0
    return counts
