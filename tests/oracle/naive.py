"""The rules of the base game with gardens and abbots and of the expansions, read once more, slowly.

They come from docs/rules alone, whose ids stand at what they decide.

Nothing here comes from the engine: every function starts from a :class:`Position`, floods all
features from scratch, counts them and forgets them; what is asked for again and again about one
position is remembered for a while. That is some thousand times slower than the kernels and is meant
to be: this package is what they are compared with.

In order: what features are worth and to whom, where a tile may lie, the figure action, and scoring.
The tile facts are in ``tiles``, the features in ``board``, with all that bridges, castles and trade
goods are on a board; their rules are in modules of their own, ``bridges``, ``castles`` and
``goods``, and so are those of ``bazaars``, ``builders``, ``king_robber``, ``shrines``, ``wagons``,
``gold``, the ``count`` and the ``river``. ``turns`` puts them all in order, and ``problems`` tells
what cannot be true of a position.

A later set adds rows to the tables ``MAY_STAND``, ``STRENGTH`` and ``POINTS``, attributes to
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

#: docs/rules/figures.md: who may stand where; abbeys are monasteries (ABB-07, ABB-15, ABB-21).
MAY_STAND = {
    Figure.MEEPLE: {Kind.FIELD, Kind.ROAD, Kind.CITY, Kind.MONASTERY},  # GAR-01: no garden
    Figure.LARGE: {Kind.FIELD, Kind.ROAD, Kind.CITY, Kind.MONASTERY},  # INN-01
    Figure.ABBOT: {Kind.MONASTERY, Kind.GARDEN},  # ABT-03
    Figure.MAYOR: {Kind.CITY},  # MAY-02
    Figure.WAGON: {Kind.ROAD, Kind.CITY, Kind.MONASTERY},  # WAG-02, WAG-03
    Figure.PHANTOM: {Kind.FIELD, Kind.ROAD, Kind.CITY, Kind.MONASTERY},  # PHA-05, PHA-12
    Figure.BARN: {Kind.FIELD},  # BARN-03: at a corner, all others on segments
    Figure.BUILDER: {Kind.ROAD, Kind.CITY},  # TRA-05
    Figure.PIG: {Kind.FIELD},  # TRA-12
    Figure.SHEPHERD: {Kind.FIELD},  # HS-25
}
for _kinds in MAY_STAND.values():
    if Kind.MONASTERY in _kinds:
        _kinds.add(Kind.LINES)  # MON-03, MON-13: lying

#: BASE-16, INN-01, ABT-17, WAG-01: what a meeple counts in a majority; for the mayor see
#: :func:`strength`.
STRENGTH = {
    Figure.MEEPLE: 1,
    Figure.LARGE: 2,
    Figure.ABBOT: 1,
    Figure.WAGON: 1,
    Figure.PHANTOM: 1,  # PHA-05
}

#: What a complete city of a field is worth: to farmers at the end and when a barn comes to them
#: (BASE-24, BARN-10), to farmers joined to a barn (BARN-17), to a barn at the end (BARN-20). A
#: castle is worth 1 more (CAS-28, BARN-23).
FARMERS_PER_CITY, JOINED_PER_CITY, BARN_PER_CITY = 3, 1, 4


# --- What a feature is worth, and to whom -------------------------------------------------------


def counts_extra(position: Position, feature: Feature) -> bool:
    """Tell whether an inn or cathedral of a feature counts; that of The River II may do so alone.

    RIV2-09.
    """
    if position.rules.inns:
        return feature.has_extra
    return feature.has_river_inn and not position.rules.river_inn_needs_inns


def road_points(position: Position, feature: Feature) -> int:
    """BASE-11, BASE-23: 1 per tile, complete or not; BASE-15: a tile counts once.

    With an inn 2 per tile (INN-02), or nothing (INN-03).
    """
    if counts_extra(position, feature):
        return 2 * len(feature.tiles) if feature.is_complete else 0
    return len(feature.tiles)


def city_points(position: Position, feature: Feature) -> int:
    """BASE-12, BASE-13, BASE-23; under the older rule a city of two tiles is not doubled.

    With a cathedral 3 for everything, or nothing (INN-04). Under siege less (SIE-03).
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
    """BASE-14, BASE-23, GAR-04: 9 when complete, as all nine cells are occupied."""
    ((x, y),) = feature.tiles
    if russian_promos.is_hut(position, (x, y)):
        return russian_promos.hut_points(position, (x, y))
    return surroundings(position, x, y)


def monastery_points(position: Position, feature: Feature) -> int:
    """HS-15: with vineyards when it is complete."""
    return surrounded_points(position, feature) + hills.vineyard_points(position, feature)


