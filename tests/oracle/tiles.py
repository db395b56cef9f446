"""The tile facts: edges and segments of a placed tile, in board orientation."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import carc_env
from carc_env.engine.core.codes import Good, Kind, Spot
from carc_env.position import PlacedTile
from carc_env.rules import Rules

PACKAGE = Path(carc_env.__file__).parent

SIDES = ("N", "E", "S", "W")
HALVES = ("Nw", "Ne", "En", "Es", "Se", "Sw", "Ws", "Wn")
STEP = {"N": (0, -1), "E": (1, 0), "S": (0, 1), "W": (-1, 0)}
OPPOSITE = {"N": "S", "E": "W", "S": "N", "W": "E"}

#: The corners of a tile, with the two half-edges that meet there.
CORNERS = {
    Spot.NE: {"Ne", "En"},
    Spot.SE: {"Es", "Se"},
    Spot.SW: {"Sw", "Ws"},
    Spot.NW: {"Wn", "Nw"},
}

Cell = tuple[int, int]
#: A segment or a corner of a tile on the board: its cell and its name.
Place = tuple[int, int, Spot]

ABBEY = "am-abbey"

_STORED = [json.loads(file.read_text("utf-8")) for file in PACKAGE.rglob("tiles.json")]
#: The facts from all ``tiles.json`` files by tile id, unchanged.
FACTS: dict[str, dict[str, Any]] = {tile["id"]: tile for told in _STORED for tile in told["tiles"]}
#: The abbey has one rotation (ABB-04) and only a monastery (ABB-08).
FACTS[ABBEY] = {"rot": 1, "fields": []} | next(
    tile for told in _STORED for tile in told.get("player_tiles", ()) if tile["id"] == ABBEY
)


@dataclass(frozen=True, slots=True, eq=False)
class Segment:
    """A part of one placed tile that a figure could stand on, in board orientation.

    Segments compare by identity because they are looked up very often; ``place`` identifies one.
    """

    kind: Kind
    x: int
    y: int
    spot: Spot
    at: frozenset[str]
    """Sides of a city or road, half-edges of a field; empty if the segment touches no edge."""
    coats: int = 0
    is_semicircle: bool = False
    """The city is a cap that is neither pointed nor stretched nor bridged (CAS-02)."""
    has_extra: bool = False
    """The road has an inn (INN-06), or the city has a cathedral."""
    good: Good | None = None
    """The trade goods that a city shows (TRA-01)."""
    cities: frozenset[Spot] = frozenset()
    """The city segments of this tile that a field touches (BASE-26)."""
    has_herd: bool = False
    """The field shows the pig-herd (RIV2-10)."""
    is_on_river: bool = False
    """The road is on a tile that shows the river."""
    is_below_walls: bool = False
    """The field touches the city of Carcassonne (COU-22)."""
    is_mouth: bool = False
    """The road leads into a tunnel (TUN-01)."""

    @property
    def place(self) -> Place:
        """The segment's cell and name."""
        return self.x, self.y, self.spot

    @property
    def corners(self) -> frozenset[Spot]:
        """The corners of this tile that show only this field (BARN-03, BARN-04)."""
        return filled(self.at)


@cache
def filled(at: frozenset[str]) -> frozenset[Spot]:
    """Return the corners whose two half-edges are both in ``at``."""
    return frozenset(corner for corner, halves in CORNERS.items() if halves <= at)


def turned(link: str, rotation: int) -> str:
    """Turn a side or half-edge clockwise by ``rotation`` quarter turns."""
    if link in SIDES:
        return SIDES[(SIDES.index(link) + rotation) % 4]
    return HALVES[(HALVES.index(link) + 2 * rotation) % 8]


@cache
def across(x: int, y: int, link: str) -> tuple[int, int, str]:
    """Return the side or half-edge that touches this one, with its cell: ``En`` meets ``Wn``."""
    dx, dy = STEP[link[0]]
    return x + dx, y + dy, OPPOSITE[link[0]] + link[1:]


def edge(tile: PlacedTile, side: str) -> str:
    """Return the letter of the edge kind that a placed tile shows on a side; an abbey shows A."""
    if side in (tile.bridge or ""):  # BRI-18
        return "R"
    letters: str = FACTS[tile.tile]["edges"]
    return letters[SIDES.index(turned(side, -tile.rotation))]


def named(at: Iterable[str]) -> Spot:
    """Name a segment by its first side, or its first half-edge."""
    return Spot[min(at, key=(SIDES + HALVES).index)]


