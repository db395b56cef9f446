"""Kernels that write all afterstates of many games as changes of the games before the decision.

:class:`carc_env.AfterstateBatch` explains the buffers.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numba
import numpy as np
import numpy.typing as npt
from numba import float32, int32, uint8

from carc_env.engine import entry
from carc_env.engine.compiler.jit import b1, entry_point, i8, kernel, void, without_lookup
from carc_env.engine.compiler.linking import linked
from carc_env.engine.compiler.memory import room_for
from carc_env.engine.core.board import N_NEIGHBOURS, STEP, neighbour, tile_at
from carc_env.engine.core.chance import chances_among
from carc_env.engine.core.codes import MAX_PLAYERS, N_OUTCOMES, Kind, Phase
from carc_env.engine.core.copying import copy_in_use
from carc_env.engine.core.features import cell_of
from carc_env.engine.core.moments import outcomes_of
from carc_env.engine.core.seats import seat_at
from carc_env.engine.core.sizes import MAX_SEGMENTS, MAX_TILES
from carc_env.engine.core.state import (
    BOARD,
    MAX_FRONTIER,
    NO_OUTCOME,
    NO_SEGMENT,
    NO_TILE,
    State,
    States,
    new_states,
)
from carc_env.engine.flow.evaluation import f8
from carc_env.engine.flow.hidden import conceal
from carc_env.engine.flow.legal import MAX_LEGAL
from carc_env.engine.flow.standings import write_standings
from carc_env.engine.sight.entities import write_features
from carc_env.engine.sight.lanes import Canvas, CanvasType
from carc_env.engine.sight.marks import MAX_BYTE
from carc_env.engine.sight.planes import LAST_TILE
from carc_env.engine.sight.show import show_board
from carc_env.engine.sight.shown import Shown
from carc_env.search.features import MAX_SHOWN, list_open
from carc_env.search.fit import UNSEEN_ROOM, count_unseen, n_fitting

apply, legal = linked(entry.apply), linked(entry.legal)

N_NEAR = 5
"""A place and its neighbours on the north, east, south and west side."""
BASE = -1
"""The afterstate of items that belong to a base."""
NO_STAMP = -1
"""No cell has it."""
MAX_OPENINGS = MAX_SHOWN + 2 * N_NEIGHBOURS
"""Most features that are open at a free cell: two on a side, and two in each tile around it."""
DECISIONS, ACTIONS, AFTERSTATES, TILES, PLACES, PLACES_LOST, FEATURES, FEATURES_LOST, OPENINGS = (
    range(9)
)
"""Numbers that count how much of a pack is in use."""
N_COUNTS = OPENINGS + 1
FIRST_ROOM = (64, 8192, 2048, 16384, 32768, 32768, 32768, 32768, 32768)
"""Room in new buffers, in the order of these numbers."""
MARGIN = 64
"""Room to spare for what one decision adds to a game: a tile with its neighbours and segments."""

Pack = namedtuple(
    "Pack",
    "n_actions before base_of actions globals scores weights is_over action_of decision_of "
    "tiles tile_decision near fits place_decision place_afterstate lost_places "
    "features feature_decision feature_afterstate lost_features openings",
)
"""The buffers of an :class:`AfterstateBatch`, with the same names."""

PackType = numba.types.NamedTuple(
    [
        *(int32[::1], float32[:, ::1], int32[::1], i8[::1]),
        *(float32[:, ::1], float32[:, ::1], float32[::1], uint8[::1], int32[::1], int32[::1]),
        *(uint8[:, ::1], int32[::1], int32[:, ::1], uint8[::1], int32[::1], int32[::1]),
        int32[:, ::1],
        *(uint8[:, ::1], int32[::1], int32[::1], int32[:, ::1], int32[:, ::1]),
    ],
    Pack,
)

Desk = namedtuple(
    "Desk",
    "states canvas shown board stamps cells rows changed before after items places chains links "
    "marks unseen base",
)
"""Scratch: an afterstate; sheets to draw on, one for each rules; what a sheet shows of the base;
cells and when they were listed last; the row of each tile, counted from 1, in the base and in the
afterstate; the rows of all features in both, and the item of each feature of the base; the place at
each listed cell; the first link of each feature's chain of openings, links as (cell, next link),
when features were marked last, the unseen tiles of the base, and its decision, first tile and first
place."""

DeskType = numba.types.NamedTuple(
    [
        *(
            States,
            CanvasType,
            Shown[::1],
            uint8[:, ::1],
            int32[::1],
            int32[::1],
            int32[::1],
            int32[::1],
        ),
        *(uint8[:, ::1], uint8[:, ::1], int32[::1]),
        *(int32[::1], int32[::1], int32[:, ::1], int32[::1], i8[::1], i8[::1]),
    ],
    Desk,
)


@kernel(void(State, i8, DeskType, i8))
def draw(s, seat, desk, sheet):
    """Draw a seat's view of a game on a sheet of the canvas."""
    none = room_for(MAX_PLAYERS)
    desk.canvas.shown[sheet].n_tiles = 0
    show_board(s, seat, none[:0], desk.canvas, sheet)


