"""The rules of the base game with gardens and abbots and of the expansions, read once more, slowly.

They come from RULES.md alone, whose ids stand at what they decide.

Nothing here comes from the engine: every function starts from a :class:`Position`, floods all
features from scratch, counts them and forgets them; what is asked for again and again about one
position is remembered for a while. That is some thousand times slower than the kernels and is meant
to be: this package is what they are compared with.

In order: the tile facts, features, what they are worth and to whom, where a tile may lie, the
figure action, and scoring. What bridges and castles are on the board is told here as well, as parts
of tiles and features; their rules are in modules of their own, ``bridges`` and ``castles``, and so
are those of ``bazaars`` and ``wagons``. ``turns`` puts them all in order, and ``problems`` tells
what cannot be true of a position.

A later set adds rows to the tables ``MAY_STAND``, ``STRENGTH`` and ``POINTS``, attributes to
:class:`Segment` and choices to :func:`choices`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

from carc_env.engine.codes import Figure, Kind, Phase, Spot
from carc_env.position import PlacedFigure, PlacedTile, Position
from carc_env.rules import Rules

TILES_JSON = Path(__file__).parents[2] / "carc_env" / "engine" / "tiles" / "tiles.json"

SIDES = ("N", "E", "S", "W")
HALVES = ("Nw", "Ne", "En", "Es", "Se", "Sw", "Ws", "Wn")
STEP = {"N": (0, -1), "E": (1, 0), "S": (0, 1), "W": (-1, 0)}
OPPOSITE = {"N": "S", "E": "W", "S": "N", "W": "E"}

#: Usable coordinates: the table is 64 x 64 with the start at index 32 and an empty frame.
FIRST_COORDINATE, LAST_COORDINATE = 1 - 32, 62 - 32

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
FigureChoice = tuple[Figure, Spot]
#: What a player can do in the figure action: place, take the abbot back, or nothing.
Choice = FigureChoice | Literal["recall"] | None

#: RULES 26: who may stand where; abbeys are monasteries (ABB-07, ABB-15, ABB-21).
MAY_STAND = {
    Figure.MEEPLE: {Kind.FIELD, Kind.ROAD, Kind.CITY, Kind.MONASTERY},  # GAR-01: no garden
    Figure.LARGE: {Kind.FIELD, Kind.ROAD, Kind.CITY, Kind.MONASTERY},  # INN-01
    Figure.ABBOT: {Kind.MONASTERY, Kind.GARDEN},  # ABT-03
    Figure.MAYOR: {Kind.CITY},  # MAY-02
    Figure.WAGON: {Kind.ROAD, Kind.CITY, Kind.MONASTERY},  # WAG-02, WAG-03
    Figure.BARN: {Kind.FIELD},  # BARN-03: at a corner, all others on segments
}

#: Figures that are meeples: they occupy a feature and go home when it is scored (BARN-01).
MEEPLES = {Figure.MEEPLE, Figure.LARGE, Figure.ABBOT, Figure.MAYOR, Figure.WAGON}

#: BASE-16, INN-01, ABT-17, WAG-01: what a meeple counts in a majority; for the mayor see
#: :func:`strength`.
STRENGTH = {Figure.MEEPLE: 1, Figure.LARGE: 2, Figure.ABBOT: 1, Figure.WAGON: 1}

#: What a complete city of a field is worth: to farmers at the end and when a barn comes to them
#: (BASE-24, BARN-10), to farmers joined to a barn (BARN-17), to a barn at the end (BARN-20). A
#: castle is worth 1 more (CAS-28, BARN-23).
FARMERS_PER_CITY, JOINED_PER_CITY, BARN_PER_CITY = 3, 1, 4

ABBEY = "am-abbey"


# --- Tile facts ---------------------------------------------------------------------------------

#: The facts of ``tiles.json`` by tile id, unchanged.
_STORED: dict[str, Any] = json.loads(TILES_JSON.read_text(encoding="utf-8"))
FACTS: dict[str, dict[str, Any]] = {tile["id"]: tile for tile in _STORED["tiles"]}
#: The abbey: placed in one way (ABB-04), nothing but a monastery (ABB-08).
FACTS[ABBEY] = {"rot": 1, "fields": []} | next(
    tile for tile in _STORED["player_tiles"] if tile["id"] == ABBEY
)


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of one placed tile that a figure could stand on, in board orientation."""

    kind: Kind
    x: int
    y: int
    spot: Spot
    at: frozenset[str]
    """Sides of a city or road, half-edges of a field; empty for what touches no edge."""
    coats: int = 0
    is_semicircle: bool = False
    """Of a city: a cap that is neither pointed nor stretched nor bridged (CAS-02)."""
    has_extra: bool = False
    """Of a road: an inn is drawn at it (INN-06). Of a city: a cathedral."""
    cities: frozenset[Spot] = frozenset()
    """Of a field: the city segments of this tile that it touches (BASE-26)."""

    @property
    def place(self) -> Place:
        """Its cell and its name."""
        return self.x, self.y, self.spot

    @property
    def corners(self) -> frozenset[Spot]:
        """Of a field: the corners of this tile that show nothing else (BARN-03, BARN-04)."""
        if self.kind != Kind.FIELD:
            return frozenset()
        return frozenset(corner for corner, halves in CORNERS.items() if halves <= self.at)


