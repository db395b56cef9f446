"""The legal places for a tile, and placing it.

The *frontier* lists the empty cells beside a tile, with the edges that a tile there must show. Each
side takes four bits, with one bit per edge kind, so a tile fits if its bits equal the required bits
on every side that requires an edge.
"""

import numpy as np

from carc_env.engine.compiler.jit import b1, i8, kernel, u8, void
from carc_env.engine.compiler.memory import room_for
from carc_env.engine.core.board import (
    N_SIDES,
    STEP,
    cell_of_place,
    edge_at,
    in_view,
    is_on_rim,
    place_action,
    rotation_of_place,
    tile_at,
    widen_view,
)
from carc_env.engine.core.codes import EDGE_RIVER, N_ROTATIONS
from carc_env.engine.core.features import add_segments, fill_surroundings, join_side
from carc_env.engine.core.rivals import is_barred
from carc_env.engine.core.state import MAX_FRONTIER, NO_SIDE, NO_TILE, State
from carc_env.engine.core.tiles import EDGES, N_DISTINCT_ROTATIONS, N_FORMS

LOWEST_BITS = 0x1111
RIVER_BITS = EDGE_RIVER * LOWEST_BITS
QUARTER, QUARTERS = np.uint64(0xFFFF), np.uint64(0x0001000100010001)
LOWER_BITS = QUARTERS * np.uint64(0x7FFF)
TURNED_EDGES = np.zeros(N_FORMS, np.uint64)
"""[form]: the edges in its four rotations, each in a 16-bit quarter of the word."""
for _rotation in range(N_ROTATIONS):
    TURNED_EDGES |= EDGES[:, _rotation].astype(np.uint64) << np.uint64(16 * _rotation)
REPEATED = np.zeros(N_FORMS, np.uint64)
"""[form]: a quarter filled with ones for each rotation that looks like an earlier one."""
for _rotation in range(N_ROTATIONS):
    REPEATED[N_DISTINCT_ROTATIONS <= _rotation] |= QUARTER << np.uint64(16 * _rotation)


@kernel(i8(i8))
def required_sides(required):
    """Return the sides on which an edge is required, as the lowest bit of each."""
    return (required | required >> 1 | required >> 2 | required >> 3) & LOWEST_BITS


@kernel(i8(i8, i8))
def mismatch(edges, required):
    """Return the bits that differ from the required edges, on sides that require an edge."""
    return (edges ^ required) & (required_sides(required) * 15)


@kernel(b1(i8, i8))
def fits(edges, required):
    """Tell whether the edges are of the required kind on every side that requires one (BASE-04)."""
    return mismatch(edges, required) == 0


@kernel(i8(i8, i8))
def other_river_side(edges, side):
    """Return the side, other than the given one, at which the river leaves a tile, or NO_SIDE."""
    for other in range(N_SIDES):
        if other != side and edges >> (4 * other) & EDGE_RIVER:
            return other
    return NO_SIDE


@kernel(i8(i8, i8))
def river_turn(edges, entry):
    """Return the quarter turns from the river's entry side to its exit side; 0 at a river's end."""
    exit_side = other_river_side(edges, entry)
    return 0 if exit_side == NO_SIDE else (exit_side - entry) % 4


@kernel(i8(State, i8, i8))
def turn_before(s, tile, exit_side):
    """Return the river's quarter turns on a placed tile, up to the side at which it exits.

    If the river forks, it entered from the tile that was placed earlier.
    """
    placed = s.tiles[tile]
    edges = EDGES[placed.design, placed.rotation]
    for entry in range(N_SIDES):
        if entry != exit_side and edges >> (4 * entry) & EDGE_RIVER:
            other = tile_at(s, placed.cell + STEP[entry])
            if other != NO_TILE and other < tile:
                return (entry - exit_side) % 4
    return 0


