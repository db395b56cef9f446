"""A second, slow implementation of the base game, gardens, abbots and the expansions.

The code follows docs/rules alone and cites the ids of its rules.

It shares no rule code with the engine. Every function starts from a :class:`Position`, finds all
features from scratch and counts them; only results needed repeatedly for one position are cached.
This package is about a thousand times slower than the kernels. That is intended, because it is the
reference that they are compared with.

The sections are, in order: points and majorities, legal placements, the figure action, and scoring.
``tiles`` holds the tile facts. ``board`` holds the features, including bridges, castles and trade
goods on the board. Their rules have modules of their own: ``bridges``, ``castles`` and ``goods``.
So do ``bazaars``, ``builders``, ``king_robber``, ``shrines``, ``wagons``, ``gold``, the ``count``
and the ``river``. ``turns`` combines all modules into turns, and ``problems`` lists what is
impossible in a position.

A new set adds rows to the tables ``MAY_STAND``, ``STRENGTH`` and ``POINTS``, attributes to
``tiles.Segment`` and choices to :func:`choices`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from typing import Literal, NamedTuple

from carc_env.engine.core.codes import Figure, Kind, Phase, Spot
from carc_env.position import PlacedFigure, PlacedTile, Position
from carc_env.rules import Rules

from . import (
    darmstadt,
    dragon,
    gold,
    goods,
    hills,
    king_robber,
    labyrinth,
    little_buildings,
    mage_witch,
    monasteries,
    river,
    russian_promos,
    shrines,
    siege,
)
from .board import MEEPLES, Feature, completed, feature_at, features, occupied_cells, surroundings
from .tiles import ABBEY, FACTS, OPPOSITE, SIDES, Cell, Place, across, edge, is_of_carcassonne

#: Usable coordinates: the table is 64 x 64 with the start at index 32 and an empty frame.
FIRST_COORDINATE, LAST_COORDINATE = 1 - 32, 62 - 32

FigureChoice = tuple[Figure, Spot]
#: What a player can do in the figure action: place, take the abbot back, or nothing.
Choice = FigureChoice | Literal["recall"] | None

#: Features that each figure may stand on (docs/rules/figures.md). Abbeys are monasteries (ABB-07,
#: ABB-15, ABB-21).
MAY_STAND = {
    Figure.MEEPLE: {Kind.FIELD, Kind.ROAD, Kind.CITY, Kind.MONASTERY},  # GAR-01: no garden
    Figure.LARGE: {Kind.FIELD, Kind.ROAD, Kind.CITY, Kind.MONASTERY},  # INN-01
    Figure.ABBOT: {Kind.MONASTERY, Kind.GARDEN},  # ABT-03
    Figure.MAYOR: {Kind.CITY},  # MAY-02
    Figure.WAGON: {Kind.ROAD, Kind.CITY, Kind.MONASTERY},  # WAG-02, WAG-03
    Figure.PHANTOM: {Kind.FIELD, Kind.ROAD, Kind.CITY, Kind.MONASTERY},  # PHA-05, PHA-12
    Figure.BARN: {Kind.FIELD},  # BARN-03: at a corner; all other figures stand on segments
    Figure.BUILDER: {Kind.ROAD, Kind.CITY},  # TRA-05
    Figure.PIG: {Kind.FIELD},  # TRA-12
    Figure.SHEPHERD: {Kind.FIELD},  # HS-25
}
for _kinds in MAY_STAND.values():
    if Kind.MONASTERY in _kinds:
        _kinds.add(Kind.LINES)  # MON-03, MON-13: lying

#: Strength of each meeple in a majority (BASE-16, INN-01, ABT-17, WAG-01); for the mayor see
#: :func:`strength`.
STRENGTH = {
    Figure.MEEPLE: 1,
    Figure.LARGE: 2,
    Figure.ABBOT: 1,
    Figure.WAGON: 1,
    Figure.PHANTOM: 1,  # PHA-05
}

#: Points per complete city of a field: for farmers at the end or when a barn is placed on their
#: field (BASE-24, BARN-10), for farmers joined to a barn (BARN-17), and for a barn at the end
#: (BARN-20). A castle scores 1 more (CAS-28, BARN-23).
FARMERS_PER_CITY, JOINED_PER_CITY, BARN_PER_CITY = 3, 1, 4


# --- Points and majorities ----------------------------------------------------------------------


def counts_extra(position: Position, feature: Feature) -> bool:
    """Return whether the inn or cathedral of a feature counts.

    The inn of The River II can count without Inns & Cathedrals (RIV2-09).
    """
    if position.rules.inns:
        return feature.has_extra
    return feature.has_river_inn and not position.rules.river_inn_needs_inns


def road_points(position: Position, feature: Feature) -> int:
    """Return the points of a road: 1 per tile, complete or not (BASE-11, BASE-23).

    Each tile counts once (BASE-15). With an inn, a complete road scores 2 per tile (INN-02) and an
    incomplete road scores nothing (INN-03).
    """
    if counts_extra(position, feature):
        return 2 * len(feature.tiles) if feature.is_complete else 0
    return len(feature.tiles)


def city_points(position: Position, feature: Feature) -> int:
    """Return the points of a city (BASE-12, BASE-13, BASE-23).

    Under the older rule, a complete city of two tiles does not score double. With a cathedral, a
    complete city scores 3 per tile and coat of arms, and an incomplete city nothing (INN-04). A
    besieged city scores less (SIE-03).
    """
    n_tiles = len(feature.tiles)
    less = siege.points_lost(position, feature)
    if counts_extra(position, feature):
        return 3 * n_tiles + 3 * feature.coats - less if feature.is_complete else 0
    is_small = n_tiles == 2 and position.rules.small_city_points == 2
    if is_small or not feature.is_complete:
        return n_tiles + feature.coats - less
    return 2 * n_tiles + 2 * feature.coats - less


def surrounded_points(position: Position, feature: Feature) -> int:
    """Return the points of a monastery, garden or hut (BASE-14, BASE-23, GAR-04).

    A complete monastery or garden scores 9 because all nine cells are occupied.
    """
    ((x, y),) = feature.tiles
    if russian_promos.is_hut(position, (x, y)):
        return russian_promos.hut_points(position, (x, y))
    return surroundings(position, x, y)


def monastery_points(position: Position, feature: Feature) -> int:
    """Return the points of a monastery, including vineyards if it is complete (HS-15)."""
    return surrounded_points(position, feature) + hills.vineyard_points(position, feature)


def castle_points(position: Position, feature: Feature) -> int:
    """Return 0 (CAS-25); ``castles`` scores what a castle takes from other features."""
    return 0


def field_worth(position: Position, feature: Feature, per_city: int, by_pigs: int = 0) -> int:
    """Return the points of a field for its complete cities, each once (BASE-24, BASE-25, ABB-12).

    Carcassonne is one of these cities (COU-21). Castles count too, scored or not (CAS-30). Besieged
    cities count double (SIE-06).
    """
    n_cities = sum(city.is_complete for city in feature.cities) + feature.is_below_walls
    n_castles = sum(city.kind == Kind.CASTLE for city in feature.cities)
    points = (per_city + by_pigs) * (n_cities + n_castles) + n_castles
    points += little_buildings.added(position, feature)  # LB-07, LB-09
    return points + siege.doubled(position, feature, per_city, by_pigs)


def herds_help(rules: Rules) -> bool:
    """Return whether the pig-herds of The River II and of Vodyanoy count.

    With ``pigherd_needs_traders``, they count only if pigs are in play.
    """
    is_there = "river2" in rules.sets or rules.russian_promos
    return is_there and (rules.pigs or not rules.pigherd_needs_traders)


def field_worth_to(position: Position, feature: Feature, per_city: int, seat: int) -> int:
    """Return the points that a field gives to a seat.

    The seat's own pig adds 1 for each city and castle (TRA-13, TRA-14, CAS-28), but not for barns
    (TRA-17). A pig-herd adds 1 as well (XPH-02).
    """
    by_herds = feature.has_herd * herds_help(position.rules)
    return field_worth(position, feature, per_city, feature.has(seat, Figure.PIG) + by_herds)


def barn_worth(position: Position, feature: Feature) -> int:
    """Return the points that a field gives to a barn at the end (BARN-20).

    Pig-herds count only under a house rule.
    """
    rules = position.rules
    helps = rules.house_pigherd_barn and herds_help(rules)  # HOUSE-05
    return field_worth(position, feature, BARN_PER_CITY + helps * feature.has_herd)


def field_points(position: Position, feature: Feature) -> int:
    """Return the points of the farmers at the end, ignoring pigs and barns (BASE-24)."""
    return field_worth(position, feature, FARMERS_PER_CITY)


POINTS: dict[Kind, Callable[[Position, Feature], int]] = {
    Kind.ROAD: road_points,
    Kind.CITY: city_points,
    Kind.MONASTERY: monastery_points,
    Kind.GARDEN: surrounded_points,
    Kind.CASTLE: castle_points,
    Kind.FIELD: field_points,
    Kind.LINES: monasteries.points,
}


def value(position: Position, feature: Feature, final: bool) -> int:
    """Return how many points a feature gives to its majority.

    During play (``final=False``), only complete features score. At the end, every feature scores,
    and a feature that is complete gets the points of a complete feature.
    """
    if not final and not feature.is_complete:
        return 0
    points = POINTS[feature.kind](position, feature) + darmstadt.of_darmstadtium(position, feature)
    if feature.kind == Kind.FIELD:
        return points
    if feature.kind in (Kind.ROAD, Kind.CITY):
        bonus = labyrinth.bonus(position, feature)
        if position.rules.witch_halves_labyrinth:  # MW-12
            points = mage_witch.changed(position, feature, points + bonus)
        else:
            points = mage_witch.changed(position, feature, points) + bonus
    return points + little_buildings.added(position, feature)  # LB-06


def value_to(position: Position, feature: Feature, seat: int, final: bool) -> int:
    """Return how many points a feature gives to a seat with the majority (TRA-13)."""
    if feature.kind == Kind.FIELD and final:
        has_come_late = position.leaves_last and bool(feature.barns)  # XCK-07
        per_city = JOINED_PER_CITY if has_come_late else FARMERS_PER_CITY
        return field_worth_to(position, feature, per_city, seat)
    return value(position, feature, final)


def strength(figure: PlacedFigure, feature: Feature) -> int:
    """Return a meeple's strength in a feature; a mayor has the coats of the city (MAY-05)."""
    if figure.figure == Figure.MAYOR:
        return feature.coats
    return STRENGTH[figure.figure]