def turned(link: str, rotation: int) -> str:
    """Turn a side or half-edge clockwise by some quarter turns."""
    if link in SIDES:
        return SIDES[(SIDES.index(link) + rotation) % 4]
    return HALVES[(HALVES.index(link) + 2 * rotation) % 8]


def across(x: int, y: int, link: str) -> tuple[int, int, str]:
    """Find the side or half-edge that touches this one, with its cell: ``En`` meets ``Wn``."""
    dx, dy = STEP[link[0]]
    return x + dx, y + dy, OPPOSITE[link[0]] + link[1:]


def edge(tile: PlacedTile, side: str) -> str:
    """Tell the letter of the edge kind that a placed tile shows on a side; an abbey shows A."""
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
        city_spots.append(named(at))
        coats, semicircle = int(city.get("shields", 0)), city.get("castle", False)
        extra = city.get("cathedral", False)
        segments.append(Segment(Kind.CITY, x, y, named(at), at, coats, semicircle, extra))
    for road in facts.get("roads", []):
        at = frozenset(turned(side, tile.rotation) for side in road["at"])
        extra = road.get("inn", False)
        segments.append(Segment(Kind.ROAD, x, y, named(at), at, has_extra=extra))
    if tile.bridge is not None:  # BRI-07; BRI-17, INN-07: no part of a road that it crosses.
        at = frozenset(tile.bridge)
        segments.append(Segment(Kind.ROAD, x, y, named(at), at))
    enclosed = iter((Spot.in0, Spot.in1))
    for field in facts["fields"]:  # BRI-13: a bridge divides none.
        at = frozenset(turned(half, tile.rotation) for half in field["at"].split())
        spot = named(at) if at else next(enclosed)
        cities = frozenset(city_spots[i] for i in field["cities"])
        segments.append(Segment(Kind.FIELD, x, y, spot, at, cities=cities))
    for kind, key in ((Kind.MONASTERY, "monastery"), (Kind.GARDEN, "garden")):
        if facts.get(key):
            segments.append(Segment(kind, x, y, Spot.mid, frozenset()))
    return tuple(segments)


def links_of(tile: PlacedTile) -> list[set[Place]]:
    """List the groups of segments of one tile between which a C1 wagon may pass (WAG-20, WAG-21).

    ``c0`` is the first city of the tile facts, ``r0`` the first road, ``m`` the monastery.
    """
    segments = segments_of(tile)
    spots = {"m": Spot.mid}
    for letter, kind in (("c", Kind.CITY), ("r", Kind.ROAD)):
        of_kind = [segment.spot for segment in segments if segment.kind == kind]
        spots.update({f"{letter}{i}": spot for i, spot in enumerate(of_kind)})
    groups = FACTS[tile.tile].get("links", [])
    return [{(tile.x, tile.y, spots[label]) for label in group} for group in groups]


def tile_counts(rules: Rules) -> dict[str, int]:
    """Count the copies of each land tile that the game is played with, the start tile included."""
    counts = {
        name: facts["n"][rules.tile_column]
        for name, facts in FACTS.items()
        if facts.get("set") in rules.sets
    }
    return {name: n for name, n in counts.items() if n}