@kernel(void(uint8[:, ::1], uint8[:, ::1], i8))
def copy_rows(to, source, n):
    """Copy the first n rows of a board."""
    for row in range(n):
        for k in range(to.shape[1]):
            to[row, k] = source[row, k]


@kernel(void(State, State, i8, DeskType, i8))
def redraw(s, base, seat, desk, sheet):
    """Draw a seat's view of a game that comes soon after the base."""
    none = room_for(MAX_PLAYERS)
    desk.canvas.shown[sheet] = desk.shown[0]
    copy_rows(desk.canvas.boards[sheet], desk.board, base.n_tiles)
    for tile in range(base.n_tiles, s.n_tiles):
        desk.canvas.boards[sheet, tile] = 0
    show_board(s, seat, none[:0], desk.canvas, sheet)


@kernel(void(DeskType, i8, i8, PackType, i8[::1]))
def add_tile(desk, sheet, tile, p, counts):
    """Copy a tile's row from a sheet of the canvas."""
    row = counts[TILES]
    for k in range(p.tiles.shape[1]):
        p.tiles[row, k] = desk.canvas.boards[sheet, tile, k]
    p.tile_decision[row] = counts[DECISIONS]
    counts[TILES] = row + 1


@kernel(void(State, i8, int32[::1], i8, i8[::1], PackType, i8[::1]))
def add_place(s, cell, rows, afterstate, unseen, p, counts):
    """Add a cell with a tile or beside one, given the rows of all tiles."""
    place = counts[PLACES]
    tile = tile_at(s, cell)
    p.near[place, 0] = 0 if tile == NO_TILE else rows[tile]
    for side in range(N_NEAR - 1):
        tile = tile_at(s, cell + STEP[side])
        p.near[place, 1 + side] = 0 if tile == NO_TILE else rows[tile]
    at = s.board[cell]
    p.fits[place] = min(MAX_BYTE, n_fitting(unseen, s.frontier[-at - 1].edges)) if at < 0 else 0
    p.place_decision[place] = counts[DECISIONS]
    p.place_afterstate[place] = afterstate
    counts[PLACES] = place + 1


@kernel(void(uint8[::1], i8, i8, PackType, i8[::1]))
def add_feature(row, decision, afterstate, p, counts):
    """Add a feature."""
    item = counts[FEATURES]
    for k in range(p.features.shape[1]):
        p.features[item, k] = row[k]
    p.feature_decision[item] = decision
    p.feature_afterstate[item] = afterstate
    counts[FEATURES] = item + 1


@kernel(b1(State, i8))
def is_feature(s, feature):
    """Return whether a number identifies a feature of the game."""
    return feature < s.n_segments and s.features[feature].n_segments > 0


@kernel(i8(i8, i8, i8, i8, DeskType))
def link_opening(feature, cell, n, stamp, desk):
    """Make the n-th link: a feature is open at a cell; return the number of links."""
    desk.links[n, 0], desk.links[n, 1] = cell, desk.chains[feature]
    desk.chains[feature] = n
    if desk.stamps[cell] == stamp:
        desk.marks[feature] = stamp
    return n + 1