def majority(feature: Feature) -> list[int]:
    """List the seats that get the points: the strongest, all of them in a tie (BASE-17).

    A seat with strength 0 gets nothing, even if it is alone (MAY-09 to MAY-11). Hills break ties
    (HS-03).
    """
    total: Counter[int] = Counter()
    for figure in feature.meeples:
        total[figure.seat] += strength(figure, feature)
    tied = sorted(seat for seat, n in total.items() if n == max(total.values()) and n > 0)
    fighters = [figure for figure in feature.meeples if strength(figure, feature) > 0]
    if feature.kind == Kind.LINES:
        return tied  # MON-15
    return hills.winners_of_tie(feature, tied, fighters)


def paid(position: Position, scored: Iterable[Feature], final: bool) -> tuple[int, ...]:
    """Return the scores after these features pay their majorities (BASE-16, BASE-17)."""
    scores = list(position.scores)
    for feature in scored:
        for seat in majority(feature):
            scores[seat] += value_to(position, feature, seat, final)
        if feature.kind not in (Kind.CASTLE, Kind.LINES):  # PD-39, MON-15
            for seat, points in dragon.for_feature(position, feature).items():
                scores[seat] += points
    return tuple(scores)


# --- Legal placements ---------------------------------------------------------------------------


def window(position: Position) -> tuple[int, int]:
    """Return the first column and row of the view, which is centred on the board's bounding box."""
    xs = [tile.x for tile in position.tiles]
    ys = [tile.y for tile in position.tiles]
    half = position.rules.view // 2
    return (min(xs) + max(xs) + 1) // 2 - half, (min(ys) + max(ys) + 1) // 2 - half