# --- Features -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Feature:
    """A connected road, city or field, one monastery or garden, or a castle."""

    kind: Kind
    segments: frozenset[Place]
    tiles: frozenset[Cell]
    coats: int
    has_extra: bool
    """An inn stands at the road, or a cathedral in the city."""
    faces: frozenset[Cell]
    """Cells on which a tile must lie before the feature is complete, its own cells aside."""
    is_complete: bool
    """Fields and castles never are."""
    figures: tuple[PlacedFigure, ...]
    """Everything that stands on it, the barns of a field too."""
    cities: frozenset[Feature]
    """Of a field: the cities and castles it touches (BASE-26); empty for all others."""
    corners: frozenset[Place]
    """Of a field: the tile corners that show nothing but this field (BARN-03)."""

    @property
    def meeples(self) -> tuple[PlacedFigure, ...]:
        """What occupies it and counts in its majority."""
        return tuple(figure for figure in self.figures if figure.figure in MEEPLES)

    @property
    def barns(self) -> tuple[PlacedFigure, ...]:
        """The barns of a field, several if fields have grown together (BARN-08)."""
        return tuple(figure for figure in self.figures if figure.figure == Figure.BARN)


def occupied_cells(position: Position) -> set[Cell]:
    """Collect the cells on which a tile lies."""
    return {(tile.x, tile.y) for tile in position.tiles}


def around(x: int, y: int) -> set[Cell]:
    """Collect the eight cells around a cell."""
    return {(x + dx, y + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)} - {(x, y)}


def surroundings(position: Position, x: int, y: int) -> int:
    """Count a cell and its occupied neighbours: the worth of a monastery or garden (GAR-04)."""
    return 1 + len(around(x, y) & occupied_cells(position))


@lru_cache(maxsize=8)
def features(position: Position) -> tuple[Feature, ...]:
    """Flood all features on the board from one segment after the other, fields last."""
    everything = [segment for tile in position.tiles for segment in segments_of(tile)]
    everything.sort(key=lambda segment: segment.kind == Kind.FIELD)
    touching = {(s.kind, s.x, s.y, link): s for s in everything for link in s.at}
    found: list[Feature] = []
    seen: set[Segment] = set()
    city_at: dict[Place, Feature] = {}
    occupied = occupied_cells(position)
    for first in everything:
        if first in seen:
            continue
        flooded = {first}
        rim = [first]
        while rim:
            segment = rim.pop()
            for link in segment.at:
                beyond = touching.get((segment.kind, *across(segment.x, segment.y, link)))
                if beyond is not None and beyond not in flooded:
                    flooded.add(beyond)
                    rim.append(beyond)
        seen |= flooded
        feature = gathered(position, occupied, flooded, city_at)
        found.append(feature)
        if feature.kind in (Kind.CITY, Kind.CASTLE):
            city_at.update((place, feature) for place in feature.segments)
    return tuple(found)


def gathered(
    position: Position, occupied: set[Cell], flooded: set[Segment], city_at: dict[Place, Feature]
) -> Feature:
    """Make the feature that consists of these segments; cities must be known before fields."""
    (kind,) = {segment.kind for segment in flooded}
    places = frozenset(segment.place for segment in flooded)
    if kind == Kind.CITY and any((c.x, c.y, c.spot) in places for c in position.castles):
        kind = Kind.CASTLE  # CAS-10, CAS-31: no complete city, and without coats of arms.
    corners = frozenset((s.x, s.y, corner) for s in flooded for corner in s.corners)
    covered = places | corners
    faces = faced(kind, flooded)
    return Feature(
        kind=kind,
        segments=places,
        tiles=frozenset((segment.x, segment.y) for segment in flooded),
        coats=0 if kind == Kind.CASTLE else sum(segment.coats for segment in flooded),
        has_extra=any(segment.has_extra for segment in flooded),  # INN-02, INN-04, INN-08
        faces=faces,
        is_complete=kind not in (Kind.FIELD, Kind.CASTLE)  # BASE-20, CAS-10
        and faces <= occupied,
        figures=tuple(f for f in position.figures if (f.x, f.y, f.spot) in covered),
        cities=frozenset(
            city_at[segment.x, segment.y, spot] for segment in flooded for spot in segment.cities
        ),
        corners=corners,
    )


