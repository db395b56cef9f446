"""Features as entities: a row of numbers for each feature, and the segments that link it to tiles.

``observations.py`` lists the columns in the same order.
"""

from collections import namedtuple

import numba
from numba import int16, int32, uint8

from carc_env.engine.compiler.jit import i8, kernel, void
from carc_env.engine.compiler.memory import room_for, words_for
from carc_env.engine.core.bitset import add
from carc_env.engine.core.codes import N_FIGURES, Kind
from carc_env.engine.core.features import feature_of, is_complete, is_occupied, tile_of
from carc_env.engine.core.figures import figure_kind, leaders, seat_of, strength
from carc_env.engine.core.moments import feature_valued, points_around, points_of_monastery
from carc_env.engine.core.scoring import SURROUNDED, complete_city_value, is_hut, value
from carc_env.engine.core.seats import places_between, seat_at
from carc_env.engine.core.sizes import MAX_SEGMENTS, N_WORDS
from carc_env.engine.core.state import NO_SEGMENT, SLOTS_PER_SEAT, State
from carc_env.engine.core.tiles import (
    CITIES_TOUCHED,
    HALF_SEGMENT,
    N_SEGMENTS,
    SEGMENT_KIND,
    SEGMENT_SIDES,
)
from carc_env.engine.sight.marks import MAX_BYTE
from carc_env.engine.sight.planes import N_HALVES

COLUMN_OF_KIND = (
    *(Kind.FIELD, Kind.ROAD, Kind.CITY, Kind.MONASTERY, Kind.GARDEN, Kind.LINES, Kind.CASTLE),
)
"""The kinds of features, in the order of their columns."""
N_KIND_COLUMNS = len(COLUMN_OF_KIND)
COMPLETE, WORTH, WORTH_COMPLETE, OPEN, TILES, SHIELDS, BONUS, CITIES, UNFINISHED, CASTLES = range(
    N_KIND_COLUMNS, N_KIND_COLUMNS + 10
)
N_OWN_COLUMNS = CASTLES + 1
"""Columns of a feature before those of the seats."""
LEADS, STRENGTH, FIRST_FIGURE_COLUMN = range(3)
"""Columns within a seat's block: majority, strength, then the number of each figure kind."""
TILE, FEATURE, PLACES = range(3)
"""Columns of a link."""
N_LINK_COLUMNS = PLACES + 1
Entities = namedtuple("Entities", "scratch features n_features links n_links")
"""Buffers for what many games show; the first axis is the game, except in scratch.

scratch: uint8 (MAX_SEGMENTS, n_columns)
features, n_features: uint8 (n, max_links, n_columns); int32 (n, 1)
links, n_links: int16 (n, max_links, 3); int32 (n, 1)
"""

EntitiesType = numba.types.NamedTuple(
    [uint8[:, ::1], uint8[:, :, ::1], int32[:, ::1], int16[:, :, ::1], int32[:, ::1]], Entities
)
LINK_BITS = 16
"""Bits for the number of links, where it is returned together with that of features."""
CENTRE_BIT = 12
"""Bit of the centre in a link's places; sides and halves come before it."""


@kernel(i8(State, i8))
def complete_value(s, feature):
    """Return what a feature would be worth if it were complete as it is, in points."""
    kind = s.features[feature].kind
    if kind == Kind.CITY:
        return complete_city_value(s, feature)
    if kind == Kind.ROAD:
        each = 2 if s.features[feature].bonus > 0 else 1
        return feature_valued(s, feature, each * s.features[feature].n_tiles)
    if kind == Kind.MONASTERY:
        if s.rules.russian_promos != 0 and is_hut(s, feature):
            return 1 + points_around(s, feature)
        return SURROUNDED + points_around(s, feature) + points_of_monastery(s, feature)
    if kind == Kind.GARDEN:
        return SURROUNDED + points_around(s, feature)
    return value(s, feature)


@kernel(i8(State, i8))
def n_unfinished(s, field):
    """Return the number of incomplete cities beside a field."""
    counted = words_for(N_WORDS)
    found, segment = 0, field
    while True:
        tile = s.tiles[tile_of(s, segment)]
        city = tile.first_segment
        touched = CITIES_TOUCHED[tile.design, segment - city]
        while touched != 0:
            beside = feature_of(s, city)
            if touched & 1 and s.features[beside].kind == Kind.CITY and not is_complete(s, beside):
                found += add(counted, beside)
            touched >>= 1
            city += 1
        segment = s.segments[segment].next
        if segment == field:
            return found


@kernel(i8(i8))
def as_byte(number):
    """Return a number, clipped to what a byte can hold."""
    return max(0, min(number, MAX_BYTE))


