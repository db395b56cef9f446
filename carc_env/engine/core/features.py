"""Connected features: how tile segments join, and what completes them.

A feature is identified by the number of one of its segments. When two features join, the one with
fewer segments takes the number of the other, so looking up a segment's feature is a single read.
"""

from carc_env.engine.compiler.jit import b1, i8, kernel, void
from carc_env.engine.compiler.memory import words_for
from carc_env.engine.core.bitset import Bits, add
from carc_env.engine.core.board import N_NEIGHBOURS, N_SIDES, STEP, edge_at, neighbour, tile_at
from carc_env.engine.core.codes import EDGE_CITY, EDGE_FIELD, Kind, Stock
from carc_env.engine.core.moments import (
    is_taken_otherwise,
    leads_on,
    may_be_shared,
    n_open_besides,
    tile_laid,
    touched_elsewhere,
)
from carc_env.engine.core.sizes import N_WORDS
from carc_env.engine.core.state import (
    MOST_SEGMENTS_COUNTED,
    NO_FIGURE,
    NO_SEGMENT,
    NO_TILE,
    PARTS,
    State,
)
from carc_env.engine.core.tiles import (
    ABBEY_DESIGN,
    BONUS,
    CENTRE,
    CITIES_TOUCHED,
    EDGES,
    FIELDS_TOUCHED,
    HALF_SEGMENT,
    HAS_DIVIDED_SIDE,
    HAS_SHARED_SIDE,
    HAS_TWIN,
    IS_ON_TABLE,
    IS_RIVER,
    MAX_SEGMENTS_PER_TILE,
    MOST_SEGMENTS,
    N_OPEN,
    N_SEGMENTS,
    PRINTED,
    SEGMENT_KIND,
    SEGMENT_SIDES,
    SHARED_SEGMENT,
    SHIELDS,
    SIDE_SEGMENT,
    SPOT_SEGMENT,
)
from carc_env.sets.inns.record import ALL_INNS, RIVER_INNS

MAX_TOUCHED = (
    MAX_SEGMENTS_PER_TILE + N_NEIGHBOURS + 2 * N_SIDES + sum(part.changes for part in PARTS)
)
"""Buffer size for :func:`touched_features`."""


@kernel(i8(State, i8))
def feature_of(s, segment):
    """Return the feature that a segment belongs to."""
    return s.segments[segment].feature


@kernel(i8(State, i8))
def tile_of(s, segment):
    """Return the tile that a segment belongs to."""
    return s.segments[segment].tile


@kernel(i8(State, i8))
def cell_of(s, segment):
    """Return the cell of the tile that a segment belongs to."""
    return s.tiles[tile_of(s, segment)].cell


@kernel(i8(State, i8))
def kind_of(s, segment):
    """Return the kind of the feature that a segment belongs to."""
    return s.features[feature_of(s, segment)].kind


@kernel(i8(State, i8, i8))
def segment_at(s, tile, spot):
    """Return the segment named by a spot on a placed tile; the spot must exist."""
    placed = s.tiles[tile]
    return placed.first_segment + SPOT_SEGMENT[placed.design, placed.rotation, spot]


@kernel(b1(State, i8))
def is_buildable(s, tile):
    """Return whether a barn or castle may stand on a tile; none may in Carcassonne (XCK-03)."""
    return s.rules.block_buildable != 0 or not IS_ON_TABLE[s.tiles[tile].design]


@kernel(i8(State, i8))
def centre_at(s, cell):
    """Return the feature of the monastery or garden on a cell, or NO_SEGMENT."""
    tile = tile_at(s, cell)
    if tile == NO_TILE:
        return NO_SEGMENT
    j = CENTRE[s.tiles[tile].design]
    return NO_SEGMENT if j < 0 else s.tiles[tile].first_segment + j


@kernel(b1(State, i8))
def is_occupied(s, feature):
    """Return whether any figure stands on the feature (BASE-06)."""
    return s.features[feature].figure != NO_FIGURE


