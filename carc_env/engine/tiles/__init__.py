"""Tile facts: ``tiles.json`` and the tables that kernels read.

The notation of the data file is explained in docs/tiles.md. A *design* is a row of the file, known
to kernels by its number. On a tile the segments are numbered: cities first, then roads, fields, and
the monastery or garden in the centre. Tables are indexed ``[design, rotation, ...]`` with the
rotation in clockwise quarter turns.
"""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

import numpy as np
import numpy.typing as npt

from carc_env.engine import codes
from carc_env.engine.codes import Kind

_DATA: dict[str, Any] = json.loads((files(__package__) / "tiles.json").read_text())

FACTS: list[dict[str, Any]] = _DATA["tiles"]
"""The rows of the data file for the tiles of the bag, one per design."""

ABBEY: dict[str, Any] = {
    **_DATA["player_tiles"][0],
    "set": "player",
    "n": {"C1": 0, "C2": 0},
    "rot": 1,
    "fields": [],
}
"""The abbey that players hold, completed to a row like the others."""

ROWS = [*FACTS, ABBEY]
"""All designs by number."""

DESIGN = {row["id"]: number for number, row in enumerate(ROWS)}
"""Tile id -> design number."""

TILE_ID = tuple(row["id"] for row in ROWS)
"""Design number -> tile id."""

START_DESIGN = DESIGN["bg-cap-straight"]
ABBEY_DESIGN = DESIGN[ABBEY["id"]]

SIDES = "NESW"
HALVES = ("Nw", "Ne", "En", "Es", "Se", "Sw", "Ws", "Wn")
EDGE = {
    "F": codes.EDGE_FIELD,
    "R": codes.EDGE_ROAD,
    "C": codes.EDGE_CITY,
    "V": codes.EDGE_RIVER,
    "A": codes.EDGE_ABBEY,
}

Segment = tuple[Kind, list[int], int, int]
"""Kind, places (sides, or half-edges of a field), coats of arms, bits of the cities touched."""


def segments_of(row: dict[str, Any]) -> list[Segment]:
    """All segments of a design, in the order that kernels number them, as stored (rotation 0)."""

    def sides(text: str) -> list[int]:
        return [SIDES.index(side) for side in text]

    found: list[Segment] = []
    for city in row.get("cities", []):
        found.append((Kind.CITY, sides(city["at"]), city.get("shields", 0), 0))
    for road in row.get("roads", []):
        found.append((Kind.ROAD, sides(road["at"]), 0, 0))
    for field in row["fields"]:
        halves = [HALVES.index(half) for half in field["at"].split()]
        found.append((Kind.FIELD, halves, 0, sum(1 << c for c in field["cities"])))
    if row.get("monastery"):
        found.append((Kind.MONASTERY, [], 0, 0))
    if row.get("garden"):
        found.append((Kind.GARDEN, [], 0, 0))
    return found


SEGMENTS = [segments_of(row) for row in ROWS]
N_DESIGNS = len(ROWS)
MAX_SEGMENTS_PER_TILE = max(len(found) for found in SEGMENTS)


def _table(*shape: int, fill: int = 0, dtype: type = np.int8) -> npt.NDArray[Any]:
    return np.full((N_DESIGNS, *shape), fill, dtype)


N_SEGMENTS = np.array([len(found) for found in SEGMENTS], np.int8)
N_ROTATIONS = np.array([row["rot"] for row in ROWS], np.int8)

SEGMENT_KIND = _table(MAX_SEGMENTS_PER_TILE)
N_OPEN = _table(MAX_SEGMENTS_PER_TILE)  # sides of a city or road
SHIELDS = _table(MAX_SEGMENTS_PER_TILE)
CITIES_TOUCHED = _table(MAX_SEGMENTS_PER_TILE)  # bits of the tile's city segments, for fields
HAS_TWIN = _table(MAX_SEGMENTS_PER_TILE, dtype=np.bool_)  # another city (or road) on the tile
CENTRE = _table(fill=-1)  # the segment of the monastery or garden

