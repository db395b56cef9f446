"""What a seat sees: the planes of the board and the vector of globals, written into buffers.

Planes are relative: *own* is the observing seat, others follow clockwise. Names and meaning of the
planes and globals, in the same order, are in ``observations.py``.
"""

import numpy as np
from numba import float32, uint8

from carc_env.engine import codes
from carc_env.engine._jit import i8, kernel, void
from carc_env.engine.board import N_SIDES, to_view
from carc_env.engine.expansions.abbey import is_hole
from carc_env.engine.expansions.bridges import can_build, is_bridged_place
from carc_env.engine.features import feature_of, is_complete, is_occupied, kind_of, segment_at_side
from carc_env.engine.fief import cell_of
from carc_env.engine.figures import figure_kind, has_majority, majority, seat_of
from carc_env.engine.placement import is_place
from carc_env.engine.scoring import value
from carc_env.engine.seats import places_between, seat_at
from carc_env.engine.standings import standing
from carc_env.engine.state import (
    MAX_FIGURES,
    NO_CELL,
    NO_DESIGN,
    NO_SEAT,
    NO_SEGMENT,
    NO_TILE,
    State,
)
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
    SEGMENT_SPOT,
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

LARGE_FARMER = 2
"""Value in the plane of large meeples of one that lies in a field."""

SIDE_PAIRS = ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))
MAX_BYTE = 255

SPOT_GLOBALS = 9


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


def _planes_shown():
    """The planes that are not zero for a tile, -1 behind the last, and their values."""
    planes = _static_planes()
    shown = np.full((*planes.shape[:2], STATIC_PLANES + 1), -1, np.int8)
    for design, rotation in np.ndindex(planes.shape[:2]):
        which = np.flatnonzero(planes[design, rotation])
        shown[design, rotation, : len(which)] = which
    return shown, planes


PLANES_SHOWN, PLANE_VALUES = _planes_shown()


@kernel(void(State, i8, uint8[:, ::1]))
def paint_tile(s, tile, board):
    """Write what the tile itself shows."""
    placed = s.tiles[tile]
    design, rotation = i8(placed.design), i8(placed.rotation)
    at = to_view(s, i8(placed.cell))
    k = 0
    while PLANES_SHOWN[design, rotation, k] >= 0:
        plane = i8(PLANES_SHOWN[design, rotation, k])
        board[plane, at] = PLANE_VALUES[design, rotation, plane]
        k += 1


@kernel(void(State, i8, i8, uint8[:, ::1]))
def paint_feature(s, feature, seat, board):
    """Write on all tiles of a feature whose it is, whether it is complete and what it is worth."""
    own, others = False, False
    if is_occupied(s, feature):
        most = majority(s, feature)
        own = has_majority(s, feature, seat, most)
        for rival in range(i8(s.rules.n_players)):
            others |= rival != seat and has_majority(s, feature, rival, most)
    complete = is_complete(s, feature)
    worth = min(value(s, feature), MAX_BYTE)
    kind = i8(s.features[feature].kind)
    if not own and not others and worth == 0:
        return
    segment = feature
    while True:
        placed = s.tiles[i8(s.segments[segment].tile)]
        design, rotation = i8(placed.design), i8(placed.rotation)
        at = to_view(s, i8(placed.cell))
        j = segment - i8(placed.first_segment)
        sides = i8(SEGMENT_SIDES[design, rotation, j])
        for side in range(N_SIDES):
            if sides >> side & 1:
                board[WORTH_SIDE + side, at] = worth
                if own or others or complete:
                    board[OWN_SIDE + side, at] = own
                    board[OTHERS_SIDE + side, at] = others
                    board[COMPLETE_SIDE + side, at] = complete
        if kind == codes.FIELD and (own or others):
            for half in range(8):
                if i8(HALF_SEGMENT[design, rotation, half]) == j:
                    board[OWN_HALF + half, at] = own
                    board[OTHERS_HALF + half, at] = others
        elif kind == codes.MONASTERY or kind == codes.GARDEN:
            board[OWN_CENTRE, at] = own
            board[OTHERS_CENTRE, at] = others
            board[WORTH_CENTRE, at] = worth
        segment = i8(s.segments[segment].next)
        if segment == feature:
            return