@kernel(b1(State, i8))
def is_free(s, segment):
    """Return whether a meeple may occupy a segment: its feature has no figures (BASE-06).

    On special monasteries, nobody may be there in the other way either (MON-07). Labyrinths have a
    rule of their own (LAB-05).
    """
    if is_occupied(s, feature_of(s, segment)):
        return may_be_shared(s, segment) > 0
    return is_taken_otherwise(s, segment) == 0


@kernel(b1(State, i8))
def is_complete(s, feature):
    """Return whether a feature is complete (BASE-11, BASE-14, GAR-03).

    Fields never are, and a castle does not count as a complete city (CAS-10).
    """
    kind = s.features[feature].kind
    return kind != Kind.FIELD and kind != Kind.CASTLE and s.features[feature].n_open == 0


@kernel(b1(State, i8))
def has_bonuses(s, design):
    """Return whether a tile's inn or cathedral counts (INN-02, INN-04, RIV2-09)."""
    return s.rules.inns == ALL_INNS or (s.rules.inns == RIVER_INNS and IS_RIVER[design])


@kernel(void(State, i8, i8))
def add_segment(s, tile, j):
    """Make the j-th segment of a tile a separate feature."""
    design, number = s.tiles[tile].design, s.tiles[tile].first_segment + j
    segment = s.segments[number]
    segment.tile = tile
    segment.feature = number
    segment.next = number
    feature = s.features[number]
    feature.kind = SEGMENT_KIND[design, j]
    feature.n_segments = 1
    feature.n_tiles = 1
    feature.n_open = N_OPEN[design, j]
    feature.shields = SHIELDS[design, j]
    feature.bonus = BONUS[design, j] and has_bonuses(s, design)
    feature.figure = NO_FIGURE


@kernel(void(State, i8))
def add_segments(s, tile):
    """Create a new tile's segments, reserving a number for a bridge if one can be built."""
    design, printed = s.tiles[tile].design, PRINTED[s.tiles[tile].design]
    first = s.n_segments
    s.tiles[tile].first_segment = first
    n_most = MOST_SEGMENTS[printed] if s.rules.stock[Stock.BRIDGE] > 0 else N_SEGMENTS[printed]
    s.n_segments = first + n_most
    for j in range(N_SEGMENTS[design]):
        add_segment(s, tile, j)
    tile_laid(s, tile)
    for number in range(first + N_SEGMENTS[design], s.n_segments):
        s.features[number].n_segments = 0  # the record may still hold data from a copied game


@kernel(b1(State, i8, i8))
def tile_is_in(s, segment, feature):
    """Return whether another segment of the same tile belongs to the feature."""
    tile = s.tiles[tile_of(s, segment)]
    first = tile.first_segment
    for twin in range(first, first + N_SEGMENTS[tile.design]):
        if twin != segment and feature_of(s, twin) == feature:
            return True
    return False


@kernel(void(State, i8, i8))
def move_segments(s, small, large):
    """Move all segments of one feature to another, counting each tile once (BASE-15)."""
    segment = small
    while True:
        tile = s.tiles[tile_of(s, segment)]
        has_twin = HAS_TWIN[tile.design, segment - tile.first_segment]
        if not (has_twin and tile_is_in(s, segment, large)):
            s.features[large].n_tiles += 1
        s.segments[segment].feature = large
        segment = s.segments[segment].next
        if segment == small:
            return


@kernel(void(State, i8, i8))
def join_figures(s, small, large):
    """Merge the figure rings of two features that become one (BASE-07)."""
    figure, other = s.features[small].figure, s.features[large].figure
    if figure == NO_FIGURE:
        return
    if other == NO_FIGURE:
        s.features[large].figure = figure
    else:
        following = s.figures[figure].next
        s.figures[figure].next = s.figures[other].next
        s.figures[other].next = following
    s.features[small].figure = NO_FIGURE


