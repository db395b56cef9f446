"""The cells of the table, their contents, and the view: the window that agents see and act on."""

from carc_env.engine.compiler.jit import b1, i8, kernel, void
from carc_env.engine.core.codes import N_ROTATIONS
from carc_env.engine.core.state import BOARD, NO_TILE, State

N_SIDES = 4
N_NEIGHBOURS = 8
STEP = (-BOARD, 1, BOARD, -1)
"""Step from a cell to its neighbour on the north, east, south and west side."""


@kernel(i8(i8, i8))
def edge_at(edges, side):
    """Return the edge kinds on one side, as bits, given those of all four sides."""
    return edges >> (4 * side) & 15


@kernel(i8(State, i8))
def tile_at(s, cell):
    """Return the number of the tile on a cell, or NO_TILE."""
    return max(s.board[cell] - 1, NO_TILE)


@kernel(i8(i8, i8))
def cell_around(cell, i):
    """Return the i-th cell of the 3 x 3 block centred on a cell, row by row."""
    return cell + (i // 3 - 1) * BOARD + i % 3 - 1


@kernel(i8(i8, i8))
def neighbour(cell, i):
    """Return the i-th of the eight cells around a cell, row by row."""
    return cell_around(cell, i + (i >= 4))


@kernel(b1(i8))
def is_on_rim(cell):
    """Return whether a cell is in the outermost rows or columns, where no tile may lie."""
    row, column = cell // BOARD, cell % BOARD
    return row == 0 or row == BOARD - 1 or column == 0 or column == BOARD - 1


@kernel(b1(State, i8))
def in_view(s, cell):
    """Return whether a cell is inside the window."""
    row, column = cell // BOARD - s.view_row, cell % BOARD - s.view_column
    size = s.rules.view_size
    return 0 <= row < size and 0 <= column < size


@kernel(i8(State, i8))
def to_view(s, cell):
    """Return the cell number within the window: row * view_size + column."""
    row, column = cell // BOARD - s.view_row, cell % BOARD - s.view_column
    return row * s.rules.view_size + column


@kernel(i8(State, i8))
def from_view(s, view_cell):
    """Return the table cell for a cell number within the window."""
    size = s.rules.view_size
    row, column = view_cell // size + s.view_row, view_cell % size + s.view_column
    return row * BOARD + column


@kernel(i8(State, i8, i8))
def place_action(s, cell, rotation):
    """Return the action that places the tile in hand on a cell."""
    return N_ROTATIONS * to_view(s, cell) + rotation


@kernel(i8(State, i8))
def cell_of_place(s, action):
    """Return the table cell on which an action places a tile."""
    return from_view(s, action // N_ROTATIONS)


@kernel(i8(i8))
def rotation_of_place(action):
    """Return the rotation in which an action places a tile."""
    return action % N_ROTATIONS


@kernel(i8(State))
def n_place_actions(s):
    """Return the number of actions that place a tile; these actions come first."""
    return N_ROTATIONS * s.rules.view_size**2


@kernel(void(State, i8))
def widen_view(s, cell):
    """Extend the bounding box to a new tile's cell and centre the window on the box."""
    row, column = cell // BOARD, cell % BOARD
    s.min_row = min(s.min_row, row)
    s.max_row = max(s.max_row, row)
    s.min_column = min(s.min_column, column)
    s.max_column = max(s.max_column, column)
    half = s.rules.view_size // 2
    s.view_row = (s.min_row + s.max_row + 1) // 2 - half
    s.view_column = (s.min_column + s.max_column + 1) // 2 - half