def table(position: Position) -> tuple[range, range]:
    """Return the columns and rows that are in the view and on the table of 64 x 64 cells.

    Real tables are larger.
    """
    size = position.rules.view
    columns, rows = (
        range(max(first, FIRST_COORDINATE), min(first + size, LAST_COORDINATE + 1))
        for first in window(position)
    )
    return columns, rows


def is_on_table(position: Position, x: int, y: int) -> bool:
    """Return whether a cell is on the table and in the view."""
    columns, rows = table(position)
    return x in columns and y in rows


def side_neighbours(position: Position, x: int, y: int) -> Iterator[tuple[str, PlacedTile]]:
    """Yield the tiles next to a cell, each with the side of the cell that it touches."""
    beside = {across(x, y, side)[:2]: side for side in SIDES}
    for tile in position.tiles:
        if (tile.x, tile.y) in beside:
            yield beside[tile.x, tile.y], tile


def fits(position: Position, tile: PlacedTile) -> bool:
    """Return whether a tile touches the board and all touching edges match (BASE-04)."""
    neighbours = list(side_neighbours(position, tile.x, tile.y))
    return bool(neighbours) and all(
        matches(tile, side, neighbour) for side, neighbour in neighbours
    )


def matches(tile: PlacedTile, side: str, neighbour: PlacedTile) -> bool:
    """Return whether two tiles match where they touch; an abbey matches everything (ABB-04)."""
    return ABBEY in (tile.tile, neighbour.tile) or (
        edge(tile, side) == edge(neighbour, OPPOSITE[side])
    )


