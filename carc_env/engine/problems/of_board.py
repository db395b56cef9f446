"""Edges, free cells and features, recounted from the tiles on the table."""

from carc_env.engine.compiler.jit import b1, i8, kernel
from carc_env.engine.core.board import (
    N_SIDES,
    STEP,
    edge_at,
    in_view,
    tile_at,
)
from carc_env.engine.core.codes import EDGE_ABBEY, Kind, Stock
from carc_env.engine.core.features import (
    count_open,
    feature_of,
    has_bonuses,
    is_completed,
    kind_of,
    n_beside,
    tile_of,
)
from carc_env.engine.core.state import BOARD, MOST_SEGMENTS_COUNTED, NO_TILE, State
from carc_env.engine.core.tiles import (
    BONUS,
    EDGES,
    MOST_SEGMENTS,
    N_SEGMENTS,
    PRINTED,
    SEGMENT_KIND,
    SHIELDS,
)


@kernel(i8(State, i8))
def edges_of(s, tile):
    """Return the edge kinds of a placed tile."""
    return EDGES[s.tiles[tile].design, s.tiles[tile].rotation]


@kernel(b1(State))
def has_mismatched_edges(s):
    """Return whether any tile's edge differs from the neighbour's edge beside it."""
    for tile in range(s.n_tiles):
        for side in range(N_SIDES):
            other = tile_at(s, s.tiles[tile].cell + STEP[side])
            if other != NO_TILE:
                own = edge_at(edges_of(s, tile), side)
                shown = edge_at(edges_of(s, other), (side + 2) % 4)
                if own != shown and own != EDGE_ABBEY and shown != EDGE_ABBEY:
                    return True
    return False


@kernel(i8(State, i8))
def edges_required(s, cell):
    """Return the edges that the tiles around an empty cell require there."""
    required = 0
    for side in range(N_SIDES):
        other = tile_at(s, cell + STEP[side])
        if other != NO_TILE:
            opposite = (side + 2) % 4
            required |= edge_at(edges_of(s, other), opposite) << (4 * side)
    return required


@kernel(b1(State))
def has_wrong_frontier(s):
    """Return whether the frontier differs from the list of empty cells beside tiles."""
    n_listed = 0
    for row in range(max(1, s.min_row - 1), min(BOARD - 2, s.max_row + 1) + 1):
        for column in range(max(1, s.min_column - 1), min(BOARD - 2, s.max_column + 1) + 1):
            cell = row * BOARD + column
            if tile_at(s, cell) != NO_TILE:
                continue
            required = edges_required(s, cell)
            f = -s.board[cell] - 1
            if (required != 0) != (f >= 0):
                return True
            if f >= 0:
                n_listed += 1
                if s.frontier[f].cell != cell or s.frontier[f].edges != required:
                    return True
    return n_listed != s.n_frontier


@kernel(b1(State, i8, i8))
def is_first_of_its_tile(s, feature, segment):
    """Return whether no earlier segment in the feature's ring is on the same tile."""
    other = feature
    while other != segment:
        if tile_of(s, other) == tile_of(s, segment):
            return False
        other = s.segments[other].next
    return True


@kernel(b1(State, i8))
def is_of_wrong_kind(s, segment):
    """Check if a segment's feature and tile show different kinds; a castle counts as a city."""
    placed = s.tiles[tile_of(s, segment)]
    shown = SEGMENT_KIND[placed.design, segment - placed.first_segment]
    kind = kind_of(s, segment)
    if kind == Kind.CASTLE:
        return shown != Kind.CITY
    return shown != kind


@kernel(i8(State, i8))
def n_counted(s, feature):
    """Return a feature's number of segments by walking its ring, or 0 if it is miscounted."""
    n_segments, n_tiles, n_open, shields, bonus = 0, 0, 0, 0, 0
    segment = feature
    is_field = s.features[feature].kind == Kind.FIELD
    while n_segments <= s.n_segments:
        placed = s.tiles[tile_of(s, segment)]
        if feature_of(s, segment) != feature or is_of_wrong_kind(s, segment):
            return 0
        n_segments += 1
        n_open += count_open(s, segment)
        shields += SHIELDS[placed.design, segment - placed.first_segment]
        has_bonus = BONUS[placed.design, segment - placed.first_segment]
        bonus += has_bonus and has_bonuses(s, placed.design)
        n_tiles += not is_field and is_first_of_its_tile(s, feature, segment)
        segment = s.segments[segment].next
        if segment == feature:
            break
    if is_field:
        shields, bonus = n_beside(s, feature, 0), n_beside(s, feature, 1)
    is_miscounted = (
        min(n_segments, MOST_SEGMENTS_COUNTED) != s.features[feature].n_segments
        or n_open != s.features[feature].n_open
        or shields != s.features[feature].shields
        or bonus != s.features[feature].bonus
        or (not is_field and n_tiles != s.features[feature].n_tiles)
    )
    return 0 if is_miscounted else n_segments


@kernel(b1(State))
def has_wrong_features(s):
    """Return whether any segment is not in exactly one feature, or any feature is miscounted."""
    n_segments = 0
    for feature in range(s.n_segments):
        if s.features[feature].n_segments > 0:
            n = n_counted(s, feature)
            if n == 0:
                return True
            n_segments += n
    n_unused = 0
    if s.rules.stock[Stock.BRIDGE] > 0:
        for tile in range(s.n_tiles):
            form = s.tiles[tile].design
            n_unused += MOST_SEGMENTS[PRINTED[form]] - N_SEGMENTS[form]
    return n_segments + n_unused != s.n_segments


@kernel(b1(State, i8))
def has_wrong_completed(s, kind):
    """Return whether the counts of complete roads or cities, or of the largest ones, are wrong."""
    n_features, largest, n_largest = 0, 0, 0
    for feature in range(s.n_segments):
        if is_completed(s, feature, kind):
            n_tiles = s.features[feature].n_tiles
            n_features += 1
            n_largest = 1 if n_tiles > largest else n_largest + (n_tiles == largest)
            largest = max(largest, n_tiles)
    completed = s.completed[kind]
    return (
        n_features != completed.n_features
        or largest != completed.largest
        or n_largest != completed.n_largest
    )


@kernel(b1(State))
def leaves_view(s):
    """Return whether a tile lies outside the view."""
    for tile in range(s.n_tiles):
        if not in_view(s, s.tiles[tile].cell):
            return True
    return False
