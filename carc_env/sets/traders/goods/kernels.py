"""Trade goods: tokens for completing a city, and points for the most (TRA-01 to TRA-04)."""

from carc_env.engine.compiler.jit import b1, i8, kernel, void
from carc_env.engine.compiler.memory import words_for
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.bitset import add
from carc_env.engine.core.board import N_SIDES
from carc_env.engine.core.codes import FIRST_GOOD, N_GOODS, Kind
from carc_env.engine.core.features import (
    feature_of,
    is_complete,
    segment_beside,
    shared_beside,
    tile_of,
)
from carc_env.engine.core.moments import end_projected, game_ends, scoring_begins
from carc_env.engine.core.scoring import award_for
from carc_env.engine.core.sizes import N_WORDS
from carc_env.engine.core.state import NO_SEGMENT, State
from carc_env.engine.core.tiles import GOOD, NO_GOOD

POINTS_FOR_MOST = 10  # TRA-02


@kernel(void(State, i8))
def take_goods(s, feature):
    """Give the turn player a token for every symbol in a feature; only cities have any (TRA-01)."""
    stock = s.players[s.turn_player].stock
    segment = feature
    while True:
        tile = s.tiles[tile_of(s, segment)]
        good = GOOD[tile.design, segment - tile.first_segment]
        if good != NO_GOOD:
            stock[FIRST_GOOD + good] += 1
        segment = s.segments[segment].next
        if segment == feature:
            return


@at(scoring_begins, "goods")
@kernel(void(State))
def collect_goods(s):
    """Give the turn player the goods in completed cities, even if an abbey completed them.

    See TRA-03 and TRA-04.
    """
    collected = words_for(N_WORDS)
    cell = s.tiles[s.n_tiles - 1].cell
    for k in range(2 * N_SIDES):
        side = k // 2
        segment = segment_beside(s, cell, side) if k % 2 == 0 else shared_beside(s, cell, side)
        if segment == NO_SEGMENT:
            continue
        feature = feature_of(s, segment)
        if is_complete(s, feature) and add(collected, feature):
            take_goods(s, feature)


@kernel(b1(State, i8, i8))
def has_most(s, seat, good):
    """Return whether a seat has tokens of a kind and no other seat has more."""
    n = s.players[seat].stock[FIRST_GOOD + good]
    for other in range(s.rules.n_players):
        if s.players[other].stock[FIRST_GOOD + good] > n:
            return False
    return n > 0


@kernel(i8(State, i8))
def goods_points(s, seat):
    """Return the points that a seat's tokens score at the end (TRA-02)."""
    points = 0
    for good in range(N_GOODS):
        if has_most(s, seat, good):
            points += POINTS_FOR_MOST
    return points


@at(game_ends, "goods")
@kernel(void(State))
def score_goods(s):
    """Score the trade goods at the end of the game."""
    for good in range(N_GOODS):
        for seat in range(s.rules.n_players):
            if has_most(s, seat, good):
                award_for(s, Kind.GOODS, seat, POINTS_FOR_MOST, NO_SEGMENT)


@at(end_projected, "goods")
@kernel(void(State, i8[::1]))
def add_goods(s, points):
    """Add the points that trade goods would score at the end (TRA-02)."""
    for seat in range(s.rules.n_players):
        points[seat] += goods_points(s, seat)