@kernel(void(State, i8, i8))
def count_in(s, city, is_castle):
    """Count a city for every field beside it, as complete or later also as a castle (BASE-25)."""
    counted = words_for(N_WORDS)
    segment = city
    while True:
        tile = s.tiles[tile_of(s, segment)]
        field = tile.first_segment
        beside = FIELDS_TOUCHED[tile.design, segment - field]
        while beside != 0:
            if beside & 1 and add(counted, feature_of(s, field)):
                s.features[feature_of(s, field)].shields += 1 - is_castle
                s.features[feature_of(s, field)].bonus += is_castle
            beside >>= 1
            field += 1
        segment = s.segments[segment].next
        if segment == city:
            return


@kernel(i8(State, i8, i8))
def n_beside(s, field, castles_only):
    """Return the number of complete cities and castles, or castles only, beside a field.

    The city of Carcassonne counts as one more (COU-21).
    """
    counted = words_for(N_WORDS)
    found, at_carcassonne = 0, 0
    segment = field
    while True:
        tile = s.tiles[tile_of(s, segment)]
        city = tile.first_segment
        at_carcassonne |= SHIELDS[tile.design, segment - city]
        touched = CITIES_TOUCHED[tile.design, segment - city]
        while touched != 0:
            beside = feature_of(s, city)
            is_castle = kind_of(s, city) == Kind.CASTLE
            counts = is_castle or (castles_only == 0 and is_complete(s, beside))
            if touched & 1 and counts and add(counted, beside):
                found += 1
            touched >>= 1
            city += 1
        segment = s.segments[segment].next
        if segment == field:
            return found if castles_only != 0 else found + at_carcassonne


@kernel(void(State, i8))
def note_completed(s, feature):
    """Count a completed road or city, regardless of who owned it (KR-04, KR-07, KR-10)."""
    completed, n_tiles = s.completed[s.features[feature].kind], s.features[feature].n_tiles
    completed.n_features += 1
    if n_tiles > completed.largest:
        completed.largest, completed.n_largest = n_tiles, 0
    completed.n_largest += n_tiles == completed.largest


@kernel(b1(State, i8, i8))
def is_completed(s, feature, kind):
    """Return whether a number identifies a complete road or city; castles are neither (KR-12)."""
    found = s.features[feature]
    return found.kind == kind and found.n_segments > 0 and found.n_open == 0


@kernel(void(State, i8))
def recount(s, kind):
    """Recount the complete roads or cities after a city became a castle (KR-12) or roads split."""
    completed = s.completed[kind]
    completed.n_features, completed.largest, completed.n_largest = 0, 0, 0
    for feature in range(s.n_segments):
        if is_completed(s, feature, kind):
            note_completed(s, feature)


@kernel(void(State, i8, i8))
def close_sides(s, feature, n):
    """Close n open sides of a road or city, which may complete it."""
    s.features[feature].n_open -= n
    if s.features[feature].n_open != 0:
        return
    note_completed(s, feature)
    if s.features[feature].kind == Kind.CITY:
        count_in(s, feature, 0)


@kernel(b1(State, i8, i8))
def may_share_cities(s, field, other):
    """Return whether two features are fields that may have a complete city in common."""
    is_field = s.features[field].kind == Kind.FIELD
    return is_field and s.features[field].shields > 0 and s.features[other].shields > 0


@kernel(i8(State, i8, i8))
def join(s, segment, other):
    """Merge the features of two segments and return the result."""
    small, large = feature_of(s, segment), feature_of(s, other)
    if small == large:
        return large
    if s.features[small].n_segments > s.features[large].n_segments:
        small, large = large, small
    move_segments(s, small, large)
    join_figures(s, small, large)
    counts_twice = may_share_cities(s, small, large)
    uncounted = MOST_SEGMENTS_COUNTED - s.features[large].n_segments
    s.features[large].n_segments += min(s.features[small].n_segments, uncounted)
    s.features[large].n_open += s.features[small].n_open
    s.features[large].shields += s.features[small].shields
    s.features[large].bonus += s.features[small].bonus
    s.features[small].n_segments = 0
    following = s.segments[small].next
    s.segments[small].next = s.segments[large].next
    s.segments[large].next = following
    if counts_twice:
        s.features[large].shields = n_beside(s, large, 0)
        s.features[large].bonus = n_beside(s, large, 1)
    return large