@kernel(void(State, i8, uint8[:, ::1]))
def paint_figures(s, seat, board):
    """Write where the figures of every seat stand."""
    for figure in range(MAX_FIGURES):
        segment = i8(s.figures[figure].segment)
        if segment == NO_SEGMENT:
            continue
        at = to_view(s, i8(s.tiles[i8(s.segments[segment].tile)].cell))
        kind = figure_kind(figure)
        plane = i8(s.rules.figure_plane[kind])
        is_farmer = kind_of(s, segment) == codes.FIELD
        if kind == codes.MEEPLE and is_farmer:
            plane = FARMER_PLANE
        shown = max(1, i8(s.figures[figure].corner) + 1)
        if kind == codes.LARGE and is_farmer:
            shown = LARGE_FARMER
        seats_away = places_between(s, seat, seat_of(figure))
        first = i8(s.rules.seat_plane) + i8(s.rules.planes_per_seat) * seats_away
        board[first + plane, at] = shown


@kernel(void(State, uint8[:, ::1]))
def paint_candidates(s, board):
    """Write where the tile in hand may go, a plane for each rotation."""
    design = i8(s.hand)
    may_bridge = can_build(s, i8(s.turn_player))
    for f in range(i8(s.n_frontier)):
        cell = i8(s.frontier[f].cell)
        for rotation in range(i8(N_ROTATIONS[design])):
            edges = i8(EDGES[design, rotation])
            if is_place(s, edges, f):
                board[CANDIDATE + rotation, to_view(s, cell)] = 1
            elif may_bridge and is_bridged_place(s, edges, f):
                board[CANDIDATE + rotation, to_view(s, cell)] = CANDIDATE_WITH_BRIDGE


@kernel(void(State, uint8[:, ::1]))
def paint_abbeys(s, board):
    """Write where abbeys lie and, when one may be placed, the holes as candidates."""
    for tile in range(i8(s.n_tiles)):
        if i8(s.tiles[tile].design) == ABBEY_DESIGN:
            board[i8(s.rules.abbey_plane), to_view(s, i8(s.tiles[tile].cell))] = 1
    if i8(s.phase) == codes.DRAW_OR_ABBEY:
        for f in range(i8(s.n_frontier)):
            if is_hole(s, f):
                board[CANDIDATE, to_view(s, i8(s.frontier[f].cell))] = 1


@kernel(void(State, uint8[:, ::1]))
def paint_moving_wagon(s, board):
    """Write which tile the wagon that is to be moved comes from, and the tile chosen for it."""
    if i8(s.phase) == codes.WAGON_MOVE or i8(s.phase) == codes.WAGON_SPOT:
        tile = s.tiles[i8(s.segments[i8(s.players[i8(s.decider)].wagon_from)].tile)]
        board[i8(s.rules.wagon_plane), to_view(s, i8(tile.cell))] = 1
    if i8(s.wagon_cell) != NO_CELL:
        board[i8(s.rules.wagon_plane) + 1, to_view(s, i8(s.wagon_cell))] = 1


@kernel(void(State, uint8[:, ::1]))
def paint_bonuses(s, board):
    """Write at which sides the road has an inn or the city a cathedral, anywhere on it."""
    for tile in range(i8(s.n_tiles)):
        for side in range(N_SIDES):
            segment = segment_at_side(s, tile, side)
            if segment != NO_SEGMENT and i8(s.features[feature_of(s, segment)].bonus) > 0:
                board[i8(s.rules.bonus_plane) + side, to_view(s, i8(s.tiles[tile].cell))] = 1


@kernel(void(State, uint8[:, ::1]))
def paint_goods(s, board):
    """Write which tiles show symbols of trade goods, a plane for each."""
    for tile in range(i8(s.n_tiles)):
        placed = s.tiles[tile]
        for j in range(i8(N_SEGMENTS[i8(placed.design)])):
            good = i8(GOOD[i8(placed.design), j])
            if good != NO_GOOD:
                board[i8(s.rules.goods_plane) + good, to_view(s, i8(placed.cell))] = 1


@kernel(void(State, uint8[:, ::1]))
def paint_river(s, board):
    """Write at which sides the river runs."""
    for tile in range(i8(s.n_tiles)):
        placed = s.tiles[tile]
        edges = i8(EDGES[i8(placed.design), i8(placed.rotation)])
        for side in range(N_SIDES):
            if edges >> (4 * side) & codes.EDGE_RIVER:
                board[i8(s.rules.river_plane) + side, to_view(s, i8(placed.cell))] = 1