@lru_cache(maxsize=1024)
def segments_of(tile: PlacedTile) -> tuple[Segment, ...]:
    """List the segments of one placed tile."""
    facts, x, y = FACTS[tile.tile], tile.x, tile.y
    segments = []
    city_spots = []
    for city in facts.get("cities", []):
        at = frozenset(turned(side, tile.rotation) for side in city["at"])
        spot = named(at)
        city_spots.append(spot)
        at |= {turned(side, tile.rotation) for side in city.get("shared", "")}  # HS-40
        coats, semicircle = int(city.get("shields", 0)), city.get("castle", False)
        extra = city.get("cathedral", False)
        good = Good[city["goods"].upper()] if "goods" in city else None
        segments.append(Segment(Kind.CITY, x, y, spot, at, coats, semicircle, extra, good))
    for road in facts.get("roads", []):
        at = frozenset(turned(side, tile.rotation) for side in road["at"])
        extra = road.get("inn", False)
        wet = "river" in facts
        mouth = road.get("mouth", False)
        spot = named(at)
        segments.append(
            Segment(Kind.ROAD, x, y, spot, at, has_extra=extra, is_on_river=wet, is_mouth=mouth)
        )
    if tile.bridge is not None:  # BRI-07; BRI-17, INN-07: separate from a road that it crosses.
        at = frozenset(tile.bridge)
        segments.append(Segment(Kind.ROAD, x, y, named(at), at))
    enclosed = iter((Spot.in0, Spot.in1))
    for field in facts["fields"]:  # BRI-13: a bridge does not divide a field.
        at = frozenset(turned(half, tile.rotation) for half in field["at"].split())
        spot = named(at) if at else next(enclosed)
        cities = frozenset(city_spots[i] for i in field["cities"])
        herd, walls = field.get("pig_herd", False), field.get("carcassonne", False)
        segments.append(
            Segment(Kind.FIELD, x, y, spot, at, cities=cities, has_herd=herd, is_below_walls=walls)
        )
    for kind, key in ((Kind.MONASTERY, "monastery"), (Kind.GARDEN, "garden")):
        if facts.get(key) or (
            key == "monastery" and (facts.get("shrine") or facts.get("hut"))
        ):  # CULT-02, RUS-02
            segments.append(Segment(kind, x, y, Spot.mid, frozenset()))
    if facts.get("special_monastery"):  # MON-03
        segments.append(Segment(Kind.LINES, x, y, Spot.lying, frozenset()))
    return tuple(segments)


def links_of(tile: PlacedTile) -> list[set[Place]]:
    """List the groups of segments of a tile between which a C1 wagon may move (WAG-20, WAG-21).

    ``c0`` is the first city of the tile facts, ``r0`` the first road, ``m`` the monastery.
    """
    segments = segments_of(tile)
    spots = {"m": Spot.mid}
    for letter, kind in (("c", Kind.CITY), ("r", Kind.ROAD)):
        of_kind = [segment.spot for segment in segments if segment.kind == kind]
        spots.update({f"{letter}{i}": spot for i, spot in enumerate(of_kind)})
    groups = FACTS[tile.tile].get("links", [])
    found = [{(tile.x, tile.y, spots[label]) for label in group} for group in groups]
    if FACTS[tile.tile].get("special_monastery"):  # The wagon may also lie there (MON-07).
        middle, lying = (tile.x, tile.y, Spot.mid), (tile.x, tile.y, Spot.lying)
        found += [(group - {middle}) | {lying} for group in found if middle in group]
    return found


def is_of_carcassonne(tile_id: str) -> bool:
    """Return whether a tile belongs to the city of Carcassonne."""
    return FACTS[tile_id].get("set") == "count"


def begins_with_rose(rules: Rules) -> bool:
    """Return whether the orange wind rose replaces the start tile (WR-01, WR-09)."""
    is_free = {"roses"} == {"roses", "count", "river1", "river2"} & {*rules.sets}
    return is_free and rules.rose_start != "shuffled"


def boxes_in_play(rules: Rules) -> set[str]:
    """Return the boxes in play of the sets that came in several boxes (SIE-01, CRN-01)."""
    besieged = {"besiegers", "cathars"} if rules.siege_tiles == "both" else {rules.siege_tiles}
    corn = {"I", "II"} if rules.crop_circle_tiles == "both" else {rules.crop_circle_tiles}
    return {"both", *besieged, *corn}


@lru_cache(maxsize=64)
def tile_counts(rules: Rules) -> Mapping[str, int]:
    """Return the number of copies of each land tile in the game, including the start tile."""
    counts = {
        name: facts["n"][rules.tile_column] + facts.get("promo", 0) * rules.cult_extra_tile
        for name, facts in FACTS.items()
        if facts.get("set") in rules.sets
        if facts.get("box", "both") in boxes_in_play(rules)
    }
    is_replaced = "count" in rules.sets or begins_with_rose(rules)
    if is_replaced and not rules.count_start_tile:  # COU-01, WR-01
        counts["bg-cap-straight"] -= 1
    if "darmstadt" in rules.sets:  # DAR-02
        counts["bg-monastery"] -= rules.darmstadt_out
    if "labyrinth" in rules.sets:
        counts["la-maze"] = rules.labyrinth_tiles  # LAB-01
    if "monasteries" in rules.sets and rules.special_monasteries == "replace":  # MON-02
        del counts["bg-monastery"], counts["bg-monastery-road"]
    if rules.tunnels and rules.tunnel_breaks_road is not False:  # TUN-16
        for name, facts in FACTS.items():
            if whole := counts.pop(facts.get("instead_of"), 0):
                counts[name] = whole
    if {"river1", "river2"} <= set(rules.sets):  # RIV2-11
        del counts["rv-source"], counts["rv-lake"]
    return MappingProxyType({name: n for name, n in counts.items() if n})