@kernel(void(State, i8, DeskType))
def chain_openings(s, stamp, desk):
    """Chain the free cells at which each feature is open; mark features open at cells listed last.

    Roads and cities are open where a side shows them, and monasteries and gardens all around.
    """
    features, n = room_for(MAX_SHOWN), 0
    desk.chains[: s.n_segments] = NO_SEGMENT
    for k in range(s.n_frontier):
        for j in range(list_open(s, k, features)):
            n = link_opening(features[j], s.frontier[k].cell, n, stamp, desk)
    for feature in range(s.n_segments):
        kind = s.features[feature].kind
        if (kind == Kind.MONASTERY or kind == Kind.GARDEN) and is_feature(s, feature):
            for k in range(N_NEIGHBOURS):
                cell = neighbour(cell_of(s, feature), k)
                if s.board[cell] < 0:
                    n = link_opening(feature, cell, n, stamp, desk)


@kernel(i8(State, i8, i8))
def base_place(s, cell, first):
    """Return the place at a cell of the base, whose first place is given."""
    at = s.board[cell]
    return first + (at - 1 if at > 0 else s.n_tiles - at - 1)


@kernel(void(State, i8, i8, i8, DeskType, PackType, i8[::1]))
def add_openings(s, feature, first, stamp, desk, p, counts):
    """Write where the feature that comes next is open: at listed cells, or at those of the base."""
    link, n = desk.chains[feature], counts[OPENINGS]
    while link != NO_SEGMENT:
        cell = desk.links[link, 0]
        p.openings[n, 0] = counts[FEATURES]
        if desk.stamps[cell] == stamp:
            p.openings[n, 1] = desk.places[cell]
        else:
            p.openings[n, 1] = base_place(s, cell, first)
        n += 1
        link = desk.links[link, 1]
    counts[OPENINGS] = n


@kernel(void(State, i8, DeskType, i8, PackType, i8[::1]))
def add_base(s, seat, desk, sheet, p, counts):
    """Write all items of the game that is on the canvas: tiles in order, then free cells."""
    decision, first = counts[DECISIONS], counts[PLACES]
    count_unseen(s, desk.unseen)
    for tile in range(s.n_tiles):
        add_tile(desk, sheet, tile, p, counts)
        desk.rows[tile] = counts[TILES]
    for tile in range(s.n_tiles):
        add_place(s, s.tiles[tile].cell, desk.rows, BASE, desk.unseen, p, counts)
    for k in range(s.n_frontier):
        add_place(s, s.frontier[k].cell, desk.rows, BASE, desk.unseen, p, counts)
    write_features(s, seat, desk.before)
    chain_openings(s, NO_STAMP, desk)
    for feature in range(s.n_segments):
        if is_feature(s, feature):
            desk.items[feature] = counts[FEATURES]
            add_openings(s, feature, first, NO_STAMP, desk, p, counts)
            add_feature(desk.before[feature], decision, BASE, p, counts)


@kernel(void(DeskType, i8, float32[::1]))
def copy_globals(desk, sheet, out):
    """Copy the globals from a sheet of the canvas."""
    for k in range(out.shape[0]):
        out[k] = desk.canvas.globals[sheet, k]


@kernel(i8(i8, i8, i8, DeskType))
def list_cell(cell, n, stamp, desk):
    """Add a cell to those listed unless it is there; return how many there are."""
    if desk.stamps[cell] == stamp:
        return n
    desk.stamps[cell] = stamp
    desk.cells[n] = cell
    return n + 1


@kernel(i8(State, State, i8, DeskType, i8, PackType, i8[::1]))
def add_changed_tiles(s, after, first, desk, sheet, p, counts):
    """Write tiles whose row differs from the base's; list their cells and the cells beside them.

    ``first`` is the base's first tile. Returns the number of cells.
    """
    n, stamp = 0, counts[AFTERSTATES] + 1
    for tile in range(after.n_tiles):
        differs = tile >= s.n_tiles
        if not differs:
            bits = 0
            for k in range(p.tiles.shape[1]):
                bits |= int(p.tiles[first + tile, k]) ^ int(desk.canvas.boards[sheet, tile, k])
            differs = bits != 0
            desk.changed[tile] = desk.rows[tile]
        if differs:
            add_tile(desk, sheet, tile, p, counts)
            desk.changed[tile] = counts[TILES]
            cell = after.tiles[tile].cell
            n = list_cell(cell, n, stamp, desk)
            for side in range(N_NEAR - 1):
                n = list_cell(cell + STEP[side], n, stamp, desk)
    return n