@kernel(void(State, uint8[:, ::1]))
def paint_bridges(s, board):
    """Write where bridges stand, a plane for each direction."""
    for tile in range(i8(s.n_tiles)):
        placed = s.tiles[tile]
        axis = i8(BRIDGE_AXIS[i8(placed.design), i8(placed.rotation)])
        if axis != NO_AXIS:
            board[i8(s.rules.bridge_plane) + axis, to_view(s, i8(placed.cell))] = 1


@kernel(void(State, i8, i8, uint8[::1]))
def paint_both_tiles(s, segment, shown, plane):
    """Write a value on the two tiles of a town or castle."""
    plane[to_view(s, cell_of(s, segment))] = shown
    plane[to_view(s, cell_of(s, i8(s.segments[segment].next)))] = shown


@kernel(void(State, uint8[:, ::1]))
def paint_castles(s, board):
    """Write where castles stand and what they have just taken, and what is decided on."""
    plane = i8(s.rules.castle_plane)
    for k in range(i8(s.n_castles)):
        castle = s.castles[k]
        shown = min(1 + i8(castle.points), MAX_BYTE)
        paint_both_tiles(s, i8(castle.segment), shown, board[plane])
    if i8(s.town) != NO_SEGMENT:
        paint_both_tiles(s, i8(s.town), 1, board[plane + 1])


@kernel(void(State, i8, uint8[:, ::1]))
def write_board(s, seat, board):
    """Write all planes, shape (planes, view * view), as a seat sees them."""
    board[:] = 0
    for tile in range(i8(s.n_tiles)):
        paint_tile(s, tile, board)
    for feature in range(i8(s.n_segments)):
        if i8(s.features[feature].n_segments) > 0:
            paint_feature(s, feature, seat, board)
    paint_figures(s, seat, board)
    board[LAST_TILE, to_view(s, i8(s.tiles[i8(s.n_tiles) - 1].cell))] = 1
    if i8(s.hand) != NO_DESIGN:
        paint_candidates(s, board)
    if i8(s.rules.abbeys) > 0:
        paint_abbeys(s, board)
    if i8(s.rules.owned[codes.WAGON]) > 0:
        paint_moving_wagon(s, board)
    if i8(s.rules.inns) > 0:
        paint_bonuses(s, board)
    if i8(s.rules.goods) > 0:
        paint_goods(s, board)
    if i8(s.rules.river_plane) >= 0:
        paint_river(s, board)
    if i8(s.rules.bridges) > 0:
        paint_bridges(s, board)
    if i8(s.rules.tokens) > 0:
        paint_castles(s, board)


@kernel(i8(State, i8, float32[::1]))
def write_supplies(s, seat, out):
    """Write what a seat has in hand as shares of the most, and goods; return how many numbers."""
    n = 0
    for kind in range(codes.N_FIGURES):
        if i8(s.rules.owned[kind]) > 0:
            out[n] = i8(s.players[seat].supply[kind]) / i8(s.rules.owned[kind])
            n += 1
    if i8(s.rules.abbeys) > 0:
        out[n] = i8(s.players[seat].abbeys) / i8(s.rules.abbeys)
        n += 1
    if i8(s.rules.bridges) > 0:
        out[n] = i8(s.players[seat].bridges) / i8(s.rules.bridges)
        n += 1
    if i8(s.rules.tokens) > 0:
        out[n] = i8(s.players[seat].tokens) / i8(s.rules.tokens)
        n += 1
    if i8(s.rules.goods) > 0:
        for good in range(codes.N_GOODS):
            out[n] = i8(s.players[seat].goods[good]) / 10
            n += 1
    return n


@kernel(i8(State, i8, float32[::1]))
def write_seats(s, seat, out):
    """Write turn, decision, scores and supplies of every seat; return how many numbers."""
    n = 0
    for k in range(i8(s.rules.n_players)):
        other = seat_at(s, seat, k)
        out[n] = i8(s.turn_player) == other
        out[n + 1] = i8(s.decider) == other
        out[n + 2] = i8(s.players[other].score) / 100
        out[n + 3] = standing(s, other) / 100
        n += 4
        n += write_supplies(s, other, out[n:])
    return n


@kernel(void(State, i8, float32[::1]))
def count_as_left(s, design, out):
    """Add a tile that nobody has seen to the share of its design."""
    out[i8(s.rules.design_slot[design])] += 1 / i8(s.rules.copies[design])