def castle_points(position: Position, feature: Feature) -> int:
    """CAS-25: nothing of its own; for what it takes from others see ``castles``."""
    return 0


def field_worth(position: Position, feature: Feature, per_city: int, by_pigs: int = 0) -> int:
    """Add up the complete cities that a field touches, each once (BASE-24, BASE-25, ABB-12).

    Carcassonne is one of them (COU-21). And its castles, scored or not (CAS-30). Besieged cities
    count double (SIE-06).
    """
    n_cities = sum(city.is_complete for city in feature.cities) + feature.is_below_walls
    n_castles = sum(city.kind == Kind.CASTLE for city in feature.cities)
    points = (per_city + by_pigs) * (n_cities + n_castles) + n_castles
    points += little_buildings.added(position, feature)  # LB-07, LB-09
    return points + siege.doubled(position, feature, per_city, by_pigs)


def herds_help(rules: Rules) -> bool:
    """Whether pig-herds count: that of the second river, that of Vodyanoy under its switch."""
    is_there = "river2" in rules.sets or rules.russian_promos
    return is_there and (rules.pigs or not rules.pigherd_needs_traders)


def field_worth_to(position: Position, feature: Feature, per_city: int, seat: int) -> int:
    """Add up what a field gives to a seat: its own pig counts 1 for each city and castle.

    TRA-13, TRA-14, CAS-28; not for barns (TRA-17). And so does the pig-herd (XPH-02).
    """
    by_herds = feature.has_herd * herds_help(position.rules)
    return field_worth(position, feature, per_city, feature.has(seat, Figure.PIG) + by_herds)


def barn_worth(position: Position, feature: Feature) -> int:
    """Add up what a field gives to a barn at the end (BARN-20); pig-herds by a house rule only."""
    rules = position.rules
    helps = rules.house_pigherd_barn and herds_help(rules)  # HOUSE-05
    return field_worth(position, feature, BARN_PER_CITY + helps * feature.has_herd)


def field_points(position: Position, feature: Feature) -> int:
    """BASE-24: what the farmers get at the end, pigs and barns not considered."""
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
    """Tell how many points a feature gives to its majority.

    During play (``final=False``) only complete features are worth anything; at the end everything
    is scored, and what happens to be complete then at the price of complete features.
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
    """Tell how many points a feature gives to a seat with the majority (TRA-13)."""
    if feature.kind == Kind.FIELD and final:
        has_come_late = position.leaves_last and bool(feature.barns)  # XCK-07
        per_city = JOINED_PER_CITY if has_come_late else FARMERS_PER_CITY
        return field_worth_to(position, feature, per_city, seat)
    return value(position, feature, final)


def strength(figure: PlacedFigure, feature: Feature) -> int:
    """Tell what a meeple counts in a feature: a mayor the coats of the whole city (MAY-05)."""
    if figure.figure == Figure.MAYOR:
        return feature.coats
    return STRENGTH[figure.figure]


def majority(feature: Feature) -> list[int]:
    """List the seats that get the points: the strongest, all of them in a tie (BASE-17).

    Strength 0 gets nothing, not even alone (MAY-09 to MAY-11). Hills break ties (HS-03).
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
    """Add to the scores what these features pay to their majorities (BASE-16, BASE-17)."""
    scores = list(position.scores)
    for feature in scored:
        for seat in majority(feature):
            scores[seat] += value_to(position, feature, seat, final)
        if feature.kind not in (Kind.CASTLE, Kind.LINES):  # PD-39, MON-15
            for seat, points in dragon.for_feature(position, feature).items():
                scores[seat] += points
    return tuple(scores)


# --- Where a tile may lie -----------------------------------------------------------------------


def window(position: Position) -> tuple[int, int]:
    """Find the first column and row of the view, which is centred on the box of the board."""
    xs = [tile.x for tile in position.tiles]
    ys = [tile.y for tile in position.tiles]
    half = position.rules.view // 2
    return (min(xs) + max(xs) + 1) // 2 - half, (min(ys) + max(ys) + 1) // 2 - half


def table(position: Position) -> tuple[range, range]:
    """Find the columns and rows in the view and on the 64 x 64 table (real tables are larger)."""
    size = position.rules.view
    columns, rows = (
        range(max(first, FIRST_COORDINATE), min(first + size, LAST_COORDINATE + 1))
        for first in window(position)
    )
    return columns, rows


def is_on_table(position: Position, x: int, y: int) -> bool:
    """Tell whether a tile may lie on a cell."""
    columns, rows = table(position)
    return x in columns and y in rows


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
    """List where the decider may place an abbey; empty outside ``Phase.DRAW_OR_ABBEY`` (ABB-02).

    Empty as well if they have none left or if there is no hole (ABB-05, ABB-06).
    """
    if position.phase != Phase.DRAW_OR_ABBEY or not has_abbey(position, position.decider):
        return set()
    return abbey_cells(position)


