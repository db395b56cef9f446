"""Incremental updates of a seat's view: only what a decision changed is rewritten.

If nothing is shown yet, the board of :mod:`planes` is drawn from scratch. After that, new tiles are
added. The only features that are repainted are those that new tiles touch, that figures came to or
left, or that became castles. When the view moves, the rows of all tiles move; for another observer,
the seats' blocks move.
"""

from numba import uint8

from carc_env.engine.compiler.jit import b1, i8, kernel, u8, void
from carc_env.engine.compiler.memory import room_for
from carc_env.engine.core.board import tile_at, to_view
from carc_env.engine.core.codes import Kind, Plane, Stock
from carc_env.engine.core.features import (
    MAX_TOUCHED,
    feature_of,
    is_occupied,
    tile_of,
    touched_features,
)
from carc_env.engine.core.seats import places_between
from carc_env.engine.core.state import (
    BOARD,
    MAX_FIGURES,
    NO_SEGMENT,
    NO_TILE,
    SLOTS_PER_SEAT,
    State,
)
from carc_env.engine.core.tiles import BRIDGE_AXIS, NO_AXIS
from carc_env.engine.sight.marks import row_of, wipe_marks
from carc_env.engine.sight.moments import changed_elsewhere
from carc_env.engine.sight.planes import (
    N_PLACE_COLUMNS,
    mark_decision,
    paint_feature,
    paint_figure,
    paint_tile,
    swap_blocks,
    wipe_figure,
)
from carc_env.engine.sight.shown import MAX_WATCHED, Shown


@kernel(i8(State))
def bridges_built(s):
    """Return the number of bridges on the board."""
    left = 0
    for seat in range(s.rules.n_players):
        left += s.players[seat].stock[Stock.BRIDGE]
    return s.rules.n_players * s.rules.stock[Stock.BRIDGE] - left


@kernel(b1(State, Shown))
def has_moved(s, show):
    """Return whether the view has moved since it was last shown."""
    return s.view_row != show.view_row or s.view_column != show.view_column


@kernel(void(State, Shown, uint8[:, ::1]))
def draw(s, show, board):
    """Draw the tiles, features and figures from scratch."""
    board[:] = 0
    show.n_marks = 0
    show.looks[:] = 0
    show.segments[:] = NO_SEGMENT
    for tile in range(s.n_tiles):
        paint_tile(s, show, tile, board)
    for feature in range(s.n_segments):
        if s.features[feature].n_segments > 0:
            paint_feature(s, show, feature, board)


@kernel(void(u8, u8, u8, u8, uint8[:, ::1]))
def move_planes(origin, goal, first, end, board):
    """Move some planes of one row to another."""
    for plane in range(first, end):
        board[goal, plane] = board[origin, plane]
        board[origin, plane] = 0


@kernel(void(State, i8, i8, uint8[:, ::1]))
def move_row(s, old, new, board):
    """Move the planes of one row that the rules can show to another row."""
    origin, goal = u8(old), u8(new)
    seats = u8(s.rules.first_plane[Plane.SEATS])
    end = seats + u8(s.rules.n_players * s.rules.planes_per_seat)
    move_planes(origin, goal, u8(0), u8(s.rules.n_set_planes), board)
    move_planes(origin, goal, seats, end, board)


