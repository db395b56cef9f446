"""Keeping what a seat sees up to date: only what a decision changed is written again.

The board of :mod:`planes` is drawn from scratch when nothing is shown yet, when the view moves, a
bridge is built or a castle founded. Otherwise only new tiles are added, and the features that they
touch, those that figures came to or left and, for another seat, all with figures are looked at.
"""

from numba import float32, uint8

from carc_env.engine import codes
from carc_env.engine._jit import b1, i8, kernel, u8, void
from carc_env.engine.board import N_SIDES, to_view
from carc_env.engine.features import (
    N_NEIGHBOURS,
    centre_at,
    feature_of,
    is_occupied,
    neighbour,
    segment_beside,
)
from carc_env.engine.numbers import write_globals
from carc_env.engine.planes import (
    N_PLACE_COLUMNS,
    mark_decision,
    paint_feature,
    paint_tile,
    wipe_marks,
)
from carc_env.engine.scoring import feature_to_score
from carc_env.engine.shown import Shown
from carc_env.engine.state import NO_SEGMENT, SLOTS_PER_SEAT, State
from carc_env.engine.tiles import ABBEY_DESIGN, N_SEGMENTS


@kernel(i8(State))
def bridges_built(s):
    """Return how many bridges stand."""
    left = 0
    for seat in range(i8(s.rules.n_players)):
        left += i8(s.players[seat].bridges)
    return i8(s.rules.n_players) * i8(s.rules.bridges) - left


@kernel(b1(State, Shown))
def has_moved(s, show):
    """Tell whether the view lies elsewhere than what is shown."""
    return i8(s.view_row) != i8(show.view_row) or i8(s.view_column) != i8(show.view_column)


@kernel(b1(State, Shown))
def must_redraw(s, show):
    """Tell whether the board has to be drawn from scratch."""
    if i8(show.n_tiles) == 0 or (i8(show.by_tile) == 0 and has_moved(s, show)):
        return True
    if i8(s.n_castles) != i8(show.n_castles):
        return True
    return i8(s.rules.bridges) > 0 and bridges_built(s) != i8(show.n_bridges)


@kernel(void(State, Shown, uint8[:, ::1]))
def redraw(s, show, board):
    """Draw tiles and features from scratch."""
    board[:] = 0
    show.n_marks = 0
    show.looks[:] = 0
    for tile in range(i8(s.n_tiles)):
        paint_tile(s, show, tile, board)
    for feature in range(i8(s.n_segments)):
        if i8(s.features[feature].n_segments) > 0:
            paint_feature(s, show, feature, board)


@kernel(void(State, Shown, i8, uint8[:, ::1]))
def repaint(s, show, feature, board):
    """Look at a feature again, once in an update."""
    word, bit = feature >> 6, u8(1) << u8(feature & 63)
    if show.painted[word] & bit == u8(0):
        show.painted[word] |= bit
        paint_feature(s, show, feature, board)


@kernel(void(State, Shown, i8, uint8[:, ::1]))
def repaint_touched(s, show, tile, board):
    """Look again at the features that a new tile is part of, surrounds or closes.

    A field without figures looks like none, whatever joins it.
    """
    placed = s.tiles[tile]
    first, cell = i8(placed.first_segment), i8(placed.cell)
    for segment in range(first, first + i8(N_SEGMENTS[i8(placed.design)])):
        feature = feature_of(s, segment)
        if i8(s.features[feature].kind) != codes.FIELD or is_occupied(s, feature):
            repaint(s, show, feature, board)
    for i in range(N_NEIGHBOURS):
        centre = centre_at(s, neighbour(cell, i))
        if centre != NO_SEGMENT:
            repaint(s, show, centre, board)
    if i8(placed.design) == ABBEY_DESIGN:
        for side in range(N_SIDES):
            segment = segment_beside(s, cell, side)
            if segment != NO_SEGMENT:
                repaint(s, show, feature_of(s, segment), board)


@kernel(void(State, Shown, i8, uint8[:, ::1]))
def repaint_left(s, show, figure, board):
    """Look again at the features that a figure came to and left."""
    before, now = i8(show.segments[figure]), i8(s.figures[figure].segment)
    if before == now:
        return
    show.segments[figure] = now
    if before != NO_SEGMENT:
        repaint(s, show, feature_of(s, before), board)
    if now != NO_SEGMENT:
        repaint(s, show, feature_of(s, now), board)


@kernel(void(State, Shown, i8, uint8[:, ::1]))
def repaint_occupied(s, show, figure, board):
    """Look again at the feature of a figure, if it is the first on it."""
    feature = feature_to_score(s, figure)
    if feature != NO_SEGMENT:
        repaint(s, show, feature, board)


@kernel(void(State, Shown, b1, uint8[:, ::1]))
def repaint_changed(s, show, is_other_seat, board):
    """Add what is new since the last update."""
    for tile in range(i8(show.n_tiles), i8(s.n_tiles)):
        paint_tile(s, show, tile, board)
        repaint_touched(s, show, tile, board)
    for figure in range(SLOTS_PER_SEAT * i8(s.rules.n_players)):
        repaint_left(s, show, figure, board)
        if is_other_seat:
            repaint_occupied(s, show, figure, board)
    show.painted[:] = 0


@kernel(void(State, Shown, uint8[:, ::1]))
def write_places(s, show, board):
    """Write the row and column in the view of tiles: of all when the view moves, else of new."""
    first = 0 if has_moved(s, show) else i8(show.n_tiles)
    column = board.shape[1] - N_PLACE_COLUMNS
    for tile in range(first, i8(s.n_tiles)):
        at, size = to_view(s, i8(s.tiles[tile].cell)), i8(s.rules.view_size)
        board[tile, column] = at // size
        board[tile, column + 1] = at % size


@kernel(void(State, Shown))
def note_shown(s, show):
    """Note what is shown now."""
    show.n_tiles = s.n_tiles
    show.view_row, show.view_column = s.view_row, s.view_column
    show.n_castles, show.n_bridges = s.n_castles, bridges_built(s)
    for figure in range(SLOTS_PER_SEAT * i8(s.rules.n_players)):
        show.segments[figure] = s.figures[figure].segment


@kernel(void(State, Shown, i8, uint8[:, ::1]))
def update_board(s, show, seat, board):
    """Write the board as a seat sees it into a buffer that shows what was noted."""
    is_other_seat = seat != i8(show.seat)
    show.seat = seat
    if must_redraw(s, show):
        show.n_tiles = 0
        redraw(s, show, board)
    else:
        wipe_marks(show, board)
        repaint_changed(s, show, is_other_seat, board)
    mark_decision(s, show, board)
    if i8(show.by_tile) != 0:
        write_places(s, show, board)
    note_shown(s, show)


@kernel(void(State, Shown, i8, uint8[:, ::1], float32[::1]))
def update(s, show, seat, board, global_vector):
    """Write all that a seat sees."""
    update_board(s, show, seat, board)
    write_globals(s, seat, global_vector)