def holes(position: Position) -> set[Cell]:
    """Return the empty cells with tiles on all four sides (ABB-03), no matter who has an abbey."""
    occupied = occupied_cells(position)
    beside = {across(x, y, side)[:2] for x, y in occupied for side in SIDES} - occupied
    return {(x, y) for x, y in beside if {across(x, y, side)[:2] for side in SIDES} <= occupied}


def abbey_places(position: Position) -> set[Cell]:
    """Return where the decider may place an abbey.

    The result is empty outside ``Phase.DRAW_OR_ABBEY`` (ABB-02), without a hole (ABB-05) or if the
    decider has no abbey left (ABB-06).
    """
    if position.phase != Phase.DRAW_OR_ABBEY or not has_abbey(position, position.decider):
        return set()
    return abbey_cells(position)


def abbey_cells(position: Position) -> set[Cell]:
    """Return the holes where shrines and the river allow an abbey, regardless of who has one."""
    if position.rules.abbey_during_river == "forbid" and river.is_being_laid(position):  # RIV2-15
        return set()
    return {cell for cell in holes(position) if shrines.keeps_apart(position, ABBEY, cell)}


def has_abbey(position: Position, seat: int) -> bool:
    """Return whether a seat has its abbey in hand."""
    return bool(position.abbeys) and position.abbeys[seat] > 0


