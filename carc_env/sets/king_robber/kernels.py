"""King and Robber Baron: for completing the largest city and the longest road (KR-01 to KR-17).

The players' stock shows who has them. Features are counted when they are completed, see
``features.note_completed``.
"""

from carc_env.engine.compiler.jit import b1, i8, kernel, void
from carc_env.engine.compiler.memory import room_for
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import Kind, Stock
from carc_env.engine.core.features import (
    MAX_TOUCHED,
    is_completed,
    is_repeated,
    touched_features,
)
from carc_env.engine.core.moments import end_projected, game_ends, scoring_ends
from carc_env.engine.core.scoring import award_for
from carc_env.engine.core.state import NO_SEGMENT, State
from carc_env.sets.king_robber.record import (
    FIFTEEN_FORTY,
    PER_FEATURE,
    RUNNING,
    TEN_EACH,
)


@kernel(i8(i8))
def kind_for(marker):
    """Return a marker's feature kind: cities for the King, roads for the Robber (KR-02, KR-06)."""
    return Kind.CITY if marker == Stock.KING else Kind.ROAD


@kernel(i8(State, i8, i8[::1], i8[::1]))
def completed_now(s, kind, touched, features):
    """Write the roads or cities that the tile just placed completed (KR-14); return how many."""
    n = 0
    for k in range(touched.shape[0]):
        features[n] = touched[k]
        n += is_completed(s, touched[k], kind) and not is_repeated(k, touched)
    return n


@kernel(b1(State, i8, i8[::1]))
def has_largest(s, kind, features):
    """Tell whether one of the complete roads or cities is larger than all others (KR-05, KR-08)."""
    completed = s.completed[kind]
    n = 0
    for k in range(features.shape[0]):
        n += s.features[features[k]].n_tiles == completed.largest
    return n == completed.n_largest


@kernel(void(State, i8, i8, i8))
def award_marker(s, marker, seat, points):
    """Give a seat the points for a marker."""
    award_for(s, Kind.KING if marker == Stock.KING else Kind.ROBBER, seat, points, NO_SEGMENT)


@kernel(void(State, i8, i8[::1]))
def pass_on(s, marker, touched):
    """Give the turn player a marker for a feature larger than all earlier ones (KR-03, KR-13).

    The feature is one that the tile just placed touches. With running scoring, the previous holder
    of the marker scores its points (KR-15, KR-16).
    """
    kind, features = kind_for(marker), room_for(MAX_TOUCHED)
    n_new = completed_now(s, kind, touched, features)
    if n_new == 0:
        return
    if s.rules.king_robber == RUNNING:
        for seat in range(s.rules.n_players):
            if s.players[seat].stock[marker] != 0:
                award_marker(s, marker, seat, n_new)
    if has_largest(s, kind, features[:n_new]):
        for seat in range(s.rules.n_players):
            s.players[seat].stock[marker] = seat == s.turn_player


@at(scoring_ends, "king_robber")
@kernel(void(State))
def pass_markers_on(s):
    """Let the turn player take King and Robber after scoring (KR-02, KR-06, KR-15)."""
    room = room_for(MAX_TOUCHED)
    touched = room[: touched_features(s, s.n_tiles - 1, room)]
    pass_on(s, Stock.KING, touched)
    pass_on(s, Stock.ROBBER, touched)


@kernel(i8(State, i8, i8))
def points_for_marker(s, marker, seat):
    """Return a seat's points for a marker at the end (KR-09, KR-16); 0 without it (KR-17).

    For the King, the city of Carcassonne counts as one more city (KR-11).
    """
    stock, scoring = s.players[seat].stock, s.rules.king_robber
    if stock[marker] == 0:
        return 0
    if scoring == PER_FEATURE:
        n_features = s.completed[kind_for(marker)].n_features
        return n_features + s.rules.carcassonne if marker == Stock.KING else n_features
    if scoring == TEN_EACH:
        return 10
    if scoring == FIFTEEN_FORTY:
        return 20 if stock[Stock.KING] == stock[Stock.ROBBER] else 15
    return 0


@kernel(i8(State, i8))
def marker_points(s, seat):
    """Return a seat's points for King and Robber at the end."""
    return points_for_marker(s, Stock.KING, seat) + points_for_marker(s, Stock.ROBBER, seat)


@at(game_ends, "king_robber")
@kernel(void(State))
def score_markers(s):
    """Score King and Robber at the end of the game."""
    for marker in range(Stock.KING, Stock.ROBBER + 1):
        for seat in range(s.rules.n_players):
            points = points_for_marker(s, marker, seat)
            if points > 0:
                award_marker(s, marker, seat, points)


@at(end_projected, "king_robber")
@kernel(void(State, i8[::1]))
def add_markers(s, points):
    """Add the points that King and Robber would score at the end (KR-09)."""
    for seat in range(s.rules.n_players):
        points[seat] += marker_points(s, seat)
