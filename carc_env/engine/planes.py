"""What a seat sees of the board, written into a buffer with a row for each cell or tile.

A row holds one byte for every plane, so that what happens on a tile changes one place in memory.
Planes are relative: *own* is the observing seat, others follow clockwise. Their names and meaning,
in the same order, are in ``observations.py``. What holds for one decision alone (figures, the last
tile, candidates, castles, wagons on the move) is *marked*: noted, and wiped before the next one.
"""

import numpy as np
from numba import uint8

from carc_env.engine import codes
from carc_env.engine._jit import i8, kernel, void
from carc_env.engine.board import N_SIDES, tile_at, to_view
from carc_env.engine.expansions.abbey import is_hole
from carc_env.engine.expansions.bridges import can_build, is_bridged_place
from carc_env.engine.features import is_complete, is_occupied, kind_of
from carc_env.engine.figures import figure_kind, has_majority, majority, seat_of
from carc_env.engine.placement import fits, may_lie
from carc_env.engine.scoring import value
from carc_env.engine.seats import places_between
from carc_env.engine.shown import Shown
from carc_env.engine.state import NO_CELL, NO_DESIGN, NO_SEGMENT, SLOTS_PER_SEAT, State
from carc_env.engine.tiles import (
    ABBEY_DESIGN,
    BRIDGE_AXIS,
    CENTRE,
    EDGES,
    GOOD,
    HALF_SEGMENT,
    N_FORMS,
    N_ROTATIONS,
    N_SEGMENTS,
    NO_AXIS,
    NO_GOOD,
    SEGMENT_KIND,
    SEGMENT_SIDES,
    SHIELDS,
    SIDE_SEGMENT,
)

STATIC_PLANES = 18
"""Planes that depend on the tile alone, see :func:`_static_planes`."""
OWN_SIDE = STATIC_PLANES
OTHERS_SIDE = OWN_SIDE + 4
COMPLETE_SIDE = OTHERS_SIDE + 4
WORTH_SIDE = COMPLETE_SIDE + 4
OWN_HALF = WORTH_SIDE + 4
OTHERS_HALF = OWN_HALF + 8
OWN_CENTRE = OTHERS_HALF + 8
OTHERS_CENTRE = OWN_CENTRE + 1
WORTH_CENTRE = OTHERS_CENTRE + 1
LAST_TILE = WORTH_CENTRE + 1
CANDIDATE = LAST_TILE + 1
CANDIDATE_WITH_BRIDGE = 2
N_FIXED_PLANES = CANDIDATE + 4
"""Planes that every set of rules has; then come those of expansions, then those of the seats."""
FARMER_PLANE = 1
"""Among the planes of a seat; those of the other figures are in ``rules.figure_plane``."""
N_PLACE_COLUMNS = 2
"""Columns behind the planes in boards with a row for each tile: its row and column in the view."""

LARGE_FARMER = 2
"""Value in the plane of large meeples of one that lies in a field."""

SIDE_PAIRS = ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))
N_HALVES = 8
MAX_BYTE = 255
MAX_PLANES = 256

BLANK, OWN, OTHERS, COMPLETE, BONUS = 0, 1, 2, 4, 8
"""Bits of the look of a feature: what is shown on all its tiles; above them its worth."""
WORTH_SHIFT = 4


def _static_planes():
    """Occupied, city and road at each side, sides linked inside the tile, coats, centre."""
    planes = np.zeros((N_FORMS, 4, STATIC_PLANES), np.uint8)
    for design in range(N_FORMS):
        for rotation in range(4):
            p = planes[design, rotation]
            shown = SIDE_SEGMENT[design, rotation]
            p[0] = 1
            for side in range(4):
                edge = EDGES[design, rotation] >> 4 * side & 15
                p[1 + side] = edge == codes.EDGE_CITY
                p[5 + side] = edge == codes.EDGE_ROAD
            for k, (a, b) in enumerate(SIDE_PAIRS):
                p[9 + k] = shown[a] >= 0 and shown[a] == shown[b]
            centre = CENTRE[design]
            p[15] = SHIELDS[design].sum()
            p[16] = centre >= 0 and SEGMENT_KIND[design, centre] == codes.MONASTERY
            p[17] = centre >= 0 and SEGMENT_KIND[design, centre] == codes.GARDEN
    return planes