def placements(position: Position, tile_id: str) -> set[tuple[int, int, int]]:
    """Return every (x, y, rotation) where the tile may be placed, symmetric ones once (BASE-04).

    These are the placements without a bridge; for the others see :func:`bridges.all_placements`.
    """
    if tile_id == ABBEY:
        return {(x, y, 0) for x, y in abbey_cells(position)}
    found = spaces(position, tile_id)
    cells = {(tile.x, tile.y) for tile in found}
    beside = {cell: list(side_neighbours(position, *cell)) for cell in cells}
    return {
        (tile.x, tile.y, tile.rotation)
        for tile in found
        if all(matches(tile, side, neighbour) for side, neighbour in beside[tile.x, tile.y])
    }


def spaces(position: Position, tile_id: str) -> list[PlacedTile]:
    """List the ways to put a tile next to the board, without matching edges.

    A river must still continue (BASE-41). Shrines and monasteries restrict each other (CULT-03).
    """
    occupied = occupied_cells(position)
    cells = {across(x, y, side)[:2] for x, y in occupied for side in SIDES} - occupied
    columns, rows = table(position)
    return [
        PlacedTile(tile_id, x, y, rotation)
        for x, y in cells
        if x in columns and y in rows
        if shrines.keeps_apart(position, tile_id, (x, y))
        for rotation in range(FACTS[tile_id]["rot"])
        if river.goes_on(position, PlacedTile(tile_id, x, y, rotation))
    ]


# --- The figure action --------------------------------------------------------------------------


def all_figures(rules: Rules) -> dict[Figure, int]:
    """Return how many figures each player owns, placed or not (BASE-01, INN-01, ABT-01, ...)."""
    return {
        Figure.MEEPLE: 7,
        Figure.LARGE: int(rules.large_meeples),
        Figure.ABBOT: int(rules.abbot),
        Figure.MAYOR: int(rules.mayors),
        Figure.WAGON: int(rules.wagons),
        Figure.PHANTOM: int(rules.phantom),
        Figure.BARN: int(rules.barns),
        Figure.BUILDER: int(rules.builders),
        Figure.PIG: int(rules.pigs),
        Figure.SHEPHERD: int(rules.shepherds),
    }


def supply(position: Position, seat: int) -> dict[Figure, int]:
    """Return how many figures of each kind a player has in supply.

    Figures on the board, on towers, in prison (TOW-11), in Carcassonne (COU-04) and in traps are
    not in supply. A wagon that waits for its move is.
    """
    away = (*position.figures, *position.towers, *position.prisoners, *position.waiting)
    away += position.trapped
    on_board = Counter(figure.figure for figure in away if figure.seat == seat)
    return {figure: n - on_board[figure] for figure, n in all_figures(position.rules).items()}


def figure_choices(position: Position) -> set[FigureChoice]:
    """Return the figures that the decider may put on the tile just placed, with their spots.

    The result is empty outside ``Phase.FIGURE``.
    """
    if position.phase != Phase.FIGURE:
        return set()
    placed = position.tiles[-1]
    here = (placed.x, placed.y)
    in_supply = supply(position, position.decider)
    on_segments = {
        (figure, spot)
        for feature in features(position)
        if not feature.barns  # BARN-16
        for x, y, spot in feature.segments
        if (x, y) == here
        # BASE-06, ABT-04, MAY-02: no meeple of any player is on the feature.
        if labyrinth.is_free(position, feature, (x, y, spot))
        for figure, kinds in MAY_STAND.items()
        if figure in MEEPLES and feature.kind in kinds and in_supply[figure] > 0  # BASE-09
    }
    on_corners = {
        (Figure.BARN, corner)
        for feature in features(position)
        if not feature.barns  # BARN-07; BARN-06, BARN-27: farmers do not prevent a barn.
        for x, y, corner in feature.corners
        if (x, y) == here  # BARN-26
        if takes_barn(position, point(x, y, corner), feature.corners)  # BARN-03, BARN-05
        if in_supply[Figure.BARN] > 0
    }
    beside_own = {
        (figure, spot)
        for feature in features(position)
        if feature.has(position.decider, *MEEPLES)  # TRA-05, TRA-12, TRA-16, MAY-15
        for x, y, spot in feature.segments
        if (x, y) == here
        for figure in (Figure.BUILDER, Figure.PIG)
        if feature.kind in MAY_STAND[figure] and in_supply[figure] > 0
    }
    in_fields = {
        (Figure.SHEPHERD, spot)
        for feature in features(position)
        if feature.kind == Kind.FIELD and not hills.has_shepherd(feature)  # HS-27
        for x, y, spot in feature.segments
        if (x, y) == here and in_supply[Figure.SHEPHERD] > 0
    }
    if dragon.bars_meeples(position):  # PD-03 to PD-05, XPD-02
        return on_corners
    return on_segments | on_corners | beside_own | in_fields