@kernel(b1(State, i8, i8, i8))
def is_clear_ahead(s, edges, cell, entry):
    """Return whether the cells past a river tile's open ends, and those around them, are free.

    RIV2-04; the table is wide enough for any river.
    """
    for side in range(N_SIDES):
        if side != entry and edges >> (4 * side) & EDGE_RIVER:
            aside = STEP[(side + 1) % 4]
            near, far = cell + STEP[side], cell + 2 * STEP[side]
            if tile_at(s, far) != NO_TILE:
                return False
            for around in (near, far):
                if tile_at(s, around + aside) != NO_TILE or tile_at(s, around - aside) != NO_TILE:
                    return False
    return True


@kernel(i8(State, i8))
def frontier_entry(s, cell):
    """Return an empty cell's frontier number, or a negative number if it is not in the frontier."""
    return -s.board[cell] - 1


@kernel(b1(State, i8, i8))
def continues_river(s, edges, f):
    """Return whether a river tile on a frontier cell continues the river without a U-turn.

    BASE-41: it must not bend in the same direction as the tile before it, or it needs free cells
    ahead (RIV2-04). It must not join two arms (RIV2-05).
    """
    required, cell = s.frontier[f].edges & RIVER_BITS, s.frontier[f].cell
    entry = other_river_side(required, NO_SIDE)
    if entry == NO_SIDE or required & (required - 1) != 0:
        return False
    if s.rules.clear_ahead != 0:
        return is_clear_ahead(s, edges, cell, entry)
    turn = river_turn(edges, entry)
    before = tile_at(s, cell + STEP[entry])
    return turn % 2 == 0 or turn + turn_before(s, before, (entry + 2) % 4) != 4


@kernel(b1(State, i8, i8, i8))
def may_lie(s, design, rotation, f):
    """Return whether a tile is allowed on a frontier cell, apart from whether its edges fit.

    This checks the view, the river, and shrines and monasteries that must keep apart (CULT-03).
    """
    cell, edges = s.frontier[f].cell, EDGES[design, rotation]
    if not in_view(s, cell) or (s.rules.rivals != 0 and is_barred(s, design, cell)):
        return False
    return edges & RIVER_BITS == 0 or continues_river(s, edges, f)


@kernel(u8(State, i8, i8))
def misfits(s, design, f):
    """Return the required edges of a frontier cell that a tile lacks, one quarter per rotation.

    Drawn tiles show exactly one kind on each side; only tiles on the table from the start have
    walls.
    """
    return u8(s.frontier[f].edges) * QUARTERS & ~TURNED_EDGES[design]


@kernel(u8(u8))
def empty_quarters(word):
    """Return a word with the highest bit set of each quarter that is 0.

    Adding all the lower bits of a quarter carries into its highest bit unless they were 0.
    """
    return ~((word & LOWER_BITS) + LOWER_BITS | word | LOWER_BITS)


@kernel(b1(u8))
def has_empty_quarter(word):
    """Return whether a quarter of a word is 0; the lowest such quarter borrows its highest bit."""
    return (word - QUARTERS) & ~word & QUARTERS << u8(15) != u8(0)


@kernel(b1(u8, i8))
def is_empty_quarter(word, k):
    """Return whether the k-th quarter of a word is 0, counting from the lowest."""
    return word >> u8(16 * k) & QUARTER == u8(0)


@kernel(b1(State, i8))
def has_place(s, design):
    """Return whether a tile can be placed anywhere (BASE-05)."""
    for f in range(s.n_frontier):
        found = misfits(s, design, f)
        if has_empty_quarter(found):
            for rotation in range(N_DISTINCT_ROTATIONS[design]):
                if is_empty_quarter(found, rotation) and may_lie(s, design, rotation, f):
                    return True
    return False


@kernel(i8(State, i8, i8[::1]))
def fitting_entries(s, design, entries):
    """Write the frontier entries where a tile fits in any rotation; return how many.

    The loop has no branch because the processor cannot predict where a tile fits.
    """
    n = 0
    for f in range(s.n_frontier):
        entries[n] = f
        n += has_empty_quarter(misfits(s, design, f))
    return n