@kernel(void(State, State, i8, i8, DeskType, PackType, i8[::1]))
def add_changed_places(s, after, first, n, desk, p, counts):
    """Write the places at the first n listed cells; ``first`` is the base's first place."""
    for k in range(n):
        cell = desk.cells[k]
        if s.board[cell] != 0:
            lost = counts[PLACES_LOST]
            p.lost_places[lost, 0] = base_place(s, cell, first)
            p.lost_places[lost, 1] = counts[AFTERSTATES]
            counts[PLACES_LOST] = lost + 1
        if after.board[cell] != 0:
            desk.places[cell] = counts[PLACES]
            add_place(after, cell, desk.changed, counts[AFTERSTATES], desk.unseen, p, counts)


@kernel(b1(uint8[::1], uint8[::1]))
def is_same(row, other):
    """Return whether two rows are equal."""
    bits = 0
    for k in range(row.shape[0]):
        bits |= int(row[k]) ^ int(other[k])
    return bits == 0


@kernel(void(State, State, i8, DeskType, PackType, i8[::1]))
def add_changed_features(s, after, first, desk, p, counts):
    """Write the features that differ from the base's, or are open where a place differs.

    ``first`` is the base's first place.
    """
    row, stamp = counts[AFTERSTATES], counts[AFTERSTATES] + 1
    write_features(after, s.decider, desk.after)
    chain_openings(after, stamp, desk)
    for feature in range(max(s.n_segments, after.n_segments)):
        was, is_now = is_feature(s, feature), is_feature(after, feature)
        is_kept = was and is_now and desk.marks[feature] != stamp
        if is_kept and is_same(desk.before[feature], desk.after[feature]):
            continue
        if was:
            lost = counts[FEATURES_LOST]
            p.lost_features[lost, 0] = desk.items[feature]
            p.lost_features[lost, 1] = row
            counts[FEATURES_LOST] = lost + 1
        if is_now:
            add_openings(s, feature, first, stamp, desk, p, counts)
            add_feature(desk.after[feature], counts[DECISIONS], row, p, counts)


@kernel(b1(State, PackType, i8[::1]))
def has_room(s, p, counts):
    """Return whether the buffers have room for one more afterstate of a game, written in full."""
    n_free, n_features = s.n_frontier + MARGIN, s.n_segments + MARGIN
    n_places = s.n_tiles + n_free
    return (
        counts[DECISIONS] < p.n_actions.shape[0]
        and counts[ACTIONS] + MAX_LEGAL <= p.actions.shape[0]
        and counts[AFTERSTATES] < p.scores.shape[0]
        and counts[TILES] + s.n_tiles + MARGIN <= p.tiles.shape[0]
        and counts[PLACES] + n_places <= p.near.shape[0]
        and counts[PLACES_LOST] + n_places <= p.lost_places.shape[0]
        and counts[FEATURES] + n_features <= p.features.shape[0]
        and counts[FEATURES_LOST] + n_features <= p.lost_features.shape[0]
        and counts[OPENINGS] + MAX_OPENINGS * n_free <= p.openings.shape[0]
    )


@kernel(void(State, i8, i8, DeskType, PackType, i8[::1]))
def become(s, action, outcome, desk, p, counts):
    """Make the desk's game the afterstate of an action, concealed.

    ``outcome`` is that of chance outside the bag, or NO_OUTCOME to leave it to chance.
    """
    after, points, row = desk.states[0], room_for(MAX_PLAYERS), counts[AFTERSTATES]
    copy_in_use(after, s)
    if outcome != NO_OUTCOME:
        after.next_token = outcome
    apply(desk.states, 0, action)  # not settled: a forced decision could show the tile drawn
    write_standings(after, points)
    for k in range(p.scores.shape[1]):
        is_absent = k >= s.rules.n_players
        p.scores[row, k] = 0 if is_absent else points[seat_at(s, s.decider, k)]
    p.is_over[row] = after.phase == Phase.GAME_OVER
    p.decision_of[row] = counts[DECISIONS]
    conceal(after, s)