def takes_barn(position: Position, corners: set[Place], of_field: Collection[Place]) -> bool:
    """Return whether all corners at a point belong to a field and none to Carcassonne (XCK-03)."""
    if not corners <= set(of_field):
        return False
    at_corners = {(x, y) for x, y, _ in corners}
    touched = (t.tile for t in position.tiles if (t.x, t.y) in at_corners)
    return position.rules.block_buildable or not any(map(is_of_carcassonne, touched))


def point(x: int, y: int, corner: Spot) -> set[Place]:
    """Return the four tile corners that meet at the point of one corner, including itself."""
    east, south = corner in (Spot.NE, Spot.SE), corner in (Spot.SE, Spot.SW)
    x, y = x + east, y + south  # The tile that has the point as its north-west corner.
    return {(x, y, Spot.NW), (x - 1, y, Spot.NE), (x - 1, y - 1, Spot.SE), (x, y - 1, Spot.SW)}


def abbot_of(position: Position, seat: int) -> PlacedFigure | None:
    """Return a seat's abbot if it is on the board."""
    for figure in position.figures:
        if figure.seat == seat and figure.figure == Figure.ABBOT:
            return figure
    return None


def recall_value(position: Position, seat: int) -> int | None:
    """Return the points for recalling the abbot now (ABT-06), ``None`` if it is not offered."""
    abbot = abbot_of(position, seat)
    if position.phase != Phase.FIGURE or position.decider != seat or abbot is None:
        return None
    rules = position.rules
    if (abbot.x, abbot.y) == position.first_part and rules.abbot_recall_second_part == "forbid":
        return None  # ABT-21
    if abbot.spot == Spot.lying and rules.abbot_recall_lying == "forbid":  # XGM-04
        return None
    place = feature_at(position, abbot.x, abbot.y, Spot.mid)
    if place.is_complete and rules.abbot_recall_completed == "forbid":  # ABT-14
        return None
    return surrounded_points(position, place)


def choices(position: Position) -> set[Choice]:
    """Return all choices of the decider in ``Phase.FIGURE``, including ``None`` (BASE-09).

    For bridges see :func:`bridges.optional`.
    """
    if position.phase != Phase.FIGURE:
        return set()
    offered: set[Choice] = {None, *figure_choices(position)}
    if recall_value(position, position.decider) is not None:
        offered.add("recall")
    return offered


def acted(position: Position, choice: Choice) -> Position:
    """Take the figure action without scoring the turn; raise ``ValueError`` if it is illegal."""
    if choice not in choices(position):
        raise ValueError(f"{choice!r} is not allowed here")
    seat, placed = position.decider, position.tiles[-1]
    if choice is None:
        return position
    if choice == "recall":  # ABT-10: scored now, before step 3; ABT-11: only the abbot.
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
    """The result of step 3 of a turn."""

    scores: tuple[int, ...]
    figures: tuple[PlacedFigure, ...]
    """Figures still on the board."""
    wagons: tuple[PlacedFigure, ...]
    """Scored wagons at their last places, in the order in which their owners decide (WAG-11)."""
    earners: set[int]
    """Seats that got points for features or fields; fairy points do not count (COU-04)."""


