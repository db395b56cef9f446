"""Board rows, and marks in them: facts about one decision, wiped before the next decision."""

from numba import uint8

from carc_env.engine.compiler.jit import i8, kernel, u8, void
from carc_env.engine.core.board import tile_at, to_view
from carc_env.engine.core.features import tile_of
from carc_env.engine.core.state import NO_CELL, State
from carc_env.engine.sight.shown import Shown

MAX_BYTE = 255
MAX_PLANES = 256


@kernel(i8(State, Shown, i8))
def row_of(s, show, tile):
    """Return the board row that belongs to a tile."""
    return tile if show.by_tile != 0 else to_view(s, s.tiles[tile].cell)


@kernel(i8(State, Shown, i8))
def row_of_segment(s, show, segment):
    """Return the board row that belongs to a segment's tile."""
    return row_of(s, show, tile_of(s, segment))


@kernel(void(Shown, i8, i8, i8, uint8[:, ::1]))
def mark(show, row, plane, shown, board):
    """Write a byte that will be wiped before the next decision."""
    board[u8(row), u8(plane)] = shown
    n = show.n_marks
    show.marks[u8(n)] = row * MAX_PLANES + plane
    show.n_marks = n + 1


@kernel(void(State, Shown, i8, i8, uint8[:, ::1]))
def mark_cell(s, show, cell, plane, board):
    """Write 1 on the tile on a cell, if there is one."""
    if cell != NO_CELL:
        mark(show, row_of(s, show, tile_at(s, cell)), plane, 1, board)


@kernel(void(Shown, uint8[:, ::1]))
def wipe_marks(show, board):
    """Wipe the marks made for the previous decision."""
    for k in range(show.n_marks):
        place = u8(show.marks[u8(k)])
        board[place // u8(MAX_PLANES), place % u8(MAX_PLANES)] = 0
    show.n_marks = 0
