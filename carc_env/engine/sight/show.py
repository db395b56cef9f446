"""What a lane shows after a step: board, globals, legal actions (mask and list), sparse planes."""

from typing import Any

from numba import int32, uint8

from carc_env.engine.compiler.jit import b1, i8, kernel, void
from carc_env.engine.compiler.memory import fetch
from carc_env.engine.core.state import STATE, State, States
from carc_env.engine.flow.legal import write_mask
from carc_env.engine.sight.earnings import give_rewards, note_standings
from carc_env.engine.sight.globals import write_globals
from carc_env.engine.sight.lanes import CanvasType, Lane, Lanes
from carc_env.engine.sight.observe import update_board
from carc_env.engine.sight.planes import N_PLACE_COLUMNS, mark_candidates

NO_LEGAL = -1
_fields: Any = STATE.fields
HEAD, FRONTIER = (_fields[name][1] for name in ("segments", "frontier"))
"""Bytes of a game record before its segments, and before its frontier."""
FETCHED = 768
"""Bytes to prefetch from each other part that most decisions need."""


@kernel(b1(Lane, i8))
def is_shown(lane, action):
    """Return whether an action is one of those shown by a lane."""
    for k in range(lane.n_shown):
        if lane.legal[k] == action:
            return True
    return False


@kernel(void(b1, i8[::1], CanvasType, i8))
def show_actions(is_asked, actions, canvas, i):
    """Write actions as a mask and as a padded list; write none for a seat that is not asked."""
    n = actions.shape[0] if is_asked else 0
    if canvas.masks.shape[1] > 0:
        write_mask(actions, n, canvas.masks[i])
    if canvas.legal.shape[1] > 0:
        listed = canvas.legal[i]
        listed[:] = NO_LEGAL
        for k in range(n):
            listed[k] = actions[k]
    canvas.n_legal[i, 0] = n


@kernel(void(Lane, i8, i8[::1], CanvasType, i8), inline=True)
def show_legal(lane, n, actions, canvas, i):
    """Replace the actions shown by the first n in a list, as a mask and as a padded list."""
    mask, listed = canvas.masks[i], canvas.legal[i]
    before = lane.n_shown
    if mask.shape[0] > 0:
        for k in range(before):
            mask[lane.legal[k]] = 0
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
    """Write the indices of the nonzero planes at all cells, and their values; return how many."""
    n_planes = board.shape[1] - N_PLACE_COLUMNS
    n = 0
    for tile in range(s.n_tiles):
        row = board[tile]
        cell = int(row[n_planes]) * s.rules.view_size + int(row[n_planes + 1])
        for plane in range(n_planes):
            if row[plane] != 0:
                indices[n] = cell * n_planes + plane
                weights[n] = row[plane]
                n += 1
    return n


@kernel(void(State, CanvasType, i8))
def show_sparse(s, canvas, i):
    """Write the planes as a padded sparse list."""
    board, indices, weights = canvas.boards[i], canvas.indices[i], canvas.weights[i]
    n = list_active(s, board, indices, weights)
    size = s.rules.view_size
    for k in range(n, canvas.n_active[i, 0]):
        indices[k] = size * size * (board.shape[1] - N_PLACE_COLUMNS)
        weights[k] = 0
    canvas.n_active[i, 0] = n


@kernel(void(State, i8, i8[::1], CanvasType, i8), inline=True)
def show_board(s, seat, actions, canvas, i):
    """Write a seat's view, given the legal actions; do nothing if the canvas has no board."""
    if canvas.boards.shape[1] == 0:
        return
    update_board(s, canvas.shown[i], seat, canvas.boards[i])
    mark_candidates(s, canvas.shown[i], actions, canvas.boards[i])
    write_globals(s, canvas.shown[i], canvas.own[0], canvas.places[i], canvas.globals[i])
    if canvas.indices.shape[1] > 0:
        show_sparse(s, canvas, i)


@kernel(void(States, Lanes, CanvasType, i8), inline=True)
def fetch_game(states, lanes, canvas, i):
    """Prefetch game i; with many games, every decision would otherwise wait for memory."""
    fetch(states, i, 0, HEAD)
    fetch(states, i, FRONTIER, FETCHED)
    fetch(lanes, i, 0, FETCHED)
    fetch(canvas.shown, i, 0, FETCHED)
    fetch(canvas.globals, i, 0, FETCHED)
    if canvas.places.shape[1] > 0:
        fetch(canvas.places, i, 0, FETCHED)


@kernel(void(State, Lane, i8[::1], CanvasType, i8), inline=True)
def show_step(s, lane, actions, canvas, i):
    """Give rewards and show the lane's seat its view, unless another seat must be asked first."""
    n = lane.n_legal
    if n > 0 and lane.follows != 0:
        lane.seat = s.decider
    lane.waits = n > 0 and s.decider != lane.seat
    if lane.waits != 0:
        return
    if lane.is_new == 0:
        give_rewards(s, lane)
    else:
        note_standings(s, lane)
    lane.is_new = 0
    show_legal(lane, n, actions, canvas, i)
    show_board(s, lane.seat, actions[:n], canvas, i)
