"""Watchtowers: points for nearby meeples when a road or city is completed (WT-01 to WT-15).

A watchtower is on no feature. It affects its own cell and the eight around it, no matter who owns
the features there.
"""

from carc_env.engine.compiler.jit import b1, i8, kernel, void
from carc_env.engine.compiler.memory import room_for
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.board import cell_around, tile_at
from carc_env.engine.core.codes import MAX_PLAYERS, Kind
from carc_env.engine.core.elsewhere import count_around
from carc_env.engine.core.features import (
    MAX_TOUCHED,
    is_complete,
    is_repeated,
    kind_of,
    tile_of,
    touched_features,
)
from carc_env.engine.core.figures import is_meeple, seat_of
from carc_env.engine.core.moments import scoring_begins
from carc_env.engine.core.scoring import award_for
from carc_env.engine.core.state import NO_FIGURE, NO_TILE, State
from carc_env.engine.core.tiles import IS_HUT, N_SEGMENTS, SHIELDS
from carc_env.sets.watchtowers.record import (
    CITIES,
    COATS,
    COUNTS,
    MEEPLES,
    NO_WATCHTOWER,
    POINTS_EACH,
    ROADS,
)

N_AROUND = 9
"""Number of cells that a watchtower affects (WT-05)."""
FIRST = -1
"""Rank of watchtower points: before any figure goes home, such as after a challenge (WT-03)."""


@kernel(i8(State, i8, i8))
def n_shown(s, tile, kind):
    """Return how many segments of a feature kind a tile shows; castles are not cities (WT-11)."""
    first, n = s.tiles[tile].first_segment, 0
    for segment in range(first, first + N_SEGMENTS[s.tiles[tile].design]):
        n += kind_of(s, segment) == kind
    return n


@kernel(i8(State, i8))
def n_coats(s, tile):
    """Return how many coats of arms a tile's cities have."""
    placed, n = s.tiles[tile], 0
    for j in range(N_SEGMENTS[placed.design]):
        if kind_of(s, placed.first_segment + j) == Kind.CITY:
            n += SHIELDS[placed.design, j]
    return n


@kernel(i8(State, i8, i8))
def n_counted(s, what, tile):
    """Return how many of the items that a watchtower counts are on a tile (WT-07, WT-08, WT-12)."""
    if what == COATS:
        return n_coats(s, tile)
    if what == CITIES:
        return n_shown(s, tile, Kind.CITY) > 0
    if what == ROADS:
        return n_shown(s, tile, Kind.ROAD) > 0
    is_hut = s.rules.russian_promos != 0 and IS_HUT[s.tiles[tile].design]  # RUS-04
    return n_shown(s, tile, Kind.MONASTERY) - is_hut


@kernel(i8(State, i8))
def watchtower_value(s, tile):
    """Return the points per meeple that the watchtower on a tile scores now; 0 without one."""
    cell, what, n = s.tiles[tile].cell, COUNTS[s.tiles[tile].design], 0
    if what == NO_WATCHTOWER:
        return 0
    if what == MEEPLES:
        counts = room_for(MAX_PLAYERS)
        count_around(s, cell, counts)
        for seat in range(s.rules.n_players):
            n += counts[seat]
    else:
        for i in range(N_AROUND):
            near = tile_at(s, cell_around(cell, i))
            if near != NO_TILE:
                n += n_counted(s, what, near)
    return n * POINTS_EACH[s.tiles[tile].design]


@kernel(i8(State, i8, i8))
def watched_value(s, feature, seat):
    """Return a seat's watchtower points if a road or city were completed now (WT-04)."""
    entry, points = s.features[feature].figure, 0
    figure = entry
    while figure != NO_FIGURE:
        if seat_of(figure) == seat and is_meeple(figure):
            points += watchtower_value(s, tile_of(s, s.figures[figure].segment))
        figure = s.figures[figure].next
        if figure == entry:
            break
    return points


@kernel(b1(State, i8))
def is_watched(s, feature):
    """Return whether watchtowers may score for a feature: a road or city (WT-09)."""
    kind = s.features[feature].kind
    return kind == Kind.ROAD or kind == Kind.CITY


@at(scoring_begins, "watchtowers", FIRST)
@kernel(void(State))
def score_watchtowers(s):
    """Give every seat its watchtower points for features completed by the last tile (WT-03).

    A seat scores all its points at once, at the first feature that earns it any.
    """
    touched, total, noted = room_for(MAX_TOUCHED), room_for(MAX_PLAYERS), room_for(MAX_PLAYERS)
    for seat in range(s.rules.n_players):
        total[seat] = 0
    for k in range(touched_features(s, s.n_tiles - 1, touched)):
        feature = touched[k]
        if is_watched(s, feature) and is_complete(s, feature) and not is_repeated(k, touched):
            for seat in range(s.rules.n_players):
                points = watched_value(s, feature, seat)
                if points > 0 and total[seat] == 0:
                    noted[seat] = feature
                total[seat] += points
    for seat in range(s.rules.n_players):
        if total[seat] > 0:
            award_for(s, Kind.WATCHTOWER, seat, total[seat], noted[seat])