def faced(kind: Kind, flooded: set[Segment]) -> frozenset[Cell]:
    """Collect the cells beyond all sides of a road or city, or those around a monastery or garden.

    What lies there does not matter: land tiles match, and an abbey closes every side (ABB-09), is
    a neighbour like any other (ABB-14, GAR-07), and connects nothing (ABB-10, ABB-11).
    """
    if kind in (Kind.MONASTERY, Kind.GARDEN):  # BASE-14, GAR-03, ABB-13
        return frozenset(cell for segment in flooded for cell in around(segment.x, segment.y))
    if kind in (Kind.ROAD, Kind.CITY):
        return frozenset(across(s.x, s.y, side)[:2] for s in flooded for side in s.at)
    return frozenset()


def feature_at(position: Position, x: int, y: int, spot: Spot) -> Feature:
    """Find the feature that owns a spot; ``KeyError`` where the tile has no such segment.

    A corner belongs to the field that fills it, if one does.
    """
    for feature in features(position):
        if (x, y, spot) in feature.segments | feature.corners:
            return feature
    raise KeyError(f"no segment {spot!r} at ({x}, {y})")


# --- What a feature is worth, and to whom -------------------------------------------------------


def road_points(position: Position, feature: Feature) -> int:
    """BASE-11, BASE-23: 1 per tile, complete or not; BASE-15: a tile counts once.

    With an inn 2 per tile (INN-02), or nothing (INN-03).
    """
    if position.rules.inns and feature.has_extra:
        return 2 * len(feature.tiles) if feature.is_complete else 0
    return len(feature.tiles)


def city_points(position: Position, feature: Feature) -> int:
    """BASE-12, BASE-13, BASE-23; under the older rule a city of two tiles is not doubled.

    With a cathedral 3 for everything, or nothing (INN-04).
    """
    n_tiles = len(feature.tiles)
    if position.rules.inns and feature.has_extra:
        return 3 * n_tiles + 3 * feature.coats if feature.is_complete else 0
    is_small = n_tiles == 2 and position.rules.small_city_points == 2
    if is_small or not feature.is_complete:
        return n_tiles + feature.coats
    return 2 * n_tiles + 2 * feature.coats


def surrounded_points(position: Position, feature: Feature) -> int:
    """BASE-14, BASE-23, GAR-04: 9 when complete, as all nine cells are occupied."""
    ((x, y),) = feature.tiles
    return surroundings(position, x, y)


def castle_points(position: Position, feature: Feature) -> int:
    """CAS-25: nothing of its own; for what it takes from others see ``castles``."""
    return 0


def field_worth(feature: Feature, per_city: int) -> int:
    """Add up the complete cities that a field touches, each once (BASE-24, BASE-25, ABB-12).

    And its castles, scored or not (CAS-30).
    """
    n_cities = sum(city.is_complete for city in feature.cities)
    n_castles = sum(city.kind == Kind.CASTLE for city in feature.cities)
    return per_city * n_cities + (per_city + 1) * n_castles


def field_points(position: Position, feature: Feature) -> int:
    """BASE-24: what the farmers get at the end, barns not considered."""
    return field_worth(feature, FARMERS_PER_CITY)


POINTS: dict[Kind, Callable[[Position, Feature], int]] = {
    Kind.ROAD: road_points,
    Kind.CITY: city_points,
    Kind.MONASTERY: surrounded_points,
    Kind.GARDEN: surrounded_points,
    Kind.CASTLE: castle_points,
    Kind.FIELD: field_points,
}


def value(position: Position, feature: Feature, final: bool) -> int:
    """Tell how many points a feature gives to its majority.

    During play (``final=False``) only complete features are worth anything; at the end everything
    is scored, and what happens to be complete then at the price of complete features.
    """
    if not final and not feature.is_complete:
        return 0
    return POINTS[feature.kind](position, feature)


def strength(figure: PlacedFigure, feature: Feature) -> int:
    """Tell what a meeple counts in a feature: a mayor the coats of the whole city (MAY-05)."""
    if figure.figure == Figure.MAYOR:
        return feature.coats
    return STRENGTH[figure.figure]