def abbey_cells(position: Position) -> set[Cell]:
    """List the holes that shrines and the river leave to an abbey, whoever has one."""
    if position.rules.abbey_during_river == "forbid" and river.is_being_laid(position):  # RIV2-15
        return set()
    return {cell for cell in holes(position) if shrines.keeps_apart(position, ABBEY, cell)}


def has_abbey(position: Position, seat: int) -> bool:
    """Tell whether a seat has its abbey in hand."""
    return bool(position.abbeys) and position.abbeys[seat] > 0


def placements(position: Position, tile_id: str) -> set[tuple[int, int, int]]:
    """List every (x, y, rotation) where the tile may be placed, symmetric ones once (BASE-04).

    Without a bridge, see :func:`bridges.placements`.
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
    """List the ways to put a tile beside the board, whatever shows there but a river (BASE-41).

    Shrines and monasteries keep apart (CULT-03).
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
    """Count what each player owns, on the board and off it (BASE-01, INN-01, ABT-01, ...)."""
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
    """Count what a player has left: what they own less what stands on the board.

    And less those on towers, in prison (TOW-11), in Carcassonne (COU-04) and in traps. A wagon that
    waits for its move is back in the supply.
    """
    away = (*position.figures, *position.towers, *position.prisoners, *position.waiting)
    away += position.trapped
    on_board = Counter(figure.figure for figure in away if figure.seat == seat)
    return {figure: n - on_board[figure] for figure, n in all_figures(position.rules).items()}


def figure_choices(position: Position) -> set[FigureChoice]:
    """List what the decider may put on the tile just placed; empty outside ``Phase.FIGURE``."""
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
        # BASE-06, ABT-04, MAY-02: nobody's meeple stands anywhere on it.
        if labyrinth.is_free(position, feature, (x, y, spot))
        for figure, kinds in MAY_STAND.items()
        if figure in MEEPLES and feature.kind in kinds and in_supply[figure] > 0  # BASE-09
    }
    on_corners = {
        (Figure.BARN, corner)
        for feature in features(position)
        if not feature.barns  # BARN-07; BARN-06, BARN-27: farmers do not matter.
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
    """Tell whether corners that meet are all of a field, and none is of Carcassonne (XCK-03)."""
    if not corners <= set(of_field):
        return False
    at_corners = {(x, y) for x, y, _ in corners}
    touched = (t.tile for t in position.tiles if (t.x, t.y) in at_corners)
    return position.rules.block_buildable or not any(map(is_of_carcassonne, touched))


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
    """List all that the decider may do in ``Phase.FIGURE``, ``None`` included (BASE-09).

    Bridges aside, see :func:`bridges.optional`.
    """
    if position.phase != Phase.FIGURE:
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
    earners: set[int]
    """Seats that got points for features or fields, those for the fairy aside (COU-04)."""


def score_turn(position: Position) -> Outcome:
    """Do step 3, after the figure action: complete features and barn fields together (BARN-13).

    Goods are collected by ``goods``; then castles are scored, see ``castles``.
    """
    scored = completed(position)
    fields = barn_fields(position)
    scores = list(paid(position, scored, final=False))
    earned = [(seat, value(position, f, False)) for f in scored for seat in majority(f)]
    for field, per_city in fields:
        for seat in majority(field):
            points = field_worth_to(position, field, per_city, seat)
            scores[seat] += points  # BARN-14, TRA-18
            # XCK-04: what others get for a connection may mean nothing.
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
    """Add to ``position.scores`` the final scoring: figures on the board, goods, markers.

    Not for a position of a finished game whose scores include the final scoring already.
    """
    everything = features(position)
    scores = list(paid(position, everything, final=True))  # MAY-13: majorities as ever.
    for field in everything:
        for barn in field.barns:  # BARN-20; BARN-21: each of several in full.
            scores[barn.seat] += barn_worth(position, field)
    extras = goods.points(position), king_robber.points(position), gold.points(position)
    totals = tuple(map(sum, zip(scores, *extras, strict=True)))
    return russian_promos.without_lost(position, totals)


def projected_scores(position: Position) -> tuple[int, ...]:
    """Tell the scores if the game ended here, before anything more is placed or goes home.

    Farmers that share a field with a barn until the end of this turn count like any others.
    """
    return final_scores(position)


def winners(scores: tuple[int, ...]) -> list[int]:
    """List all seats with the most points (BASE-28)."""
    return [seat for seat, score in enumerate(scores) if score == max(scores)]