@kernel(void(State, Shown, uint8[:, ::1]))
def move_view(s, show, board):
    """Move the rows of all tiles shown to their new positions in the view.

    Rows in the direction of the move come first, so no row is overwritten before it has moved.
    """
    columns = s.max_column - s.min_column + 1
    n = columns * (s.max_row - s.min_row + 1)
    size = s.rules.view_size
    step = (show.view_row - s.view_row) * size + show.view_column - s.view_column
    for k in range(n):
        place = k if step < 0 else n - 1 - k
        cell = (s.min_row + place // columns) * BOARD + s.min_column + place % columns
        tile = tile_at(s, cell)
        if tile != NO_TILE and tile < show.n_tiles:
            move_row(s, to_view(s, cell) - step, to_view(s, cell), board)


@kernel(void(State, Shown, i8, uint8[:, ::1]))
def repaint_touched(s, show, tile, board):
    """Repaint the features that a new tile belongs to, surrounds or closes.

    Fields without figures need no repainting: they always look empty, whatever joins them.
    """
    touched = room_for(MAX_TOUCHED)
    for k in range(touched_features(s, tile, touched)):
        if s.features[touched[k]].kind != Kind.FIELD or is_occupied(s, touched[k]):
            paint_feature(s, show, touched[k], board)


@kernel(void(State, Shown, uint8[:, ::1]))
def repaint_bridges(s, show, board):
    """Repaint the tiles with bridges if a bridge was built."""
    for tile in range(s.n_tiles):
        placed = s.tiles[tile]
        if BRIDGE_AXIS[placed.design, placed.rotation] != NO_AXIS:
            paint_tile(s, show, tile, board)
            repaint_touched(s, show, tile, board)


@kernel(void(State, Shown, uint8[:, ::1]))
def repaint_watched(s, show, board):
    """Repaint the features that sets now report as changed, and those they reported before."""
    watched = room_for(MAX_WATCHED)
    n = changed_elsewhere(s, watched)
    for k in range(n):
        paint_feature(s, show, feature_of(s, watched[k]), board)
    for k in range(show.n_watched):
        paint_feature(s, show, feature_of(s, show.watched[k]), board)


@kernel(void(State, Shown, uint8[:, ::1]))
def repaint_changed(s, show, board):
    """Add everything that is new since the last update."""
    for tile in range(show.n_tiles, s.n_tiles):
        paint_tile(s, show, tile, board)
        repaint_touched(s, show, tile, board)
    for k in range(show.n_castles, s.n_castles):
        paint_feature(s, show, feature_of(s, s.castles[k].segment), board)
    for k in range(show.n_built, s.n_built):
        repaint_touched(s, show, s.built[k].tile, board)
    repaint_watched(s, show, board)
    if s.rules.stock[Stock.BRIDGE] > 0 and bridges_built(s) != show.n_bridges:
        repaint_bridges(s, show, board)


@kernel(b1(State, i8, i8[::1], i8))
def is_among(s, segment, tiles, n):
    """Return whether a segment's tile is one of the first n in a list."""
    for k in range(n):
        if tiles[k] == tile_of(s, segment):
            return True
    return False


@kernel(i8(State, Shown, i8[::1]))
def moved_figures(s, show, figures):
    """Write the figures that do not stand where they are shown; return how many."""
    n = 0
    for figure in range(SLOTS_PER_SEAT * s.rules.n_players):
        figures[n] = figure
        n += show.segments[figure] != s.figures[figure].segment
    return n


@kernel(i8(State, Shown, i8, i8[::1], uint8[:, ::1]))
def wipe_moved(s, show, n, figures, board):
    """Wipe the first n listed figures and list the tiles they left instead; return how many."""
    n_left = 0
    for k in range(n):
        before = show.segments[figures[k]]
        if before != NO_SEGMENT:
            wipe_figure(s, show, figures[k], before, board)
            paint_feature(s, show, feature_of(s, before), board)
            figures[n_left] = tile_of(s, before)
            n_left += 1
    return n_left


@kernel(void(State, Shown, uint8[:, ::1]))
def repaint_figures(s, show, board):
    """Wipe figures that left or moved, paint those that arrived, and repaint their features.

    Figures that stay on a tile that another figure left are also repainted: a portal can lead a
    seat to a tile where it already has a meeple, and both are shown by the same number in the same
    plane (PD-65).
    """
    tiles = room_for(MAX_FIGURES)
    n_moved = moved_figures(s, show, tiles)
    if n_moved == 0:
        return
    n_left = wipe_moved(s, show, n_moved, tiles, board)
    for figure in range(SLOTS_PER_SEAT * s.rules.n_players):
        now = s.figures[figure].segment
        if now != show.segments[figure]:
            show.segments[figure] = now
            if now != NO_SEGMENT:
                paint_figure(s, show, figure, board)
                paint_feature(s, show, feature_of(s, now), board)
        elif n_left > 0 and now != NO_SEGMENT and is_among(s, now, tiles, n_left):
            paint_figure(s, show, figure, board)


@kernel(void(State, Shown, i8, i8, uint8[:, ::1]))
def reverse_seats(s, show, first, last, board):
    """Reverse the order of some of the seats' blocks in the rows of all tiles shown."""
    start, width = s.rules.first_plane[Plane.SEATS], s.rules.planes_per_seat
    while first < last:
        block, other = u8(start + first * width), u8(start + last * width)
        for tile in range(show.n_tiles):
            swap_blocks(u8(row_of(s, show, tile)), block, other, u8(width), board)
        first, last = first + 1, last - 1


@kernel(void(State, Shown, i8, uint8[:, ::1]))
def look_through(s, show, seat, board):
    """Change the view to another seat's perspective by moving the leading blocks to the end."""
    n_places, last = places_between(s, show.seat, seat), s.rules.n_players - 1
    show.seat = seat
    if n_places == 0:
        return
    reverse_seats(s, show, 0, n_places - 1, board)
    reverse_seats(s, show, n_places, last, board)
    reverse_seats(s, show, 0, last, board)


@kernel(void(State, Shown, uint8[:, ::1]))
def write_places(s, show, board):
    """Write the view rows and columns of new tiles, or of all tiles if the view has moved."""
    first = 0 if has_moved(s, show) else show.n_tiles
    column = board.shape[1] - N_PLACE_COLUMNS
    for tile in range(first, s.n_tiles):
        at, size = to_view(s, s.tiles[tile].cell), s.rules.view_size
        board[tile, column] = at // size
        board[tile, column + 1] = at % size


@kernel(void(State, Shown))
def note_shown(s, show):
    """Note what the board now shows."""
    show.n_tiles = s.n_tiles
    show.view_row, show.view_column = s.view_row, s.view_column
    show.n_castles, show.n_bridges, show.n_built = s.n_castles, bridges_built(s), s.n_built
    watched = room_for(MAX_WATCHED)
    show.n_watched = changed_elsewhere(s, watched)
    for k in range(show.n_watched):
        show.watched[k] = watched[k]


@kernel(void(State, Shown, i8, uint8[:, ::1]))
def update_board(s, show, seat, board):
    """Write the board from a seat's perspective into a buffer that still shows what was noted."""
    if show.n_tiles == 0:
        show.seat = seat
        draw(s, show, board)
    else:
        wipe_marks(show, board)
        if show.by_tile == 0 and has_moved(s, show):
            move_view(s, show, board)
        look_through(s, show, seat, board)
        repaint_changed(s, show, board)
    repaint_figures(s, show, board)
    mark_decision(s, show, board)
    if show.by_tile != 0:
        write_places(s, show, board)
    note_shown(s, show)