def majority(feature: Feature) -> list[int]:
    """List the seats that get the points: the strongest, all of them in a tie (BASE-17).

    Strength 0 gets nothing, not even alone (MAY-09 to MAY-11).
    """
    total: Counter[int] = Counter()
    for figure in feature.meeples:
        total[figure.seat] += strength(figure, feature)
    return sorted(seat for seat, n in total.items() if n == max(total.values()) and n > 0)


def paid(position: Position, scored: Iterable[Feature], final: bool) -> tuple[int, ...]:
    """Add to the scores what these features pay to their majorities (BASE-16, BASE-17)."""
    scores = list(position.scores)
    for feature in scored:
        for seat in majority(feature):
            scores[seat] += value(position, feature, final)
    return tuple(scores)


# --- Where a tile may lie -----------------------------------------------------------------------


def window(position: Position) -> tuple[int, int]:
    """Find the first column and row of the view, which is centred on the box of the board."""
    xs = [tile.x for tile in position.tiles]
    ys = [tile.y for tile in position.tiles]
    half = position.rules.view // 2
    return (min(xs) + max(xs) + 1) // 2 - half, (min(ys) + max(ys) + 1) // 2 - half


def is_on_table(position: Position, x: int, y: int) -> bool:
    """Tell whether a cell is inside the view and on the 64 x 64 table (real tables are larger)."""
    x0, y0 = window(position)
    size = position.rules.view
    return (
        x0 <= x < x0 + size
        and y0 <= y < y0 + size
        and FIRST_COORDINATE <= x <= LAST_COORDINATE
        and FIRST_COORDINATE <= y <= LAST_COORDINATE
    )


def side_neighbours(position: Position, x: int, y: int) -> Iterator[tuple[str, PlacedTile]]:
    """Find the tiles that touch a cell, each with the side of the cell that it lies at."""
    beside = {across(x, y, side)[:2]: side for side in SIDES}
    for tile in position.tiles:
        if (tile.x, tile.y) in beside:
            yield beside[tile.x, tile.y], tile


def fits(position: Position, tile: PlacedTile) -> bool:
    """Check BASE-04: some side touches the board, and all that touch show the same edge kind."""
    neighbours = list(side_neighbours(position, tile.x, tile.y))
    return bool(neighbours) and all(
        matches(tile, side, neighbour) for side, neighbour in neighbours
    )


def matches(tile: PlacedTile, side: str, neighbour: PlacedTile) -> bool:
    """Tell whether two tiles show the same where they touch; an abbey fits everything (ABB-04)."""
    return ABBEY in (tile.tile, neighbour.tile) or (
        edge(tile, side) == edge(neighbour, OPPOSITE[side])
    )


def holes(position: Position) -> set[Cell]:
    """List the empty cells with tiles on all four sides (ABB-03), whoever may have an abbey."""
    occupied = occupied_cells(position)
    beside = {across(x, y, side)[:2] for x, y in occupied for side in SIDES} - occupied
    return {(x, y) for x, y in beside if {across(x, y, side)[:2] for side in SIDES} <= occupied}


def abbey_places(position: Position) -> set[Cell]:
    """List where the decider may place his abbey; empty outside ``Phase.DRAW_OR_ABBEY`` (ABB-02).

    Empty as well if he has none left or if there is no hole (ABB-05, ABB-06).
    """
    if position.phase != Phase.DRAW_OR_ABBEY or not has_abbey(position, position.decider):
        return set()
    return holes(position)


def has_abbey(position: Position, seat: int) -> bool:
    """Tell whether a seat has its abbey in hand."""
    return bool(position.abbeys) and position.abbeys[seat] > 0


def placements(position: Position, tile_id: str) -> set[tuple[int, int, int]]:
    """List every (x, y, rotation) where the tile may be placed, symmetric rotations once.

    Without a bridge, see :func:`bridges.placements`.
    """
    if tile_id == ABBEY:
        return {(x, y, 0) for x, y in holes(position)}
    return {
        (tile.x, tile.y, tile.rotation)
        for tile in spaces(position, tile_id)
        if fits(position, tile)
    }


def spaces(position: Position, tile_id: str) -> list[PlacedTile]:
    """List the ways to put a tile beside the board, whatever shows there."""
    occupied = occupied_cells(position)
    cells = {across(x, y, side)[:2] for x, y in occupied for side in SIDES} - occupied
    return [
        PlacedTile(tile_id, x, y, rotation)
        for x, y in cells
        if is_on_table(position, x, y)
        for rotation in range(FACTS[tile_id]["rot"])
    ]