@kernel(b1(State, DeskType, i8, PackType, i8[::1]))
def open_base(base, desk, sheet, p, counts):
    """Write a base, and note where it begins; return whether there was room."""
    if not has_room(base, p, counts):
        return False
    desk.base[0], desk.base[1], desk.base[2] = counts[DECISIONS], counts[TILES], counts[PLACES]
    draw(base, base.decider, desk, sheet)
    if base.phase == Phase.PLACE_TILE:
        for tile in range(base.n_tiles):
            desk.canvas.boards[sheet, tile, LAST_TILE] = 0  # in afterstates it is another one
    add_base(base, base.decider, desk, sheet, p, counts)
    desk.shown[0] = desk.canvas.shown[sheet]
    copy_rows(desk.board, desk.canvas.boards[sheet], base.n_tiles)
    return True


@kernel(void(State, State, i8, i8, f8, DeskType, i8, PackType, i8[::1]))
def add_afterstate(base, s, action, outcome, weight, desk, sheet, p, counts):
    """Write what differs from the base in the afterstate of an action."""
    become(s, action, outcome, desk, p, counts)
    after, row, first_place = desk.states[0], counts[AFTERSTATES], desk.base[2]
    redraw(after, base, s.decider, desk, sheet)
    copy_globals(desk, sheet, p.globals[row])
    p.weights[row] = weight
    p.action_of[row] = counts[ACTIONS]
    n = add_changed_tiles(base, after, desk.base[1], desk, sheet, p, counts)
    add_changed_places(base, after, first_place, n, desk, p, counts)
    add_changed_features(base, after, first_place, desk, p, counts)
    counts[AFTERSTATES] = row + 1


@kernel(b1(State, States, i8, DeskType, i8, PackType, i8[::1]))
def add_decision(base, states, i, desk, sheet, p, counts):
    """Write all afterstates of a game; return whether there was room."""
    s, actions, decision = states[i], room_for(MAX_LEGAL), counts[DECISIONS]
    if not has_room(s, p, counts):
        return False
    redraw(s, base, s.decider, desk, sheet)
    copy_globals(desk, sheet, p.before[decision])
    p.base_of[decision] = desk.base[0]
    n = legal(states, i, actions)
    for k in range(n):
        possible, n_all = outcomes_of(s, actions[k]), 0
        for outcome in range(N_OUTCOMES):
            n_all += chances_among(s, possible, outcome)
        for outcome in range(N_OUTCOMES):
            chances = chances_among(s, possible, outcome) if possible != 0 else outcome == 0
            if chances == 0:
                continue
            if not has_room(s, p, counts):
                return False
            given, weight = NO_OUTCOME if possible == 0 else outcome, chances / max(1, n_all)
            add_afterstate(base, s, actions[k], given, weight, desk, sheet, p, counts)
        p.actions[counts[ACTIONS]] = actions[k]
        counts[ACTIONS] += 1
    p.n_actions[decision] = n
    counts[DECISIONS] += 1
    return True


@entry_point(b1(States, i8[::1], States, i8[::1], i8[::1], DeskType, PackType, i8[::1]))
def pack_changes(states, which, bases, base_of, sheets, desk, p, counts):
    """Write all afterstates of some games as changes of bases; return whether there was room.

    Games in succession share a base of the same number. ``sheets`` says on which sheet of the
    canvas each game is drawn.
    """
    desk.stamps[:] = desk.marks[:] = 0
    for k in range(which.shape[0]):
        base = bases[base_of[k]]
        is_new = k == 0 or base_of[k] != base_of[k - 1]
        if is_new and not open_base(base, desk, sheets[k], p, counts):
            return False
        if not add_decision(base, states, which[k], desk, sheets[k], p, counts):
            return False
    return True


@entry_point(b1(States, i8[::1], i8[::1], i8[::1], DeskType, PackType, i8[::1]))
def pack_whole(states, which, sheets, actions, desk, p, counts):
    """Write one afterstate of each of some games in full; return whether there was room."""
    for k in range(which.shape[0]):
        s, after, sheet = states[which[k]], desk.states[0], sheets[k]
        if not has_room(s, p, counts):
            return False
        row = counts[AFTERSTATES]
        draw(s, s.decider, desk, sheet)
        copy_globals(desk, sheet, p.before[counts[DECISIONS]])
        become(s, actions[k], NO_OUTCOME, desk, p, counts)
        draw(after, s.decider, desk, sheet)
        copy_globals(desk, sheet, p.globals[row])
        add_base(after, s.decider, desk, sheet, p, counts)
        p.weights[row], p.action_of[row], p.actions[row], p.n_actions[row] = 1, row, actions[k], 1
        p.base_of[row] = row
        counts[AFTERSTATES] = counts[ACTIONS] = counts[DECISIONS] = row + 1
    return True