@kernel(i8(State, float32[::1]))
def write_tiles(s, out):
    """Write the tile in hand and the share of each design that nobody has seen; return how many."""
    n = i8(s.rules.n_designs)
    if i8(s.hand) != NO_DESIGN:
        out[i8(s.rules.design_slot[i8(s.hand)])] = 1
    for i in range(i8(s.n_bag)):
        count_as_left(s, i8(s.bag[i]), out[n:])
    if i8(s.bazaar.waits) != 0:
        for lot in range(i8(s.rules.n_players)):
            count_as_left(s, i8(s.bazaar.lots[lot].design), out[n:])
    out[2 * n] = i8(s.n_bag) / (i8(s.n_bag) + i8(s.n_tiles))
    return 2 * n + 1


@kernel(i8(State, i8, i8, float32[::1]))
def write_seat(s, seat, other, out):
    """Write which seat another one is, seen from the first; none for NO_SEAT."""
    if other != NO_SEAT:
        out[places_between(s, seat, other)] = 1
    return i8(s.rules.n_players)


@kernel(i8(State, i8, float32[::1]))
def write_bazaar(s, seat, out):
    """Write the tiles on offer, whose they are, and how the sale stands; return how many."""
    out[0] = s.is_bought
    n = 1
    if i8(s.rules.owned[codes.BUILDER]) > 0:
        out[1], out[2] = s.bazaar.waits, s.bazaar.owed_bridged
        has_owed = i8(s.bazaar.owed_part) != NO_TILE
        n = 3 + write_seat(s, seat, i8(s.bazaar.resumes) if has_owed else NO_SEAT, out[3:])
    for lot in range(i8(s.rules.n_players)):
        design = i8(s.bazaar.lots[lot].design)
        if design != NO_DESIGN and i8(s.bazaar.waits) == 0:
            out[n + i8(s.rules.design_slot[design])] = 1
        n += i8(s.rules.n_designs)
        n += write_seat(s, seat, i8(s.bazaar.lots[lot].owner), out[n:])
        out[n] = i8(s.bazaar.lot) == lot
        n += 1
    for k in range(i8(s.bazaar.n_delayed)):
        out[n + places_between(s, seat, i8(s.bazaar.delayed[k]))] += 1
    n += i8(s.rules.n_players)
    out[n] = i8(s.bazaar.price) / 10
    n += 1
    n += write_seat(s, seat, i8(s.bazaar.bidder), out[n:])
    return n + write_seat(s, seat, i8(s.bazaar.chooser), out[n:])


@kernel(void(State, i8, float32[::1]))
def write_spots(s, seat, out):
    """Write what each spot of the tile just placed offers."""
    tile = s.tiles[i8(s.n_tiles) - 1]
    design, rotation, first = i8(tile.design), i8(tile.rotation), i8(tile.first_segment)
    for j in range(SEGMENT_KIND.shape[1]):
        kind = i8(SEGMENT_KIND[design, j])
        if kind == codes.NOTHING:
            return
        feature = feature_of(s, first + j)
        at = SPOT_GLOBALS * i8(SEGMENT_SPOT[design, rotation, j])
        most = majority(s, feature)
        out[at + kind - 1] = 1
        out[at + 5] = not is_occupied(s, feature)
        out[at + 6] = has_majority(s, feature, seat, most)
        out[at + 7] = value(s, feature) / 20
        out[at + 8] = i8(s.features[feature].n_open) / 8


@kernel(void(State, i8, float32[::1]))
def write_globals(s, seat, out):
    """Write the vector of globals as a seat sees it."""
    out[:] = 0
    out[i8(s.rules.phase_slot[i8(s.phase)])] = 1
    n = i8(s.rules.n_phases)
    n += write_seats(s, seat, out[n:])
    n += write_tiles(s, out[n:])
    if i8(s.rules.abbeys) > 0:
        out[n] = max(i8(s.last_round), 0) / i8(s.rules.n_players)
        n += 1
    if i8(s.rules.bridges) > 0:
        out[n] = s.has_bridged
        n += 1
    if i8(s.rules.owned[codes.BUILDER]) > 0:
        out[n] = i8(s.first_part) != NO_TILE
        out[n + 1] = s.extends
        n += 2
    if i8(s.rules.bazaars) > 0:
        n += write_bazaar(s, seat, out[n:])
    if i8(s.phase) == codes.ACTION:
        write_spots(s, seat, out[n:])