# --- The figure action --------------------------------------------------------------------------


def all_figures(rules: Rules) -> dict[Figure, int]:
    """Count what each player owns, on the board and off it (BASE-01, INN-01, ABT-01, ...)."""
    return {
        Figure.MEEPLE: 7,
        Figure.LARGE: int(rules.large_meeples),
        Figure.ABBOT: int(rules.abbot),
        Figure.MAYOR: int(rules.mayors),
        Figure.WAGON: int(rules.wagons),
        Figure.BARN: int(rules.barns),
    }


def supply(position: Position, seat: int) -> dict[Figure, int]:
    """Count what a player has left: what he owns less what stands on the board.

    A wagon that waits for its move is back in the supply.
    """
    on_board = Counter(figure.figure for figure in position.figures if figure.seat == seat)
    return {figure: n - on_board[figure] for figure, n in all_figures(position.rules).items()}


def figure_choices(position: Position) -> set[FigureChoice]:
    """List what the decider may put on the tile just placed; empty outside ``Phase.ACTION``."""
    if position.phase != Phase.ACTION:
        return set()
    placed = position.tiles[-1]
    here = (placed.x, placed.y)
    in_supply = supply(position, position.decider)
    on_segments = {
        (figure, spot)
        for feature in features(position)
        if not feature.meeples  # BASE-06, ABT-04, MAY-02: nobody's meeple stands anywhere on it.
        if not feature.barns  # BARN-16
        for x, y, spot in feature.segments
        if (x, y) == here
        for figure, kinds in MAY_STAND.items()
        if figure in MEEPLES and feature.kind in kinds and in_supply[figure] > 0  # BASE-09
    }
    on_corners = {
        (Figure.BARN, corner)
        for feature in features(position)
        if not feature.barns  # BARN-07; BARN-06, BARN-27: farmers do not matter.
        for x, y, corner in feature.corners
        if (x, y) == here  # BARN-26
        if point(x, y, corner) <= feature.corners  # BARN-03, BARN-05
        if in_supply[Figure.BARN] > 0
    }
    return on_segments | on_corners


def point(x: int, y: int, corner: Spot) -> set[Place]:
    """List the four tile corners that meet at one of them, itself included."""
    east, south = corner in (Spot.NE, Spot.SE), corner in (Spot.SE, Spot.SW)
    x, y = x + east, y + south  # The tile whose north-west corner it is.
    return {(x, y, Spot.NW), (x - 1, y, Spot.NE), (x - 1, y - 1, Spot.SE), (x, y - 1, Spot.SW)}


def abbot_of(position: Position, seat: int) -> PlacedFigure | None:
    """Find the abbot of a seat on the board."""
    for figure in position.figures:
        if figure.seat == seat and figure.figure == Figure.ABBOT:
            return figure
    return None


def recall_value(position: Position, seat: int) -> int | None:
    """Tell what taking the abbot back scores now (ABT-06), ``None`` where it is not offered."""
    abbot = abbot_of(position, seat)
    if position.phase != Phase.ACTION or position.decider != seat or abbot is None:
        return None
    placed = position.tiles[-1]
    if (abbot.x, abbot.y) == (placed.x, placed.y):  # ABT-08: placed this very turn.
        return None
    place = feature_at(position, abbot.x, abbot.y, abbot.spot)
    if place.is_complete and position.rules.abbot_recall_completed == "forbid":  # ABT-14
        return None
    return surroundings(position, abbot.x, abbot.y)


def choices(position: Position) -> set[Choice]:
    """List all that the decider may do in ``Phase.ACTION``, ``None`` included (BASE-09).

    Bridges aside, see :func:`bridges.optional`.
    """
    if position.phase != Phase.ACTION:
        return set()
    offered: set[Choice] = {None, *figure_choices(position)}
    if recall_value(position, position.decider) is not None:
        offered.add("recall")
    return offered