@kernel(i8(State, i8, i8[::1]))
def fitting_places(s, design, actions):
    """Write the actions that place a tile where its edges fit, inside the view; return how many."""
    entries = room_for(MAX_FRONTIER)
    n = 0
    for k in range(fitting_entries(s, design, entries)):
        f = entries[k]
        cell = s.frontier[f].cell
        if in_view(s, cell):
            found = misfits(s, design, f) | REPEATED[design]
            place = place_action(s, cell, 0)
            for rotation in range(N_ROTATIONS):
                actions[n] = place + rotation
                n += is_empty_quarter(found, rotation)
    return n


@kernel(i8(State, i8, i8, i8[::1]))
def without_u_turns(s, design, n, actions):
    """Keep only those of the first n actions that continue the river legally."""
    n_kept = 0
    for k in range(n):
        f = frontier_entry(s, cell_of_place(s, actions[k]))
        if continues_river(s, EDGES[design, rotation_of_place(actions[k])], f):
            actions[n_kept] = actions[k]
            n_kept += 1
    return n_kept


@kernel(i8(State, i8[::1]))
def legal_places(s, actions):
    """Write the actions that place the tile in hand; return how many.

    Symmetric rotations are listed once. Places where shrines and monasteries must keep apart are
    removed afterwards (``offer_place``).
    """
    design = s.hand
    n = fitting_places(s, design, actions)
    is_river = EDGES[design, 0] & RIVER_BITS != 0
    return without_u_turns(s, design, n, actions) if is_river else n


@kernel(b1(State, i8, i8, i8))
def is_place(s, design, rotation, f):
    """Return whether a tile can be placed on a frontier cell in the given rotation."""
    return fits(EDGES[design, rotation], s.frontier[f].edges) and may_lie(s, design, rotation, f)


@kernel(void(State, i8, i8, i8))
def require_edge(s, cell, side, edge):
    """Set the edge that a tile on an empty cell must show on one side, replacing any earlier one.

    Cells on the rim stay empty, so nothing is recorded for them.
    """
    if is_on_rim(cell):
        return
    if s.board[cell] == 0:
        f = s.n_frontier
        s.n_frontier = f + 1
        s.frontier[f].cell = cell
        s.frontier[f].edges = 0
        s.board[cell] = -(f + 1)
    f = frontier_entry(s, cell)
    others = s.frontier[f].edges & ~(15 << (4 * side))
    s.frontier[f].edges = others | edge << (4 * side)


@kernel(void(State, i8))
def leave_frontier(s, cell):
    """Remove a cell from the frontier; the last entry moves into the gap."""
    f = frontier_entry(s, cell)
    if f < 0:
        return
    last = s.n_frontier - 1
    s.n_frontier = last
    s.frontier[f].cell = s.frontier[last].cell
    s.frontier[f].edges = s.frontier[last].edges
    s.board[s.frontier[f].cell] = -(f + 1)
    s.frontier[last].cell = 0
    s.frontier[last].edges = 0


@kernel(i8(State, i8, i8, i8))
def occupy_cell(s, design, rotation, cell):
    """Put a tile on a cell without joining it to anything; return its number."""
    leave_frontier(s, cell)
    tile = s.n_tiles
    s.n_tiles = tile + 1
    s.board[cell] = tile + 1
    s.tiles[tile].design = design
    s.tiles[tile].rotation = rotation
    s.tiles[tile].cell = cell
    widen_view(s, cell)
    add_segments(s, tile)
    return tile


@kernel(void(State, i8, i8, i8))
def place_tile(s, design, rotation, cell):
    """Put a tile on a cell where it fits, and join its features with those of its neighbours."""
    tile = occupy_cell(s, design, rotation, cell)
    edges = EDGES[design, rotation]
    for side in range(N_SIDES):
        beside = cell + STEP[side]
        other = tile_at(s, beside)
        if other == NO_TILE:
            require_edge(s, beside, (side + 2) % 4, edge_at(edges, side))
        else:
            join_side(s, tile, side, other)
    fill_surroundings(s, tile)
