"""A seat's view of the board, written into a buffer with one row per cell or tile.

A row holds one byte per plane, so an event on a tile changes a single place in memory. Each seat
has a *block* of planes that show where it leads and where its figures stand. The observer's block
comes first, and the others follow clockwise. ``observations.py`` lists the names and meanings in
the same order. Facts that hold only for one decision (the last tile, candidates, castles, wagons on
the move) are *marked*: noted, and wiped before the next decision.
"""

from typing import Any

import numpy as np
from numba import uint8

from carc_env.engine.compiler.jit import i8, kernel, u8, void
from carc_env.engine.compiler.memory import WORD, put_word, word_at
from carc_env.engine.core.board import N_SIDES, cell_of_place, n_place_actions, rotation_of_place
from carc_env.engine.core.codes import (
    EDGE_CITY,
    EDGE_ROAD,
    N_ROTATIONS,
    Figure,
    Kind,
    Phase,
    Plane,
    Stock,
)
from carc_env.engine.core.features import is_complete, kind_of, tile_of
from carc_env.engine.core.figures import figure_kind, leaders, seat_of
from carc_env.engine.core.placement import fits, frontier_entry
from carc_env.engine.core.scoring import value
from carc_env.engine.core.seats import places_between
from carc_env.engine.core.state import NO_CELL, NO_DESIGN, State
from carc_env.engine.core.tiles import (
    CENTRE,
    EDGES,
    HALF_SEGMENT,
    N_FORMS,
    SEGMENT_KIND,
    SEGMENT_SIDES,
    SHARED_SEGMENT,
    SHIELDS,
    SIDE_SEGMENT,
)
from carc_env.engine.sight.marks import MAX_BYTE, mark, mark_cell, row_of, row_of_segment
from carc_env.engine.sight.moments import decision_marked, tile_painted
from carc_env.engine.sight.shown import Shown
from carc_env.sets import said_in

OCCUPIED = 0
CITY_SIDE = OCCUPIED + 1
ROAD_SIDE = CITY_SIDE + 4
LINK = ROAD_SIDE + 4
SIDE_PAIRS = ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))
COATS = LINK + len(SIDE_PAIRS)
MONASTERY = COATS + 1
GARDEN = MONASTERY + 1
STATIC_PLANES = GARDEN + 1
"""Planes that depend only on the tile, see :func:`_static_planes`."""
COMPLETE_SIDE = STATIC_PLANES
WORTH_SIDE = COMPLETE_SIDE + 4
WORTH_CENTRE = WORTH_SIDE + 4
LAST_TILE = WORTH_CENTRE + 1
CANDIDATE = LAST_TILE + 1
CANDIDATE_WITH_BRIDGE = 2
N_FIXED_PLANES = CANDIDATE + 4
"""Planes that exist under all rules; those of expansions follow, then a block for each seat."""
LEADS_SIDE = 0
LEADS_HALF = LEADS_SIDE + 4
LEADS_CENTRE = LEADS_HALF + 8
N_LEADS = LEADS_CENTRE + 1
"""Planes at the start of each seat's block that show where it leads; its figures' planes follow."""
FARMER_PLANE = N_LEADS + 1
"""Plane within a seat's block; the planes of other figures are in ``rules.figure_plane``."""
N_PLACE_COLUMNS = 2
"""Columns after the planes in boards with one row per tile: its row and column in the view."""

LARGE_FARMER = 2
"""Value in the large meeples' plane for one that lies in a field."""
LYING = 3
"""Value in a meeple's plane for one that lies on a special monastery (MON-03)."""

N_HALVES = 8

COMPLETE, BONUS, WORTH_SHIFT = 64, 128, 8
"""A feature's look, shown on all its tiles: its leaders as bits, these two flags, and its worth."""


def _static_planes():
    """Return the planes: occupied, city and road sides, links within the tile, coats, centre."""
    planes = np.zeros((N_FORMS, 4, STATIC_PLANES), np.uint8)
    for design in range(N_FORMS):
        for rotation in range(4):
            p = planes[design, rotation]
            shown = SIDE_SEGMENT[design, rotation]
            p[OCCUPIED] = 1
            for side in range(4):
                edge = EDGES[design, rotation] >> 4 * side & 15
                p[CITY_SIDE + side] = edge == EDGE_CITY
                p[ROAD_SIDE + side] = edge == EDGE_ROAD
            shared = SHARED_SEGMENT[design, rotation]  # HS-40: linked to both
            for k, (a, b) in enumerate(SIDE_PAIRS):
                is_linked = shown[a] >= 0 and shown[a] == shown[b]
                is_shared = shared[a] >= 0 and shared[a] == shown[b]
                p[LINK + k] = is_linked or is_shared or (shared[b] >= 0 and shared[b] == shown[a])
            centre = CENTRE[design]
            p[COATS] = SHIELDS[design][SEGMENT_KIND[design] == Kind.CITY].sum()
            p[MONASTERY] = centre >= 0 and SEGMENT_KIND[design, centre] == Kind.MONASTERY
            p[GARDEN] = centre >= 0 and SEGMENT_KIND[design, centre] == Kind.GARDEN
    return planes