def acted(position: Position, choice: Choice) -> Position:
    """Take the figure action, without scoring the turn; ``ValueError`` if it is not allowed."""
    if choice not in choices(position):
        raise ValueError(f"{choice!r} is not allowed here")
    seat, placed = position.decider, position.tiles[-1]
    if choice is None:
        return position
    if choice == "recall":  # ABT-10: scored now, before step 3; ABT-11: the abbot alone.
        scores = list(position.scores)
        scores[seat] += recall_value(position, seat) or 0
        abbot = abbot_of(position, seat)
        figures = tuple(figure for figure in position.figures if figure != abbot)
        return replace(position, scores=tuple(scores), figures=figures)
    figure, spot = choice
    new = PlacedFigure(seat, figure, placed.x, placed.y, spot)
    return replace(position, figures=(*position.figures, new))


# --- Scoring ------------------------------------------------------------------------------------


class Outcome(NamedTuple):
    """What step 3 of a turn leaves behind."""

    scores: tuple[int, ...]
    figures: tuple[PlacedFigure, ...]
    """Still on the board."""
    wagons: tuple[PlacedFigure, ...]
    """Scored in this step, where they stood; in the order in which their owners decide (WAG-11)."""


def completed(position: Position) -> list[Feature]:
    """List the features that the last tile has completed, occupied or not (BASE-19, ABB-09)."""
    last = position.tiles[-1]
    here = (last.x, last.y)
    return [f for f in features(position) if f.is_complete and here in f.tiles | f.faces]


def score_turn(position: Position) -> Outcome:
    """Do step 3, after the figure action: complete features and barn fields together (BARN-13).

    Then castles are scored, see ``castles``.
    """
    scored = completed(position)
    fields = barn_fields(position)
    scores = list(paid(position, scored, final=False))
    for field, per_city in fields:
        for seat in majority(field):
            scores[seat] += field_worth(field, per_city)  # BARN-14
    home = [figure for feature in scored for figure in feature.meeples]  # BASE-18, MAY-12
    home += [farmer for field, _ in fields for farmer in field.meeples]  # BARN-12, BARN-18
    return Outcome(
        scores=tuple(scores),
        figures=tuple(figure for figure in position.figures if figure not in home),
        wagons=in_turn(position, [f for f in home if f.figure == Figure.WAGON]),
    )


def barn_fields(position: Position) -> list[tuple[Feature, int]]:
    """List the fields to be scored now because of barns, with what a complete city counts.

    Farmers and a barn share a field only until the end of the turn. Either the barn was placed in
    this turn: then it stands at the tile just placed, and the field had no other (BARN-10). Or the
    tile has joined farmers to a barn (BARN-17, BARN-19).
    """
    last = position.tiles[-1]
    shared = [f for f in features(position) if f.barns and f.meeples]
    return [
        (field, FARMERS_PER_CITY if is_new else JOINED_PER_CITY)
        for field in shared
        for is_new in [any((barn.x, barn.y) == (last.x, last.y) for barn in field.barns)]
    ]


def in_turn(position: Position, figures: Iterable[PlacedFigure]) -> tuple[PlacedFigure, ...]:
    """Sort figures by their owners, clockwise from the turn player."""
    n_players = position.rules.n_players
    return tuple(sorted(figures, key=lambda f: (f.seat - position.turn_player) % n_players))


def after(position: Position, choice: Choice) -> Outcome:
    """Act and do step 3 of the turn; wagons have not moved yet."""
    return score_turn(acted(position, choice))


def final_scores(position: Position) -> tuple[int, ...]:
    """Add to ``position.scores`` the final scoring of every figure that stands on the board.

    Not for a position of a finished game whose scores include the final scoring already.
    """
    everything = features(position)
    scores = list(paid(position, everything, final=True))  # MAY-13: majorities as ever.
    for field in everything:
        for barn in field.barns:  # BARN-20; BARN-21: each of several in full.
            scores[barn.seat] += field_worth(field, BARN_PER_CITY)
    return tuple(scores)


def projected_scores(position: Position) -> tuple[int, ...]:
    """Tell the scores if the game ended here, before anything more is placed or goes home.

    Farmers that share a field with a barn until the end of this turn count like any others.
    """
    return final_scores(position)


def winners(scores: tuple[int, ...]) -> list[int]:
    """List all seats with the most points (BASE-28)."""
    return [seat for seat, score in enumerate(scores) if score == max(scores)]