TILE_PLANES = _static_planes()


def most_shown(form: int) -> int:
    """How many planes a tile can show at once, figures and marks left out."""
    static = np.count_nonzero(TILE_PLANES[form, 0])
    of_sides = 5 * np.count_nonzero(SIDE_SEGMENT[form, 0] >= 0)
    of_fields = 2 * np.count_nonzero(HALF_SEGMENT[form, 0] >= 0)
    of_centre = 3 * (CENTRE[form] >= 0)
    goods = np.count_nonzero(GOOD[form] != NO_GOOD)
    river = sum(EDGES[form, 0] >> 4 * side & codes.EDGE_RIVER != 0 for side in range(N_SIDES))
    bridge = BRIDGE_AXIS[form, 0] != NO_AXIS
    abbey = form == ABBEY_DESIGN
    return int(static + of_sides + of_fields + of_centre + goods + river + bridge + abbey)


@kernel(i8(State, Shown, i8))
def row_of(s, show, tile):
    """Return the row of the board that belongs to a tile."""
    return tile if i8(show.by_tile) != 0 else to_view(s, i8(s.tiles[tile].cell))


@kernel(i8(State, Shown, i8))
def row_of_segment(s, show, segment):
    """Return the row of the board that belongs to the tile of a segment."""
    return row_of(s, show, i8(s.segments[segment].tile))


# What stays: tiles and features.


@kernel(void(State, i8, uint8[::1]))
def paint_goods(s, design, row):
    """Write which symbols of trade goods a tile shows, a plane for each."""
    for j in range(i8(N_SEGMENTS[design])):
        good = i8(GOOD[design, j])
        if good != NO_GOOD:
            row[i8(s.rules.goods_plane) + good] = 1


@kernel(void(State, i8, uint8[::1]))
def paint_river(s, edges, row):
    """Write at which sides the river runs."""
    for side in range(N_SIDES):
        row[i8(s.rules.river_plane) + side] = edges >> (4 * side) & codes.EDGE_RIVER != 0


@kernel(void(State, i8, uint8[::1]))
def paint_bridge(s, axis, row):
    """Write which way a bridge runs over a tile."""
    if axis != NO_AXIS:
        row[i8(s.rules.bridge_plane) + axis] = 1


@kernel(void(State, Shown, i8, uint8[:, ::1]))
def paint_tile(s, show, tile, board):
    """Write what a tile shows by itself."""
    placed = s.tiles[tile]
    design, rotation = i8(placed.design), i8(placed.rotation)
    row = board[row_of(s, show, tile)]
    for plane in range(STATIC_PLANES):
        row[plane] = TILE_PLANES[design, rotation, plane]
    if design == ABBEY_DESIGN:
        row[i8(s.rules.abbey_plane)] = 1
    if i8(s.rules.goods) > 0:
        paint_goods(s, design, row)
    if i8(s.rules.river_plane) >= 0:
        paint_river(s, i8(EDGES[design, rotation]), row)
    if i8(s.rules.bridges) > 0:
        paint_bridge(s, i8(BRIDGE_AXIS[design, rotation]), row)


@kernel(i8(State, Shown, i8))
def look_of(s, show, feature):
    """Return what is shown of a feature on all its tiles; BLANK without anything."""
    look = BLANK
    if is_occupied(s, feature):
        most = majority(s, feature)
        for seat in range(i8(s.rules.n_players)):
            if has_majority(s, feature, seat, most):
                look |= OWN if seat == i8(show.seat) else OTHERS
    if i8(s.features[feature].kind) == codes.FIELD:
        return look
    look |= COMPLETE * is_complete(s, feature) | BONUS * (i8(s.features[feature].bonus) > 0)
    return look | min(value(s, feature), MAX_BYTE) << WORTH_SHIFT


