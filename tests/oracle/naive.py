"""The rules of the base game with gardens and abbots and of Abbey & Mayor, read once more, slowly.

They come from RULES.md alone, whose ids stand at what they decide.

Nothing here comes from the engine: every function starts from a :class:`Position`, floods all
features from scratch, counts them and forgets them. That is some thousand times slower than the
kernels and is meant to be: this file is what they are compared with.

In order: the tile facts, features, what they are worth and to whom, where a tile may lie, the
figure action, scoring, wagons on the move, the round of abbeys at the end, and what cannot be true
of a position. A later set adds rows to the tables ``MAY_STAND``, ``STRENGTH`` and ``POINTS``,
attributes to :class:`Segment` and choices to :func:`choices`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
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
    Figure.ABBOT: {Kind.MONASTERY, Kind.GARDEN},  # ABT-03
    Figure.MAYOR: {Kind.CITY},  # MAY-02
    Figure.WAGON: {Kind.ROAD, Kind.CITY, Kind.MONASTERY},  # WAG-02, WAG-03
    Figure.BARN: {Kind.FIELD},  # BARN-03: at a corner, all others on segments
}

#: Figures that are meeples: they occupy a feature and go home when it is scored (BARN-01).
MEEPLES = {Figure.MEEPLE, Figure.ABBOT, Figure.MAYOR, Figure.WAGON}

#: BASE-16, ABT-17, WAG-01: what a meeple counts in a majority; for the mayor see :func:`strength`.
STRENGTH = {Figure.MEEPLE: 1, Figure.ABBOT: 1, Figure.WAGON: 1}

#: What a complete city of a field is worth: to farmers at the end and when a barn comes to them
#: (BASE-24, BARN-10), to farmers joined to a barn (BARN-17), to a barn at the end (BARN-20).
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
    cities: frozenset[Spot] = frozenset()
    """Of a field: the city segments of this tile that it touches (BASE-26)."""

    @property
    def corners(self) -> frozenset[Spot]:
        """Of a field: the corners of this tile that show nothing else (BARN-03, BARN-04)."""
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
    letters: str = FACTS[tile.tile]["edges"]
    shown = {turned(stored, tile.rotation): letters[i] for i, stored in enumerate(SIDES)}
    return shown[side]


def named(at: Iterable[str]) -> Spot:
    """Name a segment by its first side, or its first half-edge."""
    return Spot[min(at, key=(SIDES + HALVES).index)]


def segments_of(tile: PlacedTile) -> list[Segment]:
    """List the segments of one placed tile."""
    facts, x, y = FACTS[tile.tile], tile.x, tile.y
    segments = []
    city_spots = []
    for city in facts.get("cities", []):
        at = frozenset(turned(side, tile.rotation) for side in city["at"])
        city_spots.append(named(at))
        segments.append(Segment(Kind.CITY, x, y, named(at), at, coats=int(city.get("shields", 0))))
    for road in facts.get("roads", []):
        at = frozenset(turned(side, tile.rotation) for side in road["at"])
        segments.append(Segment(Kind.ROAD, x, y, named(at), at))
    enclosed = iter((Spot.in0, Spot.in1))
    for field in facts["fields"]:
        at = frozenset(turned(half, tile.rotation) for half in field["at"].split())
        spot = named(at) if at else next(enclosed)
        cities = frozenset(city_spots[i] for i in field["cities"])
        segments.append(Segment(Kind.FIELD, x, y, spot, at, cities=cities))
    for kind, key in ((Kind.MONASTERY, "monastery"), (Kind.GARDEN, "garden")):
        if facts.get(key):
            segments.append(Segment(kind, x, y, Spot.mid, frozenset()))
    return segments


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
    """A connected road, city or field, or one monastery or garden."""

    kind: Kind
    segments: frozenset[Place]
    tiles: frozenset[Cell]
    coats: int
    faces: frozenset[Cell]
    """Cells on which a tile must lie before the feature is complete, its own cells aside."""
    is_complete: bool
    """Fields never are."""
    figures: tuple[PlacedFigure, ...]
    """Everything that stands on it, the barns of a field too."""
    cities: frozenset[Feature]
    """Of a field: the cities it touches (BASE-26); empty for all others."""
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


def features(position: Position) -> list[Feature]:
    """Flood all features on the board from one segment after the other, fields last."""
    everything = [segment for tile in position.tiles for segment in segments_of(tile)]
    everything.sort(key=lambda segment: segment.kind == Kind.FIELD)
    touching = {(s.kind, s.x, s.y, link): s for s in everything for link in s.at}
    found: list[Feature] = []
    seen: set[Segment] = set()
    city_at: dict[Place, Feature] = {}
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
        feature = gathered(position, flooded, city_at)
        found.append(feature)
        if feature.kind == Kind.CITY:
            city_at.update((place, feature) for place in feature.segments)
    return found


def gathered(position: Position, flooded: set[Segment], city_at: dict[Place, Feature]) -> Feature:
    """Make the feature that consists of these segments; cities must be known before fields."""
    (kind,) = {segment.kind for segment in flooded}
    places = frozenset((segment.x, segment.y, segment.spot) for segment in flooded)
    corners = frozenset((s.x, s.y, corner) for s in flooded for corner in s.corners)
    covered = places | corners
    faces = faced(kind, flooded)
    return Feature(
        kind=kind,
        segments=places,
        tiles=frozenset((segment.x, segment.y) for segment in flooded),
        coats=sum(segment.coats for segment in flooded),
        faces=faces,
        is_complete=kind != Kind.FIELD and faces <= occupied_cells(position),  # BASE-20
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
    """BASE-11, BASE-23: 1 per tile, complete or not; BASE-15: a tile counts once."""
    return len(feature.tiles)


def city_points(position: Position, feature: Feature) -> int:
    """BASE-12, BASE-13, BASE-23."""
    n_tiles = len(feature.tiles)
    if not feature.is_complete:
        return n_tiles + feature.coats
    if n_tiles == 2 and feature.coats == 0:
        return position.rules.small_city_points
    return 2 * n_tiles + 2 * feature.coats


def surrounded_points(position: Position, feature: Feature) -> int:
    """BASE-14, BASE-23, GAR-04: 9 when complete, as all nine cells are occupied."""
    ((x, y),) = feature.tiles
    return surroundings(position, x, y)


def complete_cities(feature: Feature) -> int:
    """Count the complete cities that a field touches, each once (BASE-24, BASE-25, ABB-12)."""
    return sum(city.is_complete for city in feature.cities)


def field_points(position: Position, feature: Feature) -> int:
    """BASE-24: what the farmers get at the end, barns not considered."""
    return FARMERS_PER_CITY * complete_cities(feature)


POINTS: dict[Kind, Callable[[Position, Feature], int]] = {
    Kind.ROAD: road_points,
    Kind.CITY: city_points,
    Kind.MONASTERY: surrounded_points,
    Kind.GARDEN: surrounded_points,
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
    """List every (x, y, rotation) where the tile may be placed, symmetric rotations once."""
    if tile_id == ABBEY:
        return {(x, y, 0) for x, y in holes(position)}
    occupied = occupied_cells(position)
    cells = {across(x, y, side)[:2] for x, y in occupied for side in SIDES} - occupied
    return {
        (x, y, rotation)
        for x, y in cells
        if is_on_table(position, x, y)
        for rotation in range(FACTS[tile_id]["rot"])
        if fits(position, PlacedTile(tile_id, x, y, rotation))
    }


# --- The figure action --------------------------------------------------------------------------


def all_figures(rules: Rules) -> dict[Figure, int]:
    """Count what each player owns, on the board and off it (BASE-01, ABT-01, MAY-01, ...)."""
    return {
        Figure.MEEPLE: 7,
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
    """List all that the decider may do in ``Phase.ACTION``, ``None`` included (BASE-09)."""
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
    """Do step 3, after the figure action: complete features and barn fields together (BARN-13)."""
    scored = completed(position)
    fields = barn_fields(position)
    scores = list(paid(position, scored, final=False))
    for field, per_city in fields:
        for seat in majority(field):
            scores[seat] += per_city * complete_cities(field)  # BARN-14
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
            scores[barn.seat] += BARN_PER_CITY * complete_cities(field)
    return tuple(scores)


def projected_scores(position: Position) -> tuple[int, ...]:
    """Tell the scores if the game ended here, before anything more is placed or goes home.

    Farmers that share a field with a barn until the end of this turn count like any others.
    """
    return final_scores(position)


def winners(scores: tuple[int, ...]) -> list[int]:
    """List all seats with the most points (BASE-28)."""
    return [seat for seat, score in enumerate(scores) if score == max(scores)]


# --- Wagons on the move -------------------------------------------------------------------------


def wagon_targets(
    position: Position, wagon: PlacedFigure, rolled: Iterable[Place] = ()
) -> set[Place]:
    """List where a wagon that was scored may go (WAG-04); empty means that it goes home (WAG-10).

    ``position`` is the board after step 3, with the moves of the wagons before this one done;
    ``wagon`` tells where it stood. Only ``house_wagon_roll`` uses ``rolled``, the places where it
    has stood before in this move.
    """
    left = [feature_at(position, *place) for place in [*rolled, (wagon.x, wagon.y, wagon.spot)]]
    targets = {
        feature
        for feature in features(position)
        if feature.kind in MAY_STAND[Figure.WAGON]  # WAG-14
        if not feature.meeples  # WAG-09
        if not feature.is_complete or position.rules.house_wagon_roll  # WAG-09, HOUSE-01
        if feature not in left
    }
    if position.rules.wagon_range == "C1":
        return {
            place
            for feature in targets & linked(position, left[-1])
            for place in feature.segments  # WAG-28
        }
    in_range = {(wagon.x, wagon.y)} | around(wagon.x, wagon.y)  # WAG-05 to WAG-07
    return {
        (x, y, spot) for feature in targets for x, y, spot in feature.segments if (x, y) in in_range
    }


def linked(position: Position, feature: Feature) -> set[Feature]:
    """Collect the features that a C1 wagon reaches from this one, over any of its tiles (WAG-31).

    By the links of the tile facts, and between an abbey and the roads and cities that it closes
    (WAG-21, WAG-22).
    """
    groups = [group for tile in position.tiles for group in links_of(tile)]
    for abbey in position.tiles:
        if abbey.tile == ABBEY:
            for side, neighbour in side_neighbours(position, abbey.x, abbey.y):
                for segment in segments_of(neighbour):
                    if OPPOSITE[side] in segment.at:
                        closed = (neighbour.x, neighbour.y, segment.spot)
                        groups.append({(abbey.x, abbey.y, Spot.mid), closed})
    reached = {place for group in groups if group & feature.segments for place in group}
    return {other for other in features(position) if other.segments & reached} - {feature}


def moved(position: Position, target: Place | None) -> Position:
    """Move the first of the waiting wagons, or take it home; phase and decider stay as they are.

    On a complete feature (HOUSE-01) it keeps waiting, for its next move from there.
    """
    wagon, *others = position.wagons
    if target is None:
        return replace(position, wagons=tuple(others))
    x, y, spot = target
    wagon = replace(wagon, x=x, y=y, spot=spot)
    if feature_at(position, x, y, spot).is_complete:
        return replace(position, wagons=(wagon, *others))
    return replace(position, wagons=tuple(others), figures=(*position.figures, wagon))


# --- The round of abbeys at the end -------------------------------------------------------------


def next_in_last_round(position: Position) -> tuple[int, int] | None:
    """Tell who is asked for his abbey next, and how many seats come after him (ABB-20).

    ``position`` is the end of a turn after which no land tile is left: the last turn of the normal
    game, or one of the round of abbeys. ``None`` if the game is over. Nobody is asked twice
    (ABB-23); the player of the last land tile is asked last.
    """
    rules = position.rules
    if rules.abbey_endgame == "none":
        return None
    seat = position.turn_player
    left = rules.n_players if position.last_round is None else position.last_round
    while left > 0:
        seat, left = (seat + 1) % rules.n_players, left - 1
        if has_abbey(position, seat) and holes(position):
            return seat, left
        if rules.abbey_endgame == "until_blocked":
            return None
    return None


# --- What cannot be true of a position ----------------------------------------------------------


def problems(position: Position) -> list[str]:
    """Say in words what contradicts the rules; empty for every position that play can reach.

    Hand-made positions pass too, as long as nothing in them is impossible in itself; what depends
    on the order of the tiles is in :func:`order_problems`.
    """
    if found := list(unreadable(position)):
        return found
    return [
        *wrong_board(position),
        *wrong_counts(position),
        *wrong_figures(position),
        *wrong_abbeys(position),
        *unscored(position),
        *wrong_wagons(position),
        *wrong_turn(position),
    ]


def unreadable(position: Position) -> Iterator[str]:
    """Names and numbers outside their range, after which nothing else can be computed."""
    if not position.tiles:
        yield "no tile lies on the board"
    counts = tile_counts(position.rules)
    hand = [position.tile_in_hand] if position.tile_in_hand is not None else []
    names = [tile.tile for tile in position.tiles if tile.tile != ABBEY]
    for name in sorted({*names, *position.aside, *hand, *(position.bag or ())} - set(counts)):
        yield f"tile {name} is not part of this game"
    for tile in position.tiles:
        if tile.tile in {*counts, ABBEY} and not 0 <= tile.rotation < FACTS[tile.tile]["rot"]:
            yield f"{tile} is turned by {tile.rotation}"
    for figure in (*position.figures, *position.wagons):
        if figure.figure not in MAY_STAND or not 0 <= figure.seat < position.rules.n_players:
            yield f"{figure} belongs to nobody"
    if len(position.scores) != position.rules.n_players:
        yield f"{len(position.scores)} scores for {position.rules.n_players} seats"
    if len(position.abbeys) != (position.rules.n_players if position.rules.abbeys else 0):
        yield f"{len(position.abbeys)} hands of abbeys for {position.rules.n_players} seats"


def wrong_board(position: Position) -> Iterator[str]:
    """Tiles that could not lie like this, whatever their order."""
    start = position.tiles[0]
    if not FACTS[start.tile].get("start") or (start.x, start.y) != (0, 0):  # BASE-02
        yield f"the first tile is {start}"
    for cell, n in Counter((tile.x, tile.y) for tile in position.tiles).items():
        if n > 1:
            yield f"{n} tiles lie on {cell}"
    for tile in position.tiles:
        if not is_on_table(position, tile.x, tile.y):
            yield f"{tile} lies beyond the rim of the table"
        for side, neighbour in side_neighbours(position, tile.x, tile.y):
            if side in "NE" and not matches(tile, side, neighbour):  # BASE-04
                yield f"{tile} and {neighbour} do not match"
    reached = {(start.x, start.y)}
    rim = [(start.x, start.y)]
    while rim:
        x, y = rim.pop()
        new = {across(x, y, side)[:2] for side in SIDES} & occupied_cells(position) - reached
        reached |= new
        rim.extend(new)
    for x, y in sorted(occupied_cells(position) - reached):
        yield f"the tile at {(x, y)} is not connected to the start"


def wrong_counts(position: Position) -> Iterator[str]:
    """More tiles than the game has, or, where the bag is known, fewer."""
    seen = Counter(tile.tile for tile in position.tiles)
    seen.update(position.aside)
    seen.update(position.bag or ())
    if position.tile_in_hand is not None:
        seen[position.tile_in_hand] += 1
    for name, n in tile_counts(position.rules).items():
        if seen[name] > n:
            yield f"{seen[name]} copies of {name}, the game has {n}"
        if seen[name] < n and position.bag is not None:
            yield f"{n - seen[name]} copies of {name} are lost"


def wrong_figures(position: Position) -> Iterator[str]:
    """More figures than a player owns, or figures where none can have been placed."""
    for seat in range(position.rules.n_players):
        for figure, n in supply(position, seat).items():
            if n < 0:
                yield f"seat {seat} has {-n} {figure.name} too many"
    kinds = {
        (segment.x, segment.y, segment.spot): segment.kind
        for tile in position.tiles
        for segment in segments_of(tile)
    }
    for f in position.figures:
        if f.figure == Figure.BARN:
            yield from wrong_barn(position, f)
            continue
        kind = kinds.get((f.x, f.y, f.spot))
        if kind is None:
            yield f"{f} stands on no segment"
        elif kind not in MAY_STAND[f.figure]:
            yield f"{f} stands on a {kind.name}"
    start, last = position.tiles[0], position.tiles[-1]
    # TURN-03, BASE-06: one figure for each tile that is placed, and on that tile. A wagon may
    # have moved there later.
    placed = Counter((f.x, f.y) for f in position.figures if f.figure != Figure.WAGON)
    for (x, y), n in placed.items():
        if n > 1:
            yield f"{n} figures stand on the tile at {(x, y)}"
        if (x, y) == (start.x, start.y):
            yield "a figure stands on the start tile"
    if position.phase == Phase.ACTION:
        if any((f.x, f.y) == (last.x, last.y) for f in position.figures):
            yield "a figure stands on the tile just placed before the figure action"


def wrong_barn(position: Position, barn: PlacedFigure) -> Iterator[str]:
    """Check that a barn stands where four tiles show nothing but field (BARN-03, ABB-17)."""
    if barn.spot not in CORNERS:
        yield f"{barn} stands at no corner"
        return
    field_corners = {
        (segment.x, segment.y, corner)
        for tile in position.tiles
        for segment in segments_of(tile)
        for corner in segment.corners
    }
    if not point(barn.x, barn.y, barn.spot) <= field_corners:
        yield f"{barn} stands at a corner that is not open field"


def wrong_abbeys(position: Position) -> Iterator[str]:
    """More or fewer abbeys than one for each player, or one that does not fill a hole."""
    laid = [tile for tile in position.tiles if tile.tile == ABBEY]
    n_players = position.rules.n_players if position.rules.abbeys else 0
    if len(laid) + sum(position.abbeys) != n_players:  # ABB-01
        yield f"{len(laid)} abbeys on the board and {position.abbeys} in hand"
    if any(n not in (0, 1) for n in position.abbeys):  # ABB-06
        yield f"{position.abbeys} abbeys in hand"
    for tile in laid:
        if len(list(side_neighbours(position, tile.x, tile.y))) < 4:  # ABB-03
            yield f"{tile} does not fill a hole"


def unscored(position: Position) -> Iterator[str]:
    """Complete features with meeples, unless the tile just placed has completed them (BASE-18).

    Likewise farmers beside a barn, unless it has joined them (BARN-16, BARN-18).
    """
    last = position.tiles[-1]
    acts = position.phase == Phase.ACTION
    due = completed(position) if acts else []
    for feature in features(position):
        if feature.is_complete and feature.meeples and feature not in due:
            yield f"a complete {feature.kind.name} still holds {feature.meeples}"
        is_joined = acts and (last.x, last.y) in feature.tiles
        if feature.barns and feature.meeples and not is_joined:
            yield f"{feature.meeples} share a field with {feature.barns}"


def wrong_wagons(position: Position) -> Iterator[str]:
    """Contradictions about the wagons that wait for their moves."""
    moves = position.phase in (Phase.WAGON, Phase.WAGON_SPOT)
    if moves != bool(position.wagons):
        yield f"{len(position.wagons)} wagons wait in phase {position.phase.name}"
    if position.wagons != in_turn(position, position.wagons):  # WAG-11
        yield f"{position.wagons} wait in the wrong order"
    for seat, n in Counter(wagon.seat for wagon in position.wagons).items():
        if n > supply(position, seat)[Figure.WAGON]:
            yield f"seat {seat} has {n} wagons that wait and more on the board"
    found = features(position) if position.wagons else []
    for wagon in position.wagons:
        if wagon.figure != Figure.WAGON:
            yield f"{wagon} waits among the wagons"
        place = (wagon.x, wagon.y, wagon.spot)
        stood = next((feature for feature in found if place in feature.segments), None)
        if stood is None or stood.kind not in MAY_STAND[Figure.WAGON]:
            yield f"{wagon} stood on nothing for wagons"
            return
        if not stood.is_complete or stood.meeples:  # WAG-04, BASE-18
            yield f"{wagon} waits, but its feature was not scored"
            return
    if moves and position.wagons:
        targets = wagon_targets(position, position.wagons[0])
        if not targets:  # WAG-10
            yield f"{position.wagons[0]} has nowhere to go"
        cells = {(x, y) for x, y, _ in targets}
        if position.phase == Phase.WAGON_SPOT and position.wagon_target not in cells:
            yield f"{position.wagons[0]} cannot go to {position.wagon_target}"
    if position.phase != Phase.WAGON_SPOT and position.wagon_target is not None:
        yield f"a wagon goes to {position.wagon_target} in phase {position.phase.name}"


def wrong_turn(position: Position) -> Iterator[str]:
    """Contradictions about whose turn it is and what is to be decided."""
    for name in ("turn_player", "decider"):
        if not 0 <= getattr(position, name) < position.rules.n_players:
            yield f"{name} is {getattr(position, name)}"
            return
    decider = position.wagons[0].seat if position.wagons else position.turn_player  # WAG-11
    if position.phase != Phase.GAME_OVER and position.decider != decider:
        yield f"seat {position.decider} decides in the turn of seat {position.turn_player}"
    if min(position.scores) < 0:
        yield f"the scores are {position.scores}"
    if position.phase != Phase.PLACE_TILE and position.tile_in_hand is not None:
        yield f"{position.tile_in_hand} is in hand in phase {position.phase.name}"
    if (
        position.phase == Phase.PLACE_TILE
        and position.rules.auto_single
        and position.tile_in_hand is not None
        and not placements(position, position.tile_in_hand)
    ):
        yield f"{position.tile_in_hand} fits nowhere and should be aside"  # BASE-05
    if position.phase == Phase.DRAW_OR_ABBEY and not abbey_places(position):  # ABB-05, ABB-06
        yield f"seat {position.decider} can place no abbey"
    if has_placed(position) and len(position.tiles) == 1:
        yield f"nothing but the start tile lies there in phase {position.phase.name}"
    if position.phase == Phase.GAME_OVER and position.bag:  # BASE-22
        yield f"the game is over with {len(position.bag)} tiles in the bag"
    if position.last_round is not None:
        yield from wrong_last_round(position)


def has_placed(position: Position) -> bool:
    """Tell whether the turn player has placed the tile of this turn."""
    return position.phase in (Phase.ACTION, Phase.WAGON, Phase.WAGON_SPOT)


def wrong_last_round(position: Position) -> Iterator[str]:
    """Contradictions in the round of abbeys (ABB-20)."""
    rules = position.rules
    if not rules.abbeys or rules.abbey_endgame == "none":
        yield "there is no last round in this game"
    if not 0 <= (position.last_round or 0) < rules.n_players:  # ABB-23
        yield f"{position.last_round} seats are still to be asked"
    if position.bag or position.phase == Phase.PLACE_TILE:
        yield "the last round has begun with land tiles left"
    if has_placed(position) and position.tiles[-1].tile != ABBEY:
        yield f"{position.tiles[-1]} was placed in the last round"


def order_problems(position: Position) -> list[str]:
    """Say what contradicts the order of the tiles, for positions that come from play.

    Each tile has to fit onto the board before it, inside the view of that moment; and a figure
    belongs to the seat that placed its tile, for the seats take turns without exception (BASE-03,
    BASE-05, BASE-06, ABB-02). A barn is written as a corner of the tile it was placed with.
    """
    found = []
    for i, tile in enumerate(position.tiles[1:], start=1):
        before = replace(position, tiles=position.tiles[:i])
        if (tile.x, tile.y, tile.rotation) not in placements(before, tile.tile):
            found.append(f"{tile} could not be placed as tile {i}")
    if position.phase == Phase.GAME_OVER or position.last_round is not None:
        return found  # Who had the last turn of the normal game is not told.
    n_players, n_tiles = position.rules.n_players, len(position.tiles)
    next_to_place = position.turn_player + (1 if has_placed(position) else 0)
    placed_by = {
        (tile.x, tile.y): (next_to_place - (n_tiles - i)) % n_players
        for i, tile in enumerate(position.tiles)
    }
    for figure in position.figures:
        if figure.figure == Figure.WAGON:
            continue  # It may have moved.
        if placed_by.get((figure.x, figure.y)) != figure.seat:
            found.append(f"{figure} stands on a tile that another seat has placed")
    for tile in position.tiles:
        if tile.tile == ABBEY and has_abbey(position, placed_by[tile.x, tile.y]):
            found.append(f"{tile} was placed by a seat that has its abbey in hand")
    return found
