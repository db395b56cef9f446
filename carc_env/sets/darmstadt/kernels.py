"""Darmstadt: points for the most meeples at a church, and for the city with the Darmstadtium.

A church is a monastery whose extra points go to the seats with the most meeples on its nine cells
(DAR-05).
"""

from carc_env.engine.compiler.jit import b1, i8, kernel, void
from carc_env.engine.compiler.memory import room_for
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import MAX_PLAYERS, Kind
from carc_env.engine.core.elsewhere import count_around
from carc_env.engine.core.features import (
    MAX_TOUCHED,
    cell_of,
    is_complete,
    tile_of,
    touched_features,
)
from carc_env.engine.core.moments import feature_valued, scoring_begins
from carc_env.engine.core.scoring import award_for
from carc_env.engine.core.state import State
from carc_env.engine.core.tiles import HAS_DARMSTADTIUM, IS_CHURCH

POINTS = 3
ALL_ON_TILES = -1
"""Rank of links that count meeples on tiles, before challenges send any of them home."""


@kernel(b1(State, i8))
def has_darmstadtium(s, city):
    """Return whether a tile of a city shows the Darmstadtium."""
    segment = city
    while not HAS_DARMSTADTIUM[s.tiles[tile_of(s, segment)].design]:
        segment = s.segments[segment].next
        if segment == city:
            return False
    return True


@at(feature_valued, "darmstadt")
@kernel(i8(State, i8, i8))
def add_points(s, feature, n):
    """Add the Darmstadtium's points to a complete city (DAR-03)."""
    is_city = s.features[feature].kind == Kind.CITY
    if is_city and is_complete(s, feature) and has_darmstadtium(s, feature):
        return n + POINTS
    return n


@kernel(void(State, i8))
def score_church(s, church):
    """Give a church's points to every seat with the most meeples around it (DAR-05, DAR-06)."""
    counts, most = room_for(MAX_PLAYERS), 1
    count_around(s, cell_of(s, church), counts)
    for seat in range(s.rules.n_players):
        most = max(most, counts[seat])
    for seat in range(s.rules.n_players):
        if counts[seat] == most:
            award_for(s, Kind.CHURCH, seat, POINTS, church)


@kernel(b1(State, i8))
def is_church(s, feature):
    """Return whether a feature is a church."""
    is_building = s.features[feature].kind == Kind.MONASTERY
    return is_building and IS_CHURCH[s.tiles[tile_of(s, feature)].design]


@at(scoring_begins, "darmstadt", ALL_ON_TILES)
@kernel(void(State))
def score_churches(s):
    """Score the churches that the tile just placed completed, for the meeples around them.

    A church does not need to be occupied. All meeples are still in place, so these points can be
    awarded first.
    """
    touched = room_for(MAX_TOUCHED)
    for k in range(touched_features(s, s.n_tiles - 1, touched)):
        if is_church(s, touched[k]) and is_complete(s, touched[k]):
            score_church(s, touched[k])