@kernel(i8(State, i8))
def count_open(s, segment):
    """Count a road or city segment's open ends, or the empty cells around a monastery or garden.

    The lines of a special monastery always count as one.
    """
    placed = s.tiles[tile_of(s, segment)]
    cell = placed.cell
    n = 0
    if kind_of(s, segment) in (Kind.ROAD, Kind.CITY):
        j = segment - placed.first_segment
        sides = SEGMENT_SIDES[placed.design, placed.rotation, j]
        for side in range(N_SIDES):
            is_shown = (
                sides >> side & 1 != 0 or SHARED_SEGMENT[placed.design, placed.rotation, side] == j
            )
            n += is_shown and tile_at(s, cell + STEP[side]) == NO_TILE
        n += n_open_besides(s, segment)
    elif kind_of(s, segment) in (Kind.MONASTERY, Kind.GARDEN):
        for i in range(N_NEIGHBOURS):
            n += tile_at(s, neighbour(cell, i)) == NO_TILE
    elif kind_of(s, segment) == Kind.LINES:
        n = 1  # MON-05: regardless of what surrounds them
    return n


@kernel(void(State, i8, i8))
def join_ends(s, segment, other):
    """Join the open ends of two segments that are not adjacent (TUN-07)."""
    close_sides(s, join(s, segment, other), 2)


@kernel(i8(State, i8, i8, i8))
def join_shared(s, segment, tile, side):
    """Join the second city that a tile shows at a side, if any; return how many joined (HS-40)."""
    placed = s.tiles[tile]
    j = SHARED_SEGMENT[placed.design, placed.rotation, side]
    if j < 0:
        return 0
    join(s, placed.first_segment + j, segment)
    return 1


@kernel(void(State, i8, i8, i8))
def join_side(s, tile, side, neighbour):
    """Join a tile's segments with those of the neighbour at one of its sides."""
    a, b = s.tiles[tile], s.tiles[neighbour]
    opposite = (side + 2) % 4
    design_a, rotation_a, first_a = a.design, a.rotation, a.first_segment
    design_b, rotation_b, first_b = b.design, b.rotation, b.first_segment
    j = SIDE_SEGMENT[design_a, rotation_a, side]
    if j >= 0:
        k = SIDE_SEGMENT[design_b, rotation_b, opposite]
        feature = join(s, first_a + j, first_b + k)
        n_sides = 2
        if HAS_SHARED_SIDE[design_a] or HAS_SHARED_SIDE[design_b]:
            n_sides += join_shared(s, first_a + j, tile, side)
            n_sides += join_shared(s, first_a + j, neighbour, opposite)
            feature = feature_of(s, first_a + j)
        close_sides(s, feature, n_sides)
    edge = edge_at(EDGES[design_a, rotation_a], side)
    if edge == EDGE_CITY:
        return
    is_divided = HAS_DIVIDED_SIDE[design_a] or HAS_DIVIDED_SIDE[design_b]  # HS-41
    n_halves = 1 if edge == EDGE_FIELD and not is_divided else 2
    for i in range(n_halves):
        j = HALF_SEGMENT[design_a, rotation_a, 2 * side + i]
        k = HALF_SEGMENT[design_b, rotation_b, 2 * opposite + 1 - i]
        if j >= 0:  # along a wall of Carcassonne, half a side may show a field (COU-23)
            join(s, first_a + j, first_b + k)


@kernel(i8(State, i8, i8))
def segment_at_side(s, tile, side):
    """Return the road or city segment at a side of a placed tile, or NO_SEGMENT."""
    placed = s.tiles[tile]
    j = SIDE_SEGMENT[placed.design, placed.rotation, side]
    return NO_SEGMENT if j < 0 else placed.first_segment + j


