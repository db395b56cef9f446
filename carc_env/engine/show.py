"""What a lane shows after a step: board, globals, legal actions as mask and list, sparse planes."""

from numba import int32, uint8

from carc_env.engine import codes
from carc_env.engine._jit import i8, kernel, void
from carc_env.engine.board import from_view
from carc_env.engine.lanes import CanvasType, Lane
from carc_env.engine.legal import write_mask
from carc_env.engine.numbers import write_globals
from carc_env.engine.observe import update_board
from carc_env.engine.placement import fits, frontier_entry
from carc_env.engine.planes import (
    CANDIDATE,
    CANDIDATE_WITH_BRIDGE,
    N_PLACE_COLUMNS,
    mark,
    mark_candidates,
)
from carc_env.engine.shown import Shown
from carc_env.engine.state import State
from carc_env.engine.tiles import EDGES

NO_LEGAL = -1
N_ROTATIONS = 4


@kernel(void(i8[::1], CanvasType, i8))
def show_actions(actions, canvas, i):
    """Write actions as mask and as padded list."""
    n = actions.shape[0]
    if canvas.masks.shape[1] > 0:
        write_mask(actions, n, canvas.masks[i])
    if canvas.legal.shape[1] > 0:
        listed = canvas.legal[i]
        listed[:] = NO_LEGAL
        for k in range(n):
            listed[k] = actions[k]
    canvas.n_legal[i, 0] = n


@kernel(void(Lane, i8, i8[::1], CanvasType, i8))
def show_legal(lane, n, actions, canvas, i):
    """Write the first n of a list of actions as mask and as padded list, over those shown."""
    mask, listed = canvas.masks[i], canvas.legal[i]
    before = i8(lane.n_shown)
    if mask.shape[0] > 0:
        for k in range(before):
            mask[i8(lane.legal[k])] = 0
        for k in range(n):
            mask[actions[k]] = 1
    if listed.shape[0] > 0:
        for k in range(n):
            listed[k] = actions[k]
        for k in range(n, before):
            listed[k] = NO_LEGAL
    for k in range(n):
        lane.legal[k] = actions[k]
    canvas.n_legal[i, 0] = n
    lane.n_shown = n


@kernel(i8(State, uint8[:, ::1], int32[::1], uint8[::1]))
def list_active(s, board, indices, weights):
    """Write which planes of which cells are not zero, and their values; return how many."""
    n_planes = board.shape[1] - N_PLACE_COLUMNS
    n = 0
    for tile in range(i8(s.n_tiles)):
        row = board[tile]
        cell = i8(row[n_planes]) * i8(s.rules.view_size) + i8(row[n_planes + 1])
        for plane in range(n_planes):
            if row[plane] != 0:
                indices[n] = cell * n_planes + plane
                weights[n] = row[plane]
                n += 1
    return n


@kernel(void(State, CanvasType, i8))
def show_sparse(s, canvas, i):
    """Write the planes as a padded list."""
    board, indices, weights = canvas.boards[i], canvas.indices[i], canvas.weights[i]
    n = list_active(s, board, indices, weights)
    size = i8(s.rules.view_size)
    for k in range(n, i8(canvas.n_active[i, 0])):
        indices[k] = size * size * (board.shape[1] - N_PLACE_COLUMNS)
        weights[k] = 0
    canvas.n_active[i, 0] = n


@kernel(i8(State, i8))
def candidate(s, action):
    """Return how a place for the tile in hand is shown: whether it needs a bridge."""
    if i8(s.rules.bridges) == 0:
        return 1
    f = frontier_entry(s, from_view(s, action // N_ROTATIONS))
    edges = i8(EDGES[i8(s.hand), action % N_ROTATIONS])
    return 1 if fits(edges, i8(s.frontier[f].edges)) else CANDIDATE_WITH_BRIDGE


@kernel(void(State, Shown, Lane, uint8[:, ::1]))
def mark_listed(s, show, lane, board):
    """Write where the tile in hand may go, off the list of legal actions."""
    n_places = i8(s.rules.view_size) ** 2 * N_ROTATIONS
    for k in range(i8(lane.n_shown)):
        action = i8(lane.legal[k])
        if action < n_places:
            shown = candidate(s, action)
            mark(show, action // N_ROTATIONS, CANDIDATE + action % N_ROTATIONS, shown, board)


@kernel(void(State, i8, CanvasType, i8))
def show_board(s, seat, canvas, i):
    """Write what a seat sees of a game, candidates left out."""
    update_board(s, canvas.shown[i], seat, canvas.boards[i])
    write_globals(s, canvas.shown[i], canvas.globals[i])
    if canvas.indices.shape[1] > 0:
        show_sparse(s, canvas, i)


@kernel(void(State, Lane, CanvasType, i8))
def show_lane(s, lane, canvas, i):
    """Write what the seat of a lane sees of a game, whose legal actions are shown already."""
    if canvas.boards.shape[1] == 0:
        return
    show_board(s, i8(lane.seat), canvas, i)
    if i8(canvas.shown[i].by_tile) == 0 and i8(s.phase) == codes.PLACE_TILE:
        mark_listed(s, canvas.shown[i], lane, canvas.boards[i])
        return
    mark_candidates(s, canvas.shown[i], canvas.boards[i])