@kernel(void(i8, i8, uint8[::1]))
def paint_half(half, look, row):
    """Write whose the field at a half-edge is."""
    row[OWN_HALF + half] = look & OWN != 0
    row[OTHERS_HALF + half] = look & OTHERS != 0


@kernel(void(i8, i8, uint8[::1]))
def paint_side(side, look, row):
    """Write whose the road or city at a side is, whether it is complete, and its worth."""
    row[OWN_SIDE + side] = look & OWN != 0
    row[OTHERS_SIDE + side] = look & OTHERS != 0
    row[COMPLETE_SIDE + side] = look & COMPLETE != 0
    row[WORTH_SIDE + side] = look >> WORTH_SHIFT


@kernel(void(i8, uint8[::1]))
def paint_centre(look, row):
    """Write whose the monastery or garden in the centre is, and its worth."""
    row[OWN_CENTRE] = look & OWN != 0
    row[OTHERS_CENTRE] = look & OTHERS != 0
    row[WORTH_CENTRE] = look >> WORTH_SHIFT


@kernel(void(State, i8, i8, uint8[::1]))
def paint_segment(s, segment, look, row):
    """Write the look of a feature at one of its segments."""
    placed = s.tiles[i8(s.segments[segment].tile)]
    design, rotation = i8(placed.design), i8(placed.rotation)
    j = segment - i8(placed.first_segment)
    kind = i8(SEGMENT_KIND[design, j])
    if kind == codes.FIELD:
        for half in range(N_HALVES):
            if i8(HALF_SEGMENT[design, rotation, half]) == j:
                paint_half(half, look, row)
    elif kind == codes.CITY or kind == codes.ROAD:
        for side in range(N_SIDES):
            if i8(SEGMENT_SIDES[design, rotation, j]) >> side & 1:
                paint_side(side, look, row)
                if i8(s.rules.inns) > 0:
                    row[i8(s.rules.bonus_plane) + side] = look & BONUS != 0
    else:
        paint_centre(look, row)


@kernel(void(State, Shown, i8, uint8[:, ::1]))
def paint_feature(s, show, feature, board):
    """Write the look of a feature wherever another one is shown."""
    look = look_of(s, show, feature)
    segment = feature
    while True:
        if i8(show.looks[segment]) != look:
            show.looks[segment] = look
            row = board[row_of_segment(s, show, segment)]
            paint_segment(s, segment, look, row)
        segment = i8(s.segments[segment].next)
        if segment == feature:
            return


# What holds for one decision: marks.


@kernel(void(Shown, i8, i8, i8, uint8[:, ::1]))
def mark(show, row, plane, shown, board):
    """Write a byte that is wiped before the next decision."""
    board[row, plane] = shown
    n = i8(show.n_marks)
    show.marks[n] = row * MAX_PLANES + plane
    show.n_marks = n + 1


