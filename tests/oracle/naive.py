"""The rules of the base game with gardens and abbots, read once more, slowly, from RULES.md alone.

Nothing here comes from the engine: every function starts from a :class:`Position`, floods all
features from scratch, counts them and forgets them. That is some thousand times slower than the
kernels and is meant to be: this file is what they are compared with.

In order: the tile facts, features, what they are worth and to whom, where a tile may lie, the
figure action, scoring, and what cannot be true of a position. A later set adds rows to the tables
``MAY_STAND``, ``STRENGTH`` and ``POINTS``, attributes to :class:`Segment` and choices to
:func:`choices`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

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

Cell = tuple[int, int]
FigureChoice = tuple[Figure, Spot]
#: What a player can do in the figure action: place, take the abbot back, or nothing.
Choice = FigureChoice | Literal["recall"] | None

#: RULES 26: who may stand where.
MAY_STAND = {
    Figure.MEEPLE: {Kind.FIELD, Kind.ROAD, Kind.CITY, Kind.MONASTERY},  # GAR-01: no garden
    Figure.ABBOT: {Kind.MONASTERY, Kind.GARDEN},  # ABT-03
}

#: BASE-16, ABT-17: what a figure counts in a majority.
STRENGTH = {Figure.MEEPLE: 1, Figure.ABBOT: 1}


# --- Tile facts ---------------------------------------------------------------------------------

#: The facts of ``tiles.json`` by tile id, unchanged.
FACTS: dict[str, dict[str, Any]] = {
    tile["id"]: tile for tile in json.loads(TILES_JSON.read_text(encoding="utf-8"))["tiles"]
}


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
    """Tell the letter of the edge kind that a placed tile shows on a side of the board."""
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


def tile_counts(rules: Rules) -> dict[str, int]:
    """Count the copies of each tile that the game is played with, the start tile included."""
    counts = {
        name: facts["n"][rules.tile_column]
        for name, facts in FACTS.items()
        if facts["set"] in rules.sets
    }
    return {name: n for name, n in counts.items() if n}


# --- Features -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Feature:
    """A connected road, city or field, or one monastery or garden."""

    kind: Kind
    segments: frozenset[tuple[int, int, Spot]]
    tiles: frozenset[Cell]
    coats: int
    is_complete: bool
    """Fields never are."""
    figures: tuple[PlacedFigure, ...]
    cities: frozenset[Feature]
    """Of a field: the cities it touches (BASE-26); empty for all others."""


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
    left = [segment for tile in position.tiles for segment in segments_of(tile)]
    left.sort(key=lambda segment: segment.kind == Kind.FIELD)
    touching = {(s.kind, s.x, s.y, link): s for s in left for link in s.at}
    found: list[Feature] = []
    city_at: dict[tuple[int, int, Spot], Feature] = {}
    while left:
        flooded = {left[0]}
        rim = [left[0]]
        while rim:
            segment = rim.pop()
            for link in segment.at:
                beyond = touching.get((segment.kind, *across(segment.x, segment.y, link)))
                if beyond is not None and beyond not in flooded:
                    flooded.add(beyond)
                    rim.append(beyond)
        left = [segment for segment in left if segment not in flooded]
        feature = gathered(position, flooded, city_at)
        found.append(feature)
        if feature.kind == Kind.CITY:
            city_at.update((place, feature) for place in feature.segments)
    return found


def gathered(
    position: Position,
    flooded: set[Segment],
    city_at: dict[tuple[int, int, Spot], Feature],
) -> Feature:
    """Make the feature that consists of these segments; cities must be known before fields."""
    (kind,) = {segment.kind for segment in flooded}
    places = frozenset((segment.x, segment.y, segment.spot) for segment in flooded)
    return Feature(
        kind=kind,
        segments=places,
        tiles=frozenset((segment.x, segment.y) for segment in flooded),
        coats=sum(segment.coats for segment in flooded),
        is_complete=is_closed(position, kind, flooded),
        figures=tuple(f for f in position.figures if (f.x, f.y, f.spot) in places),
        cities=frozenset(
            city_at[segment.x, segment.y, spot] for segment in flooded for spot in segment.cities
        ),
    )


def is_closed(position: Position, kind: Kind, flooded: set[Segment]) -> bool:
    """Tell if no side is open (roads, cities) or all neighbours are there (BASE-14, GAR-03)."""
    cells = occupied_cells(position)
    if kind in (Kind.MONASTERY, Kind.GARDEN):
        return all(around(segment.x, segment.y) <= cells for segment in flooded)
    if kind in (Kind.ROAD, Kind.CITY):
        beyond = {across(s.x, s.y, side)[:2] for s in flooded for side in s.at}
        return beyond <= cells
    return False  # BASE-20: a field is never complete.


def feature_at(position: Position, x: int, y: int, spot: Spot) -> Feature:
    """Find the feature that owns a spot; ``KeyError`` where the tile has no such segment."""
    for feature in features(position):
        if (x, y, spot) in feature.segments:
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


def field_points(position: Position, feature: Feature) -> int:
    """BASE-24, BASE-25: 3 for each complete city, each once."""
    return 3 * sum(city.is_complete for city in feature.cities)


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


def majority(feature: Feature) -> list[int]:
    """List the seats that get the points: the strongest, all of them in a tie (BASE-17)."""
    strength: Counter[int] = Counter()
    for figure in feature.figures:
        strength[figure.seat] += STRENGTH[figure.figure]
    return sorted(seat for seat, n in strength.items() if n == max(strength.values()))


def paid(position: Position, scored: Iterable[Feature], final: bool) -> tuple[int, ...]:
    """Add to the scores what these features pay (BASE-16, BASE-17)."""
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
    for tile in position.tiles:
        for side in SIDES:
            if across(x, y, side)[:2] == (tile.x, tile.y):
                yield side, tile


def fits(position: Position, tile: PlacedTile) -> bool:
    """Check BASE-04: some side touches the board, and all that touch show the same edge kind."""
    neighbours = list(side_neighbours(position, tile.x, tile.y))
    return bool(neighbours) and all(
        edge(tile, side) == edge(neighbour, OPPOSITE[side]) for side, neighbour in neighbours
    )


def placements(position: Position, tile_id: str) -> set[tuple[int, int, int]]:
    """List every (x, y, rotation) where the tile may be placed, symmetric rotations once."""
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
    """Count what each player owns, on the board and off it (BASE-01, ABT-01)."""
    return {Figure.MEEPLE: 7, Figure.ABBOT: 1 if rules.abbot else 0}


def supply(position: Position, seat: int) -> dict[Figure, int]:
    """Count what a player has left: what he owns less what stands on the board."""
    on_board = Counter(figure.figure for figure in position.figures if figure.seat == seat)
    return {figure: n - on_board[figure] for figure, n in all_figures(position.rules).items()}


def figure_choices(position: Position) -> set[FigureChoice]:
    """List what the decider may put on the tile just placed; empty outside ``Phase.ACTION``."""
    if position.phase != Phase.ACTION:
        return set()
    placed = position.tiles[-1]
    in_supply = supply(position, position.decider)
    return {
        (figure, spot)
        for feature in features(position)
        if not feature.figures  # BASE-06, ABT-04: nobody's figure stands anywhere on it.
        for x, y, spot in feature.segments
        if (x, y) == (placed.x, placed.y)
        for figure, kinds in MAY_STAND.items()
        if feature.kind in kinds and in_supply[figure] > 0  # BASE-09
    }


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


def completed(position: Position) -> list[Feature]:
    """List the features that the last tile has completed, occupied or not (BASE-19)."""
    last = position.tiles[-1]
    here = {(last.x, last.y)}
    reach = {
        Kind.ROAD: here,
        Kind.CITY: here,
        Kind.MONASTERY: here | around(last.x, last.y),
        Kind.GARDEN: here | around(last.x, last.y),
    }
    return [f for f in features(position) if f.is_complete and f.tiles & reach[f.kind]]


def score_turn(position: Position) -> tuple[tuple[int, ...], tuple[PlacedFigure, ...]]:
    """Do step 3, after the figure action; return the scores and the figures left on the board."""
    scored = completed(position)
    home = [figure for feature in scored for figure in feature.figures]  # BASE-18
    figures = tuple(figure for figure in position.figures if figure not in home)
    return paid(position, scored, final=False), figures


def after(position: Position, choice: Choice) -> tuple[tuple[int, ...], tuple[PlacedFigure, ...]]:
    """Act, do step 3 of the turn, and return the scores and the figures left on the board."""
    return score_turn(acted(position, choice))


def final_scores(position: Position) -> tuple[int, ...]:
    """Add to ``position.scores`` the final scoring of every figure that stands on the board.

    Not for a position of a finished game whose scores include the final scoring already.
    """
    return paid(position, features(position), final=True)


def projected_scores(position: Position) -> tuple[int, ...]:
    """Tell the scores if the game ended here, before anything more is placed or goes home."""
    return final_scores(position)


def winners(scores: tuple[int, ...]) -> list[int]:
    """List all seats with the most points (BASE-28)."""
    return [seat for seat, score in enumerate(scores) if score == max(scores)]


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
        *unscored(position),
        *wrong_turn(position),
    ]


def unreadable(position: Position) -> Iterator[str]:
    """Names and numbers outside their range, after which nothing else can be computed."""
    if not position.tiles:
        yield "no tile lies on the board"
    counts = tile_counts(position.rules)
    hand = [position.tile_in_hand] if position.tile_in_hand is not None else []
    names = [tile.tile for tile in position.tiles]
    for name in sorted({*names, *position.aside, *hand, *(position.bag or ())} - set(counts)):
        yield f"tile {name} is not part of this game"
    for tile in position.tiles:
        if tile.tile in counts and not 0 <= tile.rotation < FACTS[tile.tile]["rot"]:
            yield f"{tile} is turned by {tile.rotation}"
    for figure in position.figures:
        if figure.figure not in MAY_STAND or not 0 <= figure.seat < position.rules.n_players:
            yield f"{figure} belongs to nobody"
    if len(position.scores) != position.rules.n_players:
        yield f"{len(position.scores)} scores for {position.rules.n_players} seats"


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
            if side in "NE" and edge(tile, side) != edge(neighbour, OPPOSITE[side]):  # BASE-04
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
        kind = kinds.get((f.x, f.y, f.spot))
        if kind is None:
            yield f"{f} stands on no segment"
        elif kind not in MAY_STAND[f.figure]:
            yield f"{f} stands on a {kind.name}"
    start, last = position.tiles[0], position.tiles[-1]
    for (x, y), n in Counter((f.x, f.y) for f in position.figures).items():
        if n > 1:  # TURN-03, BASE-06: one figure for each tile that is placed, and on that tile.
            yield f"{n} figures stand on the tile at {(x, y)}"
        if (x, y) == (start.x, start.y):
            yield "a figure stands on the start tile"
        if (x, y) == (last.x, last.y) and position.phase == Phase.ACTION:
            yield "a figure stands on the tile just placed before the figure action"


def unscored(position: Position) -> Iterator[str]:
    """Complete features with figures, unless the tile just placed has completed them (BASE-18)."""
    due = completed(position) if position.phase == Phase.ACTION else []
    for feature in features(position):
        if feature.is_complete and feature.figures and feature not in due:
            yield f"a complete {feature.kind.name} still holds {feature.figures}"


def wrong_turn(position: Position) -> Iterator[str]:
    """Contradictions about whose turn it is and what is to be decided."""
    for name in ("turn_player", "decider"):
        if not 0 <= getattr(position, name) < position.rules.n_players:
            yield f"{name} is {getattr(position, name)}"
    if position.phase != Phase.GAME_OVER and position.decider != position.turn_player:
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
    if position.phase == Phase.ACTION and len(position.tiles) == 1:
        yield "nothing but the start tile lies there in phase ACTION"
    if position.phase == Phase.GAME_OVER and position.bag:  # BASE-22
        yield f"the game is over with {len(position.bag)} tiles in the bag"


def order_problems(position: Position) -> list[str]:
    """Say what contradicts the order of the tiles, for positions that come from play.

    Each tile has to fit onto the board before it, inside the view of that moment; and a figure
    belongs to the seat that placed its tile, for the seats take turns without exception (BASE-03,
    BASE-05, BASE-06).
    """
    found = []
    for i, tile in enumerate(position.tiles[1:], start=1):
        before = replace(position, tiles=position.tiles[:i])
        if (tile.x, tile.y, tile.rotation) not in placements(before, tile.tile):
            found.append(f"{tile} could not be placed as tile {i}")
    if position.phase == Phase.GAME_OVER:
        return found  # Who had the last turn is not told.
    n_players, n_tiles = position.rules.n_players, len(position.tiles)
    has_placed = position.phase == Phase.ACTION
    next_to_place = position.turn_player + (1 if has_placed else 0)
    placed_by = {
        (tile.x, tile.y): (next_to_place - (n_tiles - i)) % n_players
        for i, tile in enumerate(position.tiles)
    }
    for figure in position.figures:
        if placed_by.get((figure.x, figure.y)) != figure.seat:
            found.append(f"{figure} stands on a tile that another seat has placed")
    return found
