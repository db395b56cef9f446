"""How the worth of a feature is computed: "4 tiles x 2 + 1 coat of arms x 2", as terms of a sum."""

from __future__ import annotations

from typing import Any, TypedDict

from carc_env.engine import entry
from carc_env.engine.core.codes import Kind
from carc_env.engine.core.state import NO_SEGMENT
from carc_env.game.game import Game
from carc_env.rules import Rules

SUMS = (Kind.CITY, Kind.ROAD, Kind.FIELD, Kind.MONASTERY, Kind.GARDEN)
"""Kinds of features whose points are a sum; a castle takes those of another feature."""
FULL_MONASTERY = 9
POINTS_PER_CITY, POINTS_PER_CITY_OF_A_BARN = 3, 4
"""Of a field, for those who lead there and for a barn (BASE-24, BARN-20)."""
POINTS_PER_VINEYARD = 3


class Term(TypedDict):
    """So many of something, and the points for each of them."""

    n: int
    of: str
    each: int


def total(terms: list[Term]) -> int:
    """The points that terms come to."""
    return sum(term["n"] * term["each"] for term in terms)


def city_terms(record: Any, rules: Rules, is_complete: bool) -> list[Term]:
    """A city, complete or not: BASE-12, BASE-13, BASE-23, INN-04."""
    n_tiles, shields, has_cathedral = int(record.n_tiles), int(record.shields), record.bonus > 0
    if is_complete:
        is_small = n_tiles == 2 and rules.small_city_points == 2
        each = 3 if has_cathedral else 1 if is_small else 2
    else:
        each = 0 if has_cathedral else 1
    return [_term(n_tiles, "tiles", each), _term(shields, "shields", each)]


def road_terms(record: Any, is_complete: bool) -> list[Term]:
    """A road, complete or not: BASE-11, BASE-23, INN-02, INN-03."""
    with_inn = 2 if is_complete else 0
    return [_term(int(record.n_tiles), "tiles", with_inn if record.bonus else 1)]


def surrounded_terms(game: Game, feature: int, is_complete: bool) -> list[Term]:
    """A monastery or garden with the tiles around it: BASE-14, GAR-04, HS-15."""
    record = game.states[0].features[feature]
    n_tiles = FULL_MONASTERY if is_complete else FULL_MONASTERY - int(record.n_open)
    terms = [_term(n_tiles, "tiles", 1)]
    if is_complete and int(record.kind) == Kind.MONASTERY and game.rules.vineyards:
        vineyards = int(entry.vineyards(game.states, 0, feature))
        terms.append(_term(vineyards, "vineyards", POINTS_PER_VINEYARD))
    return terms


def field_terms(record: Any, each: int) -> list[Term]:
    """A field with so many points for each complete city: BASE-24, CAS-28."""
    return [_term(int(record.shields), "cities", each), _term(int(record.bonus), "castles", 1)]


def has_pig_herd(game: Game, feature: int) -> bool:
    """Whether the pig-herd lies in a field (RIV2-10)."""
    s = game.states[0]
    segment = int(s.pig_herd)
    return segment != NO_SEGMENT and int(s.segments[segment].feature) == feature


def points_per_city(game: Game, feature: int, *, has_pig: bool, is_barn: bool) -> int:
    """What each complete city beside a field is worth, to a barn or to those who lead there."""
    herd = has_pig_herd(game, feature)
    if is_barn:
        return POINTS_PER_CITY_OF_A_BARN + (herd and game.rules.house_pigherd_barn)
    return POINTS_PER_CITY + has_pig + herd


def scored_terms(game: Game, feature: int, points: int) -> list[Term]:
    """The terms of points that were just scored for a feature.

    A field may have been scored for a barn, or when it was joined to one (BARN-24): what each city
    was worth there follows from the points.
    """
    record = game.states[0].features[feature]
    kind, is_complete = Kind(int(record.kind)), int(record.n_open) == 0
    if kind == Kind.CITY:
        return city_terms(record, game.rules, is_complete)
    if kind == Kind.ROAD:
        return road_terms(record, is_complete)
    if kind == Kind.FIELD:
        cities = int(record.shields)
        return field_terms(record, (points - int(record.bonus)) // cities if cities else 0)
    terms = surrounded_terms(game, feature, is_complete)
    return terms if points > FULL_MONASTERY else terms[:1]  # XHS-01: none for a recalled abbot


def _term(n: int, of: str, each: int) -> Term:
    return {"n": n, "of": of, "each": each}
