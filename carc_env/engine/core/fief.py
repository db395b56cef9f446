"""The fief of a castle: the six cells where the castle waits for a completed feature (CAS-14)."""

import numpy as np

from carc_env.engine.compiler.jit import b1, i8, kernel
from carc_env.engine.compiler.python_ints import Numbers
from carc_env.engine.core.board import tile_at
from carc_env.engine.core.features import cell_of, tile_of
from carc_env.engine.core.state import BOARD, State

N_FIEF = 6
UPRIGHT, FLAT, FLAT_IN_ROW = 0, 1, 2
FIEF = np.array(
    [
        [-1, 0, 1, BOARD - 1, BOARD, BOARD + 1],
        [-BOARD, 1 - BOARD, 0, 1, BOARD, BOARD + 1],
        [-2, -1, 0, 1, 2, 3],
    ]
).view(Numbers)
"""Cell offsets in reading order, relative to the castle's northern or western tile."""


@kernel(i8(State, i8, i8))
def fief_cell(s, segment, i):
    """Return the i-th cell of the fief of a segment's castle (CAS-14, CAS-15)."""
    cell, other = cell_of(s, segment), cell_of(s, s.segments[segment].next)
    if abs(cell - other) == BOARD:
        layout = UPRIGHT
    else:
        layout = FLAT_IN_ROW if s.rules.fief_in_row != 0 else FLAT
    return min(cell, other) + FIEF[layout, i]


@kernel(i8(State, i8, i8))
def fief_tile(s, segment, i):
    """Return the tile on the i-th cell of the fief of a segment's castle, or NO_TILE."""
    return tile_at(s, fief_cell(s, segment, i))


@kernel(b1(State, i8, i8))
def is_in_fief(s, segment, cell):
    """Return whether a cell belongs to the fief of a segment's castle."""
    for i in range(N_FIEF):
        if fief_cell(s, segment, i) == cell:
            return True
    return False


@kernel(b1(State, i8))
def was_built_now(s, segment):
    """Return whether the tile just placed is half of a segment's castle or town (CAS-12)."""
    last = s.n_tiles - 1
    return tile_of(s, segment) == last or tile_of(s, s.segments[segment].next) == last


@kernel(b1(i8, i8))
def touches(cell, other):
    """Return whether two cells inside the rim are the same or meet at a side or a corner."""
    step = cell - other + BOARD + 1  # relative to the first cell of the 3 x 3 block, row by row
    return 0 <= step <= 2 * BOARD + 2 and step % BOARD <= 2


@kernel(b1(State, i8, i8))
def is_near_castle(s, segment, cell):
    """Return whether a cell touches or belongs to a segment's castle."""
    other = s.segments[segment].next
    return touches(cell_of(s, segment), cell) or touches(cell_of(s, other), cell)