@entry_point(void(States, i8[::1], i8[::1], States, i8[::1]))
def follow_actions(states, which, actions, after, is_asked):
    """Carry out an action in a copy of each game; note whether the decider then goes on.

    Nothing has been drawn then, and chance has decided nothing.
    """
    for k in range(which.shape[0]):
        s, to = states[which[k]], after[k]
        copy_in_use(to, s)
        apply(after, k, actions[k])
        goes_on = to.decider == s.decider and to.phase != Phase.GAME_OVER
        is_known = to.n_bag == s.n_bag and outcomes_of(s, actions[k]) == 0
        is_asked[k] = goes_on and is_known


pack_changes, pack_whole, follow_actions = map(
    without_lookup, (pack_changes, pack_whole, follow_actions)
)


def new_desk(canvas: Canvas, n_columns: int) -> Desk:
    """Return scratch, given a canvas for tokens and the number of feature columns."""
    return Desk(
        states=new_states(1),
        canvas=canvas,
        shown=np.zeros(1, canvas.shown.dtype),
        board=np.zeros(canvas.boards.shape[1:], np.uint8),
        stamps=np.zeros(BOARD * BOARD, np.int32),
        cells=np.zeros(N_NEAR * MAX_TILES, np.int32),
        rows=np.zeros(MAX_TILES, np.int32),
        changed=np.zeros(MAX_TILES, np.int32),
        before=np.zeros((MAX_SEGMENTS, n_columns), np.uint8),
        after=np.zeros((MAX_SEGMENTS, n_columns), np.uint8),
        items=np.zeros(MAX_SEGMENTS, np.int32),
        places=np.zeros(BOARD * BOARD, np.int32),
        chains=np.zeros(MAX_SEGMENTS, np.int32),
        links=np.zeros((MAX_OPENINGS * MAX_FRONTIER, 2), np.int32),
        marks=np.zeros(MAX_SEGMENTS, np.int32),
        unseen=np.zeros(UNSEEN_ROOM, np.int64),
        base=np.zeros(3, np.int64),
    )


def new_pack(widths: tuple[int, ...], room: tuple[int, ...]) -> Pack:
    """Return buffers, given the numbers of planes, globals, feature columns and seats.

    The room is in the order of ``FIRST_ROOM``.
    """
    n_planes, n_globals, n_columns, n_seats = widths
    decisions, actions, afterstates, tiles, places, lost_places, features, lost_features, n = room
    return Pack(
        n_actions=np.zeros(decisions, np.int32),
        before=np.zeros((decisions, n_globals), np.float32),
        base_of=np.zeros(decisions, np.int32),
        actions=np.zeros(actions, np.int64),
        globals=np.zeros((afterstates, n_globals), np.float32),
        scores=np.zeros((afterstates, n_seats), np.float32),
        weights=np.zeros(afterstates, np.float32),
        is_over=np.zeros(afterstates, np.uint8),
        action_of=np.zeros(afterstates, np.int32),
        decision_of=np.zeros(afterstates, np.int32),
        tiles=np.zeros((tiles, n_planes), np.uint8),
        tile_decision=np.zeros(tiles, np.int32),
        near=np.zeros((places, N_NEAR), np.int32),
        fits=np.zeros(places, np.uint8),
        place_decision=np.zeros(places, np.int32),
        place_afterstate=np.zeros(places, np.int32),
        lost_places=np.zeros((lost_places, 2), np.int32),
        features=np.zeros((features, n_columns), np.uint8),
        feature_decision=np.zeros(features, np.int32),
        feature_afterstate=np.zeros(features, np.int32),
        lost_features=np.zeros((lost_features, 2), np.int32),
        openings=np.zeros((n, 2), np.int32),
    )


def in_use(pack: Pack, counts: npt.NDArray[np.int64]) -> tuple[npt.NDArray[Any], ...]:
    """Return the parts of the buffers that are in use."""
    d, a, n, t, p, lost, f, lost_f, o = counts.tolist()
    ends = (d, d, d, a, n, n, n, n, n, n, t, t, p, p, p, p, lost, f, f, f, lost_f, o)
    return tuple(array[:end] for array, end in zip(pack, ends, strict=True))
