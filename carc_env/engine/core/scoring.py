"""Points: feature values, and scoring during the game and at the end."""

from carc_env.engine.compiler.jit import b1, i8, kernel, void
from carc_env.engine.compiler.memory import room_for
from carc_env.engine.core.codes import Kind
from carc_env.engine.core.features import (
    MAX_TOUCHED,
    feature_of,
    is_complete,
    is_occupied,
    tile_of,
    touched_features,
)
from carc_env.engine.core.figures import leaders, scored_kind, send_home
from carc_env.engine.core.moments import (
    feature_scored,
    feature_valued,
    points_around,
    points_awarded,
    points_of_city,
    points_of_field,
    points_of_lines,
    points_of_monastery,
)
from carc_env.engine.core.state import MAX_FIGURES, NO_SEGMENT, SLOTS_PER_SEAT, State
from carc_env.engine.core.tiles import IS_HUT

POINTS_PER_CITY_OF_A_FIELD = 3  # BASE-24
SURROUNDED = 9  # BASE-14, GAR-04


@kernel(i8(State, i8, i8, i8))
def field_points_with(s, field, each, more):
    """Return a field's points: ``each`` and ``more`` per complete city, and 1 per castle.

    BASE-24 to BASE-27, TRA-13, CAS-28, CAS-30.
    """
    points = (each + more) * s.features[field].shields + s.features[field].bonus
    return points + points_of_field(s, field, each, more)


@kernel(i8(State, i8, i8))
def field_points(s, field, each):
    """Return a field's points if every complete city beside it scores ``each``."""
    return field_points_with(s, field, each, 0)


@kernel(i8(State, i8))
def complete_city_value(s, city):
    """Return the points for a complete city (BASE-12, BASE-13, INN-04)."""
    n_tiles, each = s.features[city].n_tiles, 2
    if s.features[city].bonus > 0:
        each = 3
    elif n_tiles == 2 and s.rules.small_city_points == 2:
        each = 1
    return feature_valued(s, city, each * (n_tiles + s.features[city].shields))


@kernel(i8(State, i8))
def city_value(s, city):
    """Return the points that a city is currently worth (BASE-12, BASE-23, INN-04)."""
    if is_complete(s, city):
        return complete_city_value(s, city)
    has_bonus = s.features[city].bonus > 0
    points = 0 if has_bonus else s.features[city].n_tiles + s.features[city].shields
    return feature_valued(s, city, points)


@kernel(i8(State, i8))
def road_value(s, road):
    """Return the points that a road is currently worth (BASE-11, BASE-23, INN-02, INN-03)."""
    points = s.features[road].n_tiles
    if s.features[road].bonus > 0:
        points = 2 * points if is_complete(s, road) else 0
    return feature_valued(s, road, points)


@kernel(b1(State, i8))
def is_hut(s, feature):
    """Return whether the building in the centre of a tile is a hut (RUS-02)."""
    return IS_HUT[s.tiles[tile_of(s, feature)].design]


@kernel(i8(State, i8))
def surrounded_value(s, feature):
    """Return a monastery's or garden's points for surrounding tiles (BASE-14, BASE-23, GAR-04).

    A hut scores for empty cells instead (RUS-02, RUS-03).
    """
    if s.rules.russian_promos != 0 and is_hut(s, feature):
        return 1 + s.features[feature].n_open
    return SURROUNDED - s.features[feature].n_open


@kernel(i8(State, i8))
def monastery_value(s, feature):
    """Return a monastery's current points (BASE-14), including what sets add if it is complete."""
    points = surrounded_value(s, feature) + points_around(s, feature)
    if s.features[feature].n_open == 0 and not is_hut(s, feature):
        points += points_of_monastery(s, feature)
    return points


@kernel(i8(State, i8))
def value(s, feature):
    """Return the points that a feature is worth now, either complete or at the end of the game."""
    kind = s.features[feature].kind
    if kind == Kind.CITY:
        return city_value(s, feature)
    if kind == Kind.ROAD:
        return road_value(s, feature)
    if kind == Kind.FIELD:
        return field_points(s, feature, POINTS_PER_CITY_OF_A_FIELD)
    if kind == Kind.CASTLE:
        return 0  # CAS-25
    if kind == Kind.MONASTERY:
        return monastery_value(s, feature)
    own = points_of_lines(s, feature) if kind == Kind.LINES else surrounded_value(s, feature)
    return own + points_around(s, feature)  # XLB-02, MON-15