@kernel(i8(State, i8, i8))
def segment_beside(s, cell, side):
    """Return the road or city segment that a cell's neighbour on a side shows it, or NO_SEGMENT."""
    other = tile_at(s, cell + STEP[side])
    return NO_SEGMENT if other == NO_TILE else segment_at_side(s, other, (side + 2) % 4)


@kernel(i8(State, i8, Bits, i8, i8[::1]))
def list_beside(s, segment, seen, n, segments):
    """Append the unseen roads beside a road to the first n segments; return how many there are."""
    placed = s.tiles[tile_of(s, segment)]
    sides = SEGMENT_SIDES[placed.design, placed.rotation, segment - placed.first_segment]
    for side in range(N_SIDES):
        if sides >> side & 1 != 0:
            beside = segment_beside(s, placed.cell, side)
            if beside != NO_SEGMENT and add(seen, beside):
                segments[n] = beside
                n += 1
    return n


@kernel(i8(State, i8, Bits, i8, i8[::1]))
def list_ways_on(s, segment, seen, n, segments):
    """Append the unseen roads that a road leads to; return the new number of segments.

    These roads lie beside it, at the other end of a tunnel or across a lake.
    """
    n = list_beside(s, segment, seen, n, segments)
    beyond = leads_on(s, segment, NO_SEGMENT)
    if beyond != NO_SEGMENT and add(seen, beyond):
        segments[n] = beyond
        n += 1
    return n


@kernel(i8(State, i8, i8))
def shared_beside(s, cell, side):
    """Return the second city that a cell's neighbour on a side shows it, or NO_SEGMENT (HS-40)."""
    other = tile_at(s, cell + STEP[side])
    if other == NO_TILE:
        return NO_SEGMENT
    placed = s.tiles[other]
    j = SHARED_SEGMENT[placed.design, placed.rotation, (side + 2) % 4]
    return NO_SEGMENT if j < 0 else placed.first_segment + j


@kernel(void(State, i8))
def fill_surroundings(s, tile):
    """Count a new tile for the monasteries and gardens around it and for its own (GAR-07)."""
    cell = s.tiles[tile].cell
    own = centre_at(s, cell)
    n_empty = 0
    for i in range(N_NEIGHBOURS):
        near = neighbour(cell, i)
        if tile_at(s, near) == NO_TILE:
            n_empty += 1
            continue
        centre = centre_at(s, near)
        if centre != NO_SEGMENT:
            s.features[centre].n_open -= 1
    if own != NO_SEGMENT:
        s.features[own].n_open = n_empty


@kernel(i8(State, i8, i8[::1]))
def touched_features(s, tile, features):
    """Write the features that a tile is part of, surrounds or (an abbey) closes, some twice.

    For the most recently placed tile, the features that its placement changed elsewhere are added.
    Returns the number of features; ``features`` must have room for ``MAX_TOUCHED``.
    """
    placed = s.tiles[tile]
    design, first, cell = placed.design, placed.first_segment, placed.cell
    n = 0
    for segment in range(first, first + N_SEGMENTS[design]):
        features[n] = feature_of(s, segment)
        n += 1
    for i in range(N_NEIGHBOURS):
        centre = centre_at(s, neighbour(cell, i))
        if centre != NO_SEGMENT:
            features[n] = centre
            n += 1
    if design == ABBEY_DESIGN:
        for side in range(N_SIDES):
            segment = segment_beside(s, cell, side)
            if segment != NO_SEGMENT:
                features[n] = feature_of(s, segment)
                n += 1
            segment = shared_beside(s, cell, side)
            if segment != NO_SEGMENT:
                features[n] = feature_of(s, segment)
                n += 1
    return touched_elsewhere(s, n, features) if tile == s.n_tiles - 1 else n


@kernel(b1(i8, i8[::1]))
def is_repeated(k, features):
    """Return whether the k-th feature of a list also occurs earlier in it."""
    for other in range(k):
        if features[other] == features[k]:
            return True
    return False
