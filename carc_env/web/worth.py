"""How the worth of a feature is computed: "4 tiles x 2 + 1 coat of arms x 2", as terms of a sum."""

from __future__ import annotations

from typing import Any, TypedDict

import numpy as np
import numpy.typing as npt

from carc_env.engine import entry
from carc_env.engine.core.board import STEP
from carc_env.engine.core.codes import Kind
from carc_env.engine.core.state import BOARD, NO_SEGMENT
from carc_env.engine.core.tiles import CITIES_TOUCHED, HAS_DARMSTADTIUM, IS_BESIEGED, IS_HUT
from carc_env.game.game import Game
from carc_env.systems.places import segments_of

SUMS = (Kind.CITY, Kind.ROAD, Kind.FIELD, Kind.MONASTERY, Kind.GARDEN, Kind.LINES)
"""Kinds of features whose points are a sum; a castle takes those of another feature."""
FULL_MONASTERY = 9
POINTS_PER_CITY, POINTS_PER_CITY_OF_A_BARN = 3, 4
"""Of a field, for those who lead there and for a barn (BASE-24, BARN-20)."""
MOST_PER_CITY, MOST_BY_PIGS = 5, 2
POINTS_PER_VINEYARD = 3
POINTS_OF_DARMSTADTIUM = 3
POINTS_PER_THIEF = 2
"""For each meeple on the complete road of a labyrinth (LAB-07)."""


class Term(TypedDict):
    """So many of something, and the points for each of them."""

    n: int
    of: str
    each: int


def total(terms: list[Term]) -> int:
    """The points that terms come to."""
    return sum(term["n"] * term["each"] for term in terms)


def city_terms(game: Game, feature: int, is_complete: bool) -> list[Term]:
    """A city, complete or not: BASE-12, BASE-13, BASE-23, INN-04, SIE-03, DAR-03."""
    record, rules = game.states[0].features[feature], game.rules
    n_tiles, shields, has_cathedral = int(record.n_tiles), int(record.shields), record.bonus > 0
    if is_complete:
        is_small = n_tiles == 2 and rules.small_city_points == 2
        each = 3 if has_cathedral else 1 if is_small else 2
    else:
        each = 0 if has_cathedral else 1
    if each and is_besieged(game, feature):
        each -= 1
    terms = [_term(n_tiles, "tiles", each), _term(shields, "shields", each)]
    if is_complete and rules.darmstadt and shows(game, feature, HAS_DARMSTADTIUM):
        terms.append(_term(1, "darmstadtium", POINTS_OF_DARMSTADTIUM))
    return terms


def road_terms(record: Any, is_complete: bool) -> list[Term]:
    """A road, complete or not: BASE-11, BASE-23, INN-02, INN-03."""
    with_inn = 2 if is_complete else 0
    return [_term(int(record.n_tiles), "tiles", with_inn if record.bonus else 1)]