def score_turn(position: Position) -> Outcome:
    """Do step 3, after the figure action: score complete features and barn fields (BARN-13).

    ``goods`` collects the goods; then ``castles`` scores the castles.
    """
    scored = completed(position)
    fields = barn_fields(position)
    scores = list(paid(position, scored, final=False))
    earned = [(seat, value(position, f, False)) for f in scored for seat in majority(f)]
    for field, per_city in fields:
        for seat in majority(field):
            points = field_worth_to(position, field, per_city, seat)
            scores[seat] += points  # BARN-14, TRA-18
            # XCK-04: opponents' points for a connection do not count under a switch.
            counts = position.rules.count_on_connection or per_city != JOINED_PER_CITY
            earned += [(seat, points)] if counts or seat == position.turn_player else []
        for seat, points in dragon.for_feature(position, field).items():
            scores[seat] += points
    for seat in darmstadt.of_churches(position, scored):
        scores[seat] += darmstadt.POINTS
        if not position.rules.count_ignores_church:  # DAR-09
            earned.append((seat, darmstadt.POINTS))
    home = [figure for feature in scored for figure in feature.passing]  # BASE-18, MAY-12, TRA-06
    home += [figure for field, _ in fields for figure in field.passing]  # BARN-12, 18, TRA-14
    lost = shrines.losers(position, scored)
    home += lost if position.rules.challenge_loser_wagon else []  # CULT-19
    return Outcome(
        scores=tuple(scores),
        figures=tuple(figure for figure in position.figures if figure not in [*home, *lost]),
        wagons=in_turn(position, [f for f in home if f.figure == Figure.WAGON]),
        earners={seat for seat, points in earned if points > 0},
    )


def barn_fields(position: Position) -> list[tuple[Feature, int]]:
    """List the fields to score now because of barns, with the points per complete city.

    Farmers and a barn share a field only until the end of the turn. Either the barn was placed this
    turn: then it is on the tile just placed, and the field had no other barn (BARN-10). Or the tile
    joined farmers to a barn (BARN-17, BARN-19).
    """
    last = position.tiles[-1]
    shared = [f for f in features(position) if f.barns and f.meeples]
    return [
        (field, FARMERS_PER_CITY if is_new else JOINED_PER_CITY)
        for field in shared
        for is_new in [any((barn.x, barn.y) == (last.x, last.y) for barn in field.barns)]
    ]


def in_turn(position: Position, figures: Iterable[PlacedFigure]) -> tuple[PlacedFigure, ...]:
    """Sort figures by owner, clockwise from the turn player."""
    n_players = position.rules.n_players
    return tuple(sorted(figures, key=lambda f: (f.seat - position.turn_player) % n_players))


def after(position: Position, choice: Choice) -> Outcome:
    """Return the result of a choice and of step 3 of the turn, before wagons move."""
    return score_turn(acted(position, choice))


def final_scores(position: Position) -> tuple[int, ...]:
    """Return ``position.scores`` plus the final scoring: figures on the board, goods, markers.

    Do not call this for a finished game, because its scores already include the final scoring.
    """
    everything = features(position)
    scores = list(paid(position, everything, final=True))  # MAY-13: the usual majorities.
    for field in everything:
        for barn in field.barns:  # BARN-20; BARN-21: each barn scores in full.
            scores[barn.seat] += barn_worth(position, field)
    extras = goods.points(position), king_robber.points(position), gold.points(position)
    totals = tuple(map(sum, zip(scores, *extras, strict=True)))
    return russian_promos.without_lost(position, totals)


def projected_scores(position: Position) -> tuple[int, ...]:
    """Return the scores if the game ended now, with all figures where they are.

    Farmers that share a field with a barn until the end of this turn count like other farmers.
    """
    return final_scores(position)


def winners(scores: tuple[int, ...]) -> list[int]:
    """List all seats with the most points (BASE-28)."""
    return [seat for seat, score in enumerate(scores) if score == max(scores)]