TILE_PLANES = _static_planes()


def most_marked(rules: Any) -> int:
    """Return how many places sets can mark for one decision."""
    return sum(find(rules) for find in said_in("sight", "most_marked"))


def most_shown(form: int, n_players: int) -> int:
    """Return how many planes a tile can show at once, not counting figures and marks."""
    parts = np.count_nonzero(SIDE_SEGMENT[form, 0] >= 0)
    parts += np.count_nonzero(HALF_SEGMENT[form, 0] >= 0) + (CENTRE[form] >= 0)
    static = np.count_nonzero(TILE_PLANES[form, 0])
    of_sides = 3 * np.count_nonzero(SIDE_SEGMENT[form, 0] >= 0)
    of_centre = CENTRE[form] >= 0
    of_sets = sum(find(form) for find in said_in("sight", "most_on_tile"))
    return int(static + of_sides + of_centre + of_sets + n_players * parts)


# Permanent facts: tiles and features.


@kernel(void(State, Shown, i8, uint8[:, ::1]))
def paint_tile(s, show, tile, board):
    """Write what a tile shows by itself."""
    placed = s.tiles[tile]
    design, rotation = placed.design, placed.rotation
    row = board[row_of(s, show, tile)]
    for plane in range(STATIC_PLANES):
        row[plane] = TILE_PLANES[design, rotation, plane]
    tile_painted(s, design, rotation, row)


@kernel(i8(State, i8))
def look_of(s, feature):
    """Return a feature's look, the same on all its tiles, with leaders by seat number."""
    look = leaders(s, feature)
    if s.features[feature].kind == Kind.FIELD:
        return look
    look |= COMPLETE * is_complete(s, feature) | BONUS * (s.features[feature].bonus > 0)
    return look | min(value(s, feature), MAX_BYTE) << WORTH_SHIFT


@kernel(i8(State, Shown, i8))
def seen_from(s, show, look):
    """Return a look with its leaders renumbered clockwise from the observer."""
    n, seat = s.rules.n_players, show.seat
    of_seats = look & ((1 << n) - 1)
    turned = (of_seats >> seat | of_seats << (n - seat)) & ((1 << n) - 1)
    return look - of_seats + turned


@kernel(void(State, i8, i8, i8, uint8[:, ::1]))
def paint_leads(s, look, part, row, board):
    """Write in each seat's block whether it leads at a part of a tile."""
    for k in range(s.rules.n_players):
        block = s.rules.first_plane[Plane.SEATS] + k * s.rules.planes_per_seat
        board[u8(row), u8(block + part)] = look >> k & 1


@kernel(void(State, i8, i8, i8, uint8[:, ::1]))
def paint_side(s, side, look, row, board):
    """Write who leads on the road or city at a side, whether it is complete, and its worth."""
    paint_leads(s, look, LEADS_SIDE + side, row, board)
    board[u8(row), u8(COMPLETE_SIDE + side)] = look & COMPLETE != 0
    board[u8(row), u8(WORTH_SIDE + side)] = look >> WORTH_SHIFT
    if s.rules.inns > 0:
        board[u8(row), u8(s.rules.first_plane[Plane.BONUS] + side)] = look & BONUS != 0


@kernel(void(State, i8, i8, i8, uint8[:, ::1]))
def paint_segment(s, segment, look, row, board):
    """Write a feature's look at one of its segments."""
    placed = s.tiles[tile_of(s, segment)]
    design, rotation = placed.design, placed.rotation
    j = segment - placed.first_segment
    kind = SEGMENT_KIND[design, j]
    if kind == Kind.FIELD:
        for half in range(N_HALVES):
            if HALF_SEGMENT[design, rotation, half] == j:
                paint_leads(s, look, LEADS_HALF + half, row, board)
    elif kind == Kind.CITY or kind == Kind.ROAD:
        for side in range(N_SIDES):
            if SEGMENT_SIDES[design, rotation, j] >> side & 1:
                paint_side(s, side, look, row, board)
    elif kind == Kind.LINES:
        board[u8(row), u8(s.rules.first_plane[Plane.LINES] + 1)] = look >> WORTH_SHIFT
    else:
        paint_leads(s, look, LEADS_CENTRE, row, board)
        board[u8(row), WORTH_CENTRE] = look >> WORTH_SHIFT