def with_magic(game: Game, feature: int, terms: list[Term]) -> list[Term]:
    """The terms of a road or city with what the mage or the witch on it changes: MW-08, MW-09."""
    s = game.states[0]
    has_mage, has_witch = (
        segment != NO_SEGMENT and int(s.segments[segment].feature) == feature
        for segment in s.magic.tolist()
    )
    if has_mage:
        terms = [*terms, _term(int(s.features[feature].n_tiles), "magic", 1)]
    return [*terms, _term(total(terms) // 2, "halved", -1)] if has_witch else terms


def with_buildings(game: Game, feature: int, terms: list[Term]) -> list[Term]:
    """The terms of a feature with what little buildings add: LB-05, LB-06."""
    n = points_of_buildings(game, feature)
    return [*terms, _term(n, "buildings", 1)] if n else terms


def points_of_buildings(game: Game, feature: int) -> int:
    """What the little buildings on the tiles of a feature, or around its middle, add (LB-05)."""
    s = game.states[0]
    built = s.built[: int(s.n_built)]
    tiles = s.tiles["cell"][built["tile"]]
    if s.features[feature].kind in (Kind.MONASTERY, Kind.GARDEN, Kind.LINES):
        rows, columns = np.divmod(tiles, BOARD)
        row, column = divmod(int(s.tiles[int(s.segments[feature].tile)].cell), BOARD)
        counts = (abs(rows - row) <= 1) & (abs(columns - column) <= 1)
    else:
        counts = np.isin(built["tile"], s.segments["tile"][segments_of(s, feature)])
    return int(s.rules.building_points[built["kind"][counts]].sum())


def has_maze(game: Game, feature: int) -> bool:
    """Whether a feature is the road of a labyrinth (LAB-02)."""
    s = game.states[0]
    mazes = [segment for segment in s.mazes.tolist() if segment != NO_SEGMENT]
    return any(int(s.segments[segment].feature) == feature for segment in mazes)


def with_sets(game: Game, feature: int, terms: list[Term], n_thieves: int) -> list[Term]:
    """The terms of a road or city with all that changes them, in the order of X2-01.

    ``n_thieves`` is how many meeples count on the road of a labyrinth: LAB-07, MW-12.
    """
    has_thieves = n_thieves and has_maze(game, feature)
    thieves = [_term(n_thieves, "thieves", POINTS_PER_THIEF)] if has_thieves else []
    if game.rules.witch_halves_labyrinth:
        terms = with_magic(game, feature, [*terms, *thieves])
    else:
        terms = [*with_magic(game, feature, terms), *thieves]
    return with_buildings(game, feature, terms)


def surrounded_terms(game: Game, feature: int, is_complete: bool) -> list[Term]:
    """A monastery or garden with the tiles around it: BASE-14, GAR-04, HS-15.

    A hut with what is empty there (RUS-02).
    """
    record = game.states[0].features[feature]
    if is_hut(game, feature):
        return [_term(1, "hut", 1), _term(0 if is_complete else int(record.n_open), "empty", 1)]
    n_tiles = FULL_MONASTERY if is_complete else FULL_MONASTERY - int(record.n_open)
    terms = [_term(n_tiles, "tiles", 1)]
    if is_complete and int(record.kind) == Kind.MONASTERY and game.rules.vineyards:
        vineyards = int(entry.vineyards(game.states, 0, feature))
        terms.append(_term(vineyards, "vineyards", POINTS_PER_VINEYARD))
    return with_buildings(game, feature, terms)


def is_hut(game: Game, feature: int) -> bool:
    """Whether what stands in the centre of a tile is a hut that counts (RUS-02)."""
    s = game.states[0]
    tile = s.tiles[int(s.segments[feature].tile)]
    return game.rules.russian_promos and bool(IS_HUT[int(tile.design)])


def lines_terms(game: Game, feature: int) -> list[Term]:
    """The row and column of a special monastery: MON-06."""
    s = game.states[0]
    cell, n_tiles = int(s.tiles[int(s.segments[feature].tile)].cell), 1
    for step in STEP:
        near = cell + int(step)
        while s.board[near] > 0:
            n_tiles, near = n_tiles + 1, near + int(step)
    return with_buildings(game, feature, [_term(n_tiles, "tiles", 1)])


def field_terms(game: Game, feature: int, each: int, by_pigs: int) -> list[Term]:
    """A field with so many points for each complete city: BASE-24, TRA-13, CAS-28, SIE-06."""
    record, again = game.states[0].features[feature], n_besieged(game, feature)
    terms = [
        _term(int(record.shields), "cities", each + by_pigs),
        _term(int(record.bonus), "castles", 1),
    ]
    if again:
        terms.append(_term(again, "besieged", each + by_pigs * _doubles_pigs(game)))
    return with_buildings(game, feature, terms)


def _doubles_pigs(game: Game) -> bool:
    return game.rules.siege_field_double == "all"


def is_besieged(game: Game, city: int) -> bool:
    """Whether a city is besieged (SIE-02)."""
    return game.rules.siege and shows(game, city, IS_BESIEGED)


def shows(game: Game, city: int, table: npt.NDArray[np.bool_]) -> bool:
    """Whether any tile of a city shows what a table of tiles is about."""
    s = game.states[0]
    tiles = s.segments["tile"][segments_of(s, city)]
    return bool(table[s.tiles["design"][tiles]].any())


def n_besieged(game: Game, field: int) -> int:
    """How many complete besieged cities lie beside a field (SIE-06)."""
    s, beside = game.states[0], set()
    if not game.rules.siege:
        return 0
    of_segment = s.segments["feature"]
    for segment in segments_of(s, field):
        tile = s.tiles[int(s.segments[segment].tile)]
        first = int(tile.first_segment)
        touched = int(CITIES_TOUCHED[int(tile.design), segment - first])
        beside |= {
            int(of_segment[first + j]) for j in range(touched.bit_length()) if touched >> j & 1
        }
    cities = [f for f in beside if s.features[f].kind == Kind.CITY and s.features[f].n_open == 0]
    return sum(is_besieged(game, city) for city in cities)


def has_pig_herd(game: Game, feature: int) -> bool:
    """Whether a pig-herd lies in a field (RIV2-10, RUS-14)."""
    s = game.states[0]
    return any(
        segment != NO_SEGMENT and int(s.segments[segment].feature) == feature
        for segment in s.pig_herd.tolist()
    )


def points_per_city(game: Game, feature: int, *, has_pig: bool, is_barn: bool) -> tuple[int, int]:
    """What each complete city beside a field is worth, to a barn or to those who lead there.

    And what pigs add to that.
    """
    has_herd = has_pig_herd(game, feature)
    if is_barn:
        return POINTS_PER_CITY_OF_A_BARN + has_herd * game.rules.house_pigherd_barn, 0
    return POINTS_PER_CITY, has_pig + has_herd


def scored_terms(game: Game, feature: int, points: int) -> list[Term]:
    """The terms of points that were just scored for a feature.

    A field may have been scored for a barn, or when it was joined to one (BARN-24): what each city
    was worth there follows from the points, and so does who of mage and witch was on a road.
    """
    record = game.states[0].features[feature]
    kind, is_complete = Kind(int(record.kind)), int(record.n_open) == 0
    if kind in (Kind.CITY, Kind.ROAD):
        is_city = kind == Kind.CITY
        terms = (
            city_terms(game, feature, is_complete) if is_city else road_terms(record, is_complete)
        )
        plain, n_tiles = points - points_of_buildings(game, feature), int(record.n_tiles)
        if is_complete and has_maze(game, feature):
            terms = _as_scored_with_thieves(game, terms, plain, n_tiles)
        else:
            terms = _as_scored(terms, plain, n_tiles)
        return with_buildings(game, feature, terms)
    if kind == Kind.FIELD:
        ways = (
            field_terms(game, feature, each, by_pigs)
            for each in range(MOST_PER_CITY + 1)
            for by_pigs in range(MOST_BY_PIGS + 1)
        )
        return next(terms for terms in ways if total(terms) == points)
    if kind == Kind.LINES:
        return lines_terms(game, feature)
    terms = surrounded_terms(game, feature, is_complete)
    return terms if total(terms) == points else terms[:1]  # XHS-01, XLB-01: a recalled abbot


def _as_scored(terms: list[Term], points: int, n_tiles: int) -> list[Term]:
    """The terms of a road or city with what brought its points, if those are others.

    By then the mage and the witch have left what was complete.
    """
    plain = total(terms)
    if points > plain:
        return [*terms, _term(n_tiles, "magic", 1)]
    return [*terms, _term(plain - points, "halved", -1)] if points < plain else terms


def _as_scored_with_thieves(game: Game, terms: list[Term], points: int, n_tiles: int) -> list[Term]:
    """The same of the road of a labyrinth, on which so many meeples were as that comes to."""
    ways = [terms]
    if game.rules.mage_witch:
        ways += [[*terms, _term(n_tiles, "magic", 1)]]
    if game.rules.mage_witch and not game.rules.witch_halves_labyrinth:
        ways += [[*terms, _term(total(terms) // 2, "halved", -1)]]
    for way in ways:
        more = points - total(way)
        if more > 0 and more % POINTS_PER_THIEF == 0:
            return [*way, _term(more // POINTS_PER_THIEF, "thieves", POINTS_PER_THIEF)]
    n_thieves = (2 * points - total(terms)) // POINTS_PER_THIEF  # all of it halved (MW-12)
    whole = [*terms, _term(n_thieves, "thieves", POINTS_PER_THIEF)]
    return [*whole, _term(total(whole) - points, "halved", -1)]


def _term(n: int, of: str, each: int) -> Term:
    return {"n": n, "of": of, "each": each}