@kernel(void(Shown, uint8[:, ::1]))
def wipe_marks(show, board):
    """Wipe what held for the last decision."""
    for k in range(i8(show.n_marks)):
        place = i8(show.marks[k])
        board[place // MAX_PLANES, place % MAX_PLANES] = 0
    show.n_marks = 0


@kernel(void(State, Shown, i8, uint8[:, ::1]))
def mark_figure(s, show, figure, board):
    """Write where a figure stands."""
    segment = i8(s.figures[figure].segment)
    kind = figure_kind(figure)
    plane = i8(s.rules.figure_plane[kind])
    is_farmer = kind_of(s, segment) == codes.FIELD
    if kind == codes.MEEPLE and is_farmer:
        plane = FARMER_PLANE
    shown = max(1, i8(s.figures[figure].corner) + 1)
    if kind == codes.LARGE and is_farmer:
        shown = LARGE_FARMER
    seats_away = places_between(s, i8(show.seat), seat_of(figure))
    plane += i8(s.rules.seat_plane) + i8(s.rules.planes_per_seat) * seats_away
    mark(show, row_of_segment(s, show, segment), plane, shown, board)


@kernel(void(State, Shown, uint8[:, ::1]))
def mark_figures(s, show, board):
    """Write where the figures of every seat stand."""
    for figure in range(SLOTS_PER_SEAT * i8(s.rules.n_players)):
        if i8(s.figures[figure].segment) != NO_SEGMENT:
            mark_figure(s, show, figure, board)


@kernel(void(State, Shown, uint8[:, ::1]))
def mark_candidates(s, show, board):
    """Write where the tile in hand may go, a plane for each rotation."""
    design = i8(s.hand)
    may_bridge = can_build(s, i8(s.turn_player))
    for f in range(i8(s.n_frontier)):
        required = i8(s.frontier[f].edges)
        for rotation in range(i8(N_ROTATIONS[design])):
            edges = i8(EDGES[design, rotation])
            if fits(edges, required):
                shown = i8(may_lie(s, edges, f))
            elif may_bridge and is_bridged_place(s, edges, f):
                shown = CANDIDATE_WITH_BRIDGE
            else:
                continue
            if shown != 0:
                row = to_view(s, i8(s.frontier[f].cell))
                mark(show, row, CANDIDATE + rotation, shown, board)


@kernel(void(State, Shown, uint8[:, ::1]))
def mark_holes(s, show, board):
    """Write the holes where an abbey may be placed, as candidates."""
    for f in range(i8(s.n_frontier)):
        if is_hole(s, f):
            mark(show, to_view(s, i8(s.frontier[f].cell)), CANDIDATE, 1, board)


@kernel(void(State, Shown, uint8[:, ::1]))
def mark_moving_wagon(s, show, board):
    """Write which tile the wagon that is to be moved comes from, and the tile chosen for it."""
    plane = i8(s.rules.wagon_plane)
    if i8(s.phase) == codes.WAGON_MOVE or i8(s.phase) == codes.WAGON_SPOT:
        origin = i8(s.players[i8(s.decider)].wagon_from)
        mark(show, row_of_segment(s, show, origin), plane, 1, board)
    if i8(s.wagon_cell) != NO_CELL:
        mark(show, row_of(s, show, tile_at(s, i8(s.wagon_cell))), plane + 1, 1, board)


@kernel(void(State, Shown, uint8[:, ::1]))
def mark_castles(s, show, board):
    """Write where castles stand and what they have just taken, and what is decided on."""
    plane = i8(s.rules.castle_plane)
    for k in range(i8(s.n_castles)):
        shown = min(1 + i8(s.castles[k].points), MAX_BYTE)
        segment = i8(s.castles[k].segment)
        mark(show, row_of_segment(s, show, segment), plane, shown, board)
        mark(show, row_of_segment(s, show, i8(s.segments[segment].next)), plane, shown, board)
    town = i8(s.town)
    if town != NO_SEGMENT:
        mark(show, row_of_segment(s, show, town), plane + 1, 1, board)
        mark(show, row_of_segment(s, show, i8(s.segments[town].next)), plane + 1, 1, board)


@kernel(void(State, Shown, uint8[:, ::1]))
def mark_decision(s, show, board):
    """Write all that holds for this decision alone; candidates only where cells have rows."""
    mark_figures(s, show, board)
    mark(show, row_of(s, show, i8(s.n_tiles) - 1), LAST_TILE, 1, board)
    if i8(s.rules.owned[codes.WAGON]) > 0:
        mark_moving_wagon(s, show, board)
    if i8(s.rules.tokens) > 0:
        mark_castles(s, show, board)
    if i8(show.by_tile) != 0:
        return
    if i8(s.hand) != NO_DESIGN:
        mark_candidates(s, show, board)
    if i8(s.phase) == codes.DRAW_OR_ABBEY:
        mark_holes(s, show, board)