@kernel(void(State, Shown, i8, uint8[:, ::1]))
def paint_feature(s, show, feature, board):
    """Write a feature's look wherever a different one is shown."""
    look = look_of(s, feature)
    seen = seen_from(s, show, look)
    segment = feature
    while True:
        if show.looks[segment] != look:
            show.looks[segment] = look
            paint_segment(s, segment, seen, row_of_segment(s, show, segment), board)
        segment = s.segments[segment].next
        if segment == feature:
            return


@kernel(i8(State, Shown, i8, i8))
def figure_plane(s, show, figure, segment):
    """Return the plane for a figure that stands on a segment."""
    kind = figure_kind(figure)
    plane = s.rules.figure_plane[kind]
    if kind == Figure.MEEPLE and kind_of(s, segment) == Kind.FIELD:
        plane = FARMER_PLANE
    seats_away = places_between(s, show.seat, seat_of(figure))
    return s.rules.first_plane[Plane.SEATS] + s.rules.planes_per_seat * seats_away + plane


@kernel(void(State, Shown, i8, uint8[:, ::1]))
def paint_figure(s, show, figure, board):
    """Write where a figure stands: 1, a barn's corner, LARGE_FARMER or LYING.

    If one meeple stands and another lies on a monastery, the lying one is shown (MON-08).
    """
    segment = s.figures[figure].segment
    shown = max(1, s.figures[figure].corner + 1)
    if figure_kind(figure) == Figure.LARGE and kind_of(s, segment) == Kind.FIELD:
        shown = LARGE_FARMER
    if kind_of(s, segment) == Kind.LINES:
        shown = LYING
    row, plane = row_of_segment(s, show, segment), figure_plane(s, show, figure, segment)
    board[row, plane] = max(int(board[row, plane]), shown)


@kernel(void(State, Shown, i8, i8, uint8[:, ::1]))
def wipe_figure(s, show, figure, segment, board):
    """Wipe a figure from where it was shown."""
    row = row_of_segment(s, show, segment)
    board[row, figure_plane(s, show, figure, segment)] = 0


@kernel(void(u8, u8, u8, u8, uint8[:, ::1]))
def swap_blocks(row, block, other, width, board):
    """Swap two blocks of a row, of 8 to 24 bytes each, as three words that may overlap."""
    middle, end = min(u8(WORD), width - u8(WORD)), width - u8(WORD)
    a0, b0 = word_at(board, row, block), word_at(board, row, other)
    a1, b1 = word_at(board, row, block + middle), word_at(board, row, other + middle)
    a2, b2 = word_at(board, row, block + end), word_at(board, row, other + end)
    put_word(board, row, block, b0)
    put_word(board, row, other, a0)
    put_word(board, row, block + middle, b1)
    put_word(board, row, other + middle, a1)
    put_word(board, row, block + end, b2)
    put_word(board, row, other + end, a2)


# Facts about one decision: marks.


@kernel(i8(State, i8))
def candidate(s, action):
    """Return the value that marks a legal placement: whether the tile needs a bridge there."""
    if s.rules.stock[Stock.BRIDGE] == 0 or s.hand == NO_DESIGN:
        return 1
    f = frontier_entry(s, cell_of_place(s, action))
    edges = EDGES[s.hand, rotation_of_place(action)]
    return 1 if fits(edges, s.frontier[f].edges) else CANDIDATE_WITH_BRIDGE


@kernel(void(State, Shown, i8[::1], uint8[:, ::1]))
def mark_candidates(s, show, actions, board):
    """Mark where the tile in hand, or an abbey, can go, if the board has a row for each cell.

    There is one plane per rotation; ``actions`` are the legal actions.
    """
    places_tile = s.phase == Phase.PLACE_TILE or s.phase == Phase.DRAW_OR_ABBEY
    if show.by_tile != 0 or not places_tile:
        return
    for k in range(actions.shape[0]):
        action = actions[k]
        if action < n_place_actions(s):
            row, plane = action // N_ROTATIONS, CANDIDATE + rotation_of_place(action)
            mark(show, row, plane, candidate(s, action), board)


@kernel(void(State, Shown, uint8[:, ::1]))
def mark_decision(s, show, board):
    """Write the facts about this decision, except candidates."""
    mark(show, row_of(s, show, s.n_tiles - 1), LAST_TILE, 1, board)
    if s.chosen_cell != NO_CELL:
        mark_cell(s, show, s.chosen_cell, s.rules.first_plane[Plane.ELSEWHERE], board)
    decision_marked(s, show, board)