EDGES = _table(4, dtype=np.int32)  # edge kinds, four bits a side, N lowest
SIDE_SEGMENT = _table(4, 4, fill=-1)  # city or road at a side
HALF_SEGMENT = _table(4, 8, fill=-1)  # field at a half-edge
SPOT_SEGMENT = _table(4, codes.N_SPOTS, fill=-1)  # segment named by a spot
SEGMENT_SPOT = _table(4, MAX_SEGMENTS_PER_TILE)  # spot that names a segment
CORNER_SEGMENT = _table(4, 4, fill=-1)  # the field that alone shows at a corner (BARN-03)
LINKED = _table(MAX_SEGMENTS_PER_TILE, dtype=np.int16)  # bits of the segments linked (WAG-20)
SEGMENT_SIDES = _table(4, MAX_SEGMENTS_PER_TILE)  # bits of the sides that show the segment


def _fill_segment_facts(design: int) -> None:
    kinds = [kind for kind, *_ in SEGMENTS[design]]
    for j, (kind, places, shields, touched) in enumerate(SEGMENTS[design]):
        SEGMENT_KIND[design, j] = kind
        SHIELDS[design, j] = shields
        CITIES_TOUCHED[design, j] = touched
        if kind in (Kind.CITY, Kind.ROAD):
            N_OPEN[design, j] = len(places)
            HAS_TWIN[design, j] = kinds.count(kind) > 1
        if kind in (Kind.MONASTERY, Kind.GARDEN):
            CENTRE[design] = j


def _fill_links(design: int) -> None:
    kinds = [kind for kind, *_ in SEGMENTS[design]]
    first = {"c": 0, "r": kinds.count(Kind.CITY), "m": len(kinds) - 1}
    for group in ROWS[design].get("links", []):
        members = [first[name[0]] + int(name[1:] or 0) for name in group]
        for member in members:
            LINKED[design, member] |= sum(1 << other for other in members if other != member)


def _fill_rotation(design: int, rotation: int) -> None:
    n_enclosed = 0
    for side, letter in enumerate(ROWS[design]["edges"]):
        EDGES[design, rotation] |= EDGE[letter] << 4 * ((side + rotation) % 4)
    for j, (kind, places, *_) in enumerate(SEGMENTS[design]):
        if kind in (Kind.CITY, Kind.ROAD):
            turned = sorted((side + rotation) % 4 for side in places)
            SIDE_SEGMENT[design, rotation, turned] = j
            spot = turned[0]
        elif kind == Kind.FIELD and places:
            turned = sorted((half + 2 * rotation) % 8 for half in places)
            HALF_SEGMENT[design, rotation, turned] = j
            spot = codes.FIRST_HALF + turned[0]
        elif kind == Kind.FIELD:
            spot = codes.FIRST_ENCLOSED + n_enclosed
            n_enclosed += 1
        else:
            spot = codes.MID
        SPOT_SEGMENT[design, rotation, spot] = j
        SEGMENT_SPOT[design, rotation, j] = spot
        for side in range(4):
            edge = EDGES[design, rotation] >> 4 * side & 15
            shown = HALF_SEGMENT[design, rotation, 2 * side]
            if edge != codes.EDGE_FIELD:
                shown = SIDE_SEGMENT[design, rotation, side]
            SEGMENT_SIDES[design, rotation, j] |= (shown == j) << side
    for corner in range(4):
        before, behind = HALF_SEGMENT[design, rotation, [2 * corner + 1, (2 * corner + 2) % 8]]
        CORNER_SEGMENT[design, rotation, corner] = before if before == behind else -1


for _design in range(N_DESIGNS):
    _fill_segment_facts(_design)
    _fill_links(_design)
    for _rotation in range(4):
        _fill_rotation(_design, _rotation)


def tile_counts(sets: tuple[str, ...], column: str) -> npt.NDArray[np.int64]:
    """How many copies of each design are in play, the start tile included, by design number."""
    return np.array([row["n"][column] if row["set"] in sets else 0 for row in ROWS], np.int64)