@kernel(void(State, i8, i8, i8, uint8[::1]))
def write_leaders(s, feature, seat, width, row):
    """Write who leads on an occupied feature, and each seat's strength, from the observer on."""
    led = leaders(s, feature)
    for k in range(s.rules.n_players):
        other = seat_at(s, seat, k)
        row[N_OWN_COLUMNS + k * width + LEADS] = led >> other & 1
        row[N_OWN_COLUMNS + k * width + STRENGTH] = as_byte(strength(s, feature, other))


@kernel(void(State, i8, i8, i8, uint8[::1]))
def write_feature(s, feature, seat, width, row):
    """Write a feature's row, except how many figures stand on it."""
    row[:] = 0
    found = s.features[feature]
    kind = found.kind
    for k in range(N_KIND_COLUMNS):
        row[k] = COLUMN_OF_KIND[k] == kind
    row[WORTH] = as_byte(value(s, feature))
    row[WORTH_COMPLETE] = as_byte(complete_value(s, feature))
    if kind == Kind.FIELD:
        row[TILES] = found.n_segments
        row[CITIES] = as_byte(found.shields - found.bonus)
        row[UNFINISHED] = as_byte(n_unfinished(s, feature))
        row[CASTLES] = as_byte(found.bonus)
    else:
        row[COMPLETE] = is_complete(s, feature)
        row[OPEN] = as_byte(found.n_open)
        row[TILES] = as_byte(found.n_tiles)
        row[SHIELDS] = found.shields
        row[BONUS] = found.bonus > 0
    if is_occupied(s, feature):
        write_leaders(s, feature, seat, width, row)


@kernel(i8(State))
def block_width(s):
    """Return the number of columns of each seat."""
    n = FIRST_FIGURE_COLUMN
    for kind in range(N_FIGURES):
        n += s.rules.figure_plane[kind] >= 0
    return n


@kernel(void(State, i8, uint8[:, ::1]))
def write_features(s, seat, rows):
    """Write the rows of all features for a seat; row f is that of feature f, others keep theirs."""
    width = block_width(s)
    for feature in range(s.n_segments):
        if s.features[feature].n_segments > 0:
            write_feature(s, feature, seat, width, rows[feature])
    columns, n = room_for(N_FIGURES), FIRST_FIGURE_COLUMN
    for kind in range(N_FIGURES):
        columns[kind] = n
        n += s.rules.figure_plane[kind] >= 0
    for figure in range(SLOTS_PER_SEAT * s.rules.n_players):
        segment = s.figures[figure].segment
        if segment != NO_SEGMENT:
            block = N_OWN_COLUMNS + width * places_between(s, seat, seat_of(figure))
            rows[feature_of(s, segment), block + columns[figure_kind(figure)]] += 1


@kernel(i8(State, i8, i8))
def places_of(s, tile, j):
    """Return as bits where the j-th segment of a tile shows: sides, halves, centre.

    Bits 0 to 3 are the sides that a road or city reaches, 4 to 11 the half sides of a field,
    12 is the centre. A field that is enclosed by its tile, and lines, have none.
    """
    placed = s.tiles[tile]
    kind = SEGMENT_KIND[placed.design, j]
    if kind == Kind.FIELD:
        bits = 0
        for half in range(N_HALVES):
            bits |= (HALF_SEGMENT[placed.design, placed.rotation, half] == j) << 4 + half
        return bits
    if kind == Kind.ROAD or kind == Kind.CITY:
        return SEGMENT_SIDES[placed.design, placed.rotation, j]
    return 0 if kind == Kind.LINES else 1 << CENTRE_BIT


@kernel(i8(State, i8, uint8[:, ::1], uint8[:, ::1], int16[:, ::1]))
def list_features(s, seat, scratch, rows, links):
    """Write the rows of all features in the order of their first segments, and the links.

    ``scratch`` has a row for each possible feature number. Returns the numbers of features and
    links, as ``features << LINK_BITS | links``.
    """
    write_features(s, seat, scratch)
    row_of_feature = room_for(MAX_SEGMENTS)
    for feature in range(s.n_segments):
        row_of_feature[feature] = NO_SEGMENT
    n, n_links = 0, 0
    for tile in range(s.n_tiles):
        first = s.tiles[tile].first_segment
        for j in range(N_SEGMENTS[s.tiles[tile].design]):
            feature = feature_of(s, first + j)
            if row_of_feature[feature] == NO_SEGMENT:
                row_of_feature[feature] = n
                for k in range(rows.shape[1]):
                    rows[n, k] = scratch[feature, k]
                n += 1
            links[n_links, TILE] = tile
            links[n_links, FEATURE] = row_of_feature[feature]
            links[n_links, PLACES] = places_of(s, tile, j)
            n_links += 1
    return n << LINK_BITS | n_links