@kernel(void(State, i8, i8, i8, i8))
def award_for(s, kind, seat, points, feature):
    """Add points to a seat's score and record the event under a feature kind.

    There is always room: see ``MAX_EVENTS``.
    """
    s.players[seat].score += points
    event = s.events[s.n_events]
    s.n_events += 1
    event.kind = kind
    event.seat = seat
    event.points = points
    event.feature = feature
    event.figure = scored_kind(s, feature, seat)
    points_awarded(s, kind, seat, points, feature)


@kernel(void(State, i8, i8, i8))
def award(s, seat, points, feature):
    """Add points for a feature to a seat's score and record the event."""
    award_for(s, s.features[feature].kind, seat, points, feature)


@kernel(void(State, i8, i8))
def score_majority(s, feature, points):
    """Award points to every seat with the majority on a feature (BASE-16, BASE-17)."""
    winners = leaders(s, feature)
    for seat in range(s.rules.n_players):
        if winners >> seat & 1:
            award(s, seat, points, feature)
    feature_scored(s, feature)


@kernel(i8(State, i8, i8, i8))
def field_points_for(s, field, each, seat):
    """Return a field's points for a seat with the majority, including what sets add per city."""
    return field_points_with(s, field, each, points_of_city(s, field, seat))


@kernel(void(State, i8, i8))
def score_field(s, field, each):
    """Award a field's points to every seat with the majority on it (BASE-24, TRA-18)."""
    winners = leaders(s, field)
    for seat in range(s.rules.n_players):
        if winners >> seat & 1:
            award(s, seat, field_points_for(s, field, each, seat), field)
    feature_scored(s, field)


@kernel(i8(State, i8, i8))
def value_for(s, feature, seat):
    """Return the points that a feature is worth now to a seat with the majority on it."""
    if s.features[feature].kind == Kind.FIELD:
        return field_points_for(s, feature, POINTS_PER_CITY_OF_A_FIELD, seat)
    return value(s, feature)


@kernel(void(State, i8))
def score_if_complete(s, feature):
    """Score a complete feature with figures on it and send them home (BASE-18, BASE-19)."""
    if is_complete(s, feature) and is_occupied(s, feature):
        score_majority(s, feature, value(s, feature))
        send_home(s, feature)


@kernel(void(State))
def score_completed(s):
    """Score everything that the tile just placed has completed (TURN-04, ABB-09)."""
    touched = room_for(MAX_TOUCHED)
    for k in range(touched_features(s, s.n_tiles - 1, touched)):
        score_if_complete(s, touched[k])


@kernel(i8(State, i8[::1]))
def occupied_features(s, features):
    """Write each feature with figures once, in the order of the entries to their rings.

    Returns the number of features; ``features`` must have room for ``MAX_FIGURES``. There is no
    branch between memory reads, so the processor can start the next read before the last one is
    finished.
    """
    standing = room_for(MAX_FIGURES)
    n_standing = 0
    for figure in range(SLOTS_PER_SEAT * s.rules.n_players):
        standing[n_standing] = figure
        n_standing += s.figures[figure].segment != NO_SEGMENT
    for k in range(n_standing):
        features[k] = feature_of(s, s.figures[standing[k]].segment)
    n = 0
    for k in range(n_standing):
        features[n] = features[k]
        n += s.features[features[k]].figure == standing[k]
    return n


@kernel(void(State, i8))
def score_as_it_is(s, feature):
    """Score a feature at the end for every seat with the majority on it (BASE-23, BASE-24)."""
    winners = leaders(s, feature)
    for seat in range(s.rules.n_players):
        if winners >> seat & 1:
            award(s, seat, value_for(s, feature, seat), feature)
    feature_scored(s, feature)


@kernel(void(State))
def score_final(s):
    """Score what is left on the board at the end; figures stay where they are (BASE-23)."""
    features = room_for(MAX_FIGURES)
    for k in range(occupied_features(s, features)):
        score_as_it_is(s, features[k])
