"""Bridges: a road over a tile between two field sides (docs/rules/bridges.md).

A bridge turns its tile into another form (``tiles.BRIDGED``) with one more road segment. Code that
reads the tile finds that road, and road edges at the bridged sides. A bridge site is encoded as
twice the tile's place (0 for the tile just placed or to be placed, 1 to 4 for its neighbours in the
north, east, south and west) plus the axis of the bridge (0 north-south, 1 east-west).
"""

import numpy as np

from carc_env.engine.compiler.jit import b1, i8, kernel, u8, void
from carc_env.engine.compiler.memory import room_for
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.answers import SECOND, add_pass
from carc_env.engine.core.board import N_SIDES, STEP, edge_at, place_action, tile_at
from carc_env.engine.core.codes import EDGE_FIELD, EDGE_ROAD, N_ROTATIONS, Block, Phase, Stock
from carc_env.engine.core.features import add_segment
from carc_env.engine.core.moments import answered, has, offer, offer_besides, offer_place
from carc_env.engine.core.placement import (
    LOWEST_BITS,
    QUARTER,
    QUARTERS,
    empty_quarters,
    fits,
    frontier_entry,
    may_lie,
    misfits,
    mismatch,
    place_tile,
    require_edge,
)
from carc_env.engine.core.state import NO_TILE, State
from carc_env.engine.core.tiles import (
    BRIDGED,
    EDGES,
    N_AXES,
    N_DISTINCT_ROTATIONS,
    N_FORMS,
    N_SEGMENTS,
    N_SITES,
    NO_FORM,
)

NO_BRIDGE = -1
ENDS_NS = 0x0101
"""Lowest bits of the north and south sides."""
FIELD_OR_ROAD = EDGE_FIELD | EDGE_ROAD
OVER = np.zeros((N_AXES, N_FORMS), np.uint64)
"""[axis, form]: edges as in ``TURNED_EDGES`` with a bridge; 0 if its ends are not fields."""
ROADS_AS_FIELDS = np.zeros(N_FORMS, np.uint64)
"""[form]: fields where ``TURNED_EDGES`` has roads that a bridge on a neighbour can provide."""
for _rotation in range(N_ROTATIONS):
    _edges, _shift = EDGES[:, _rotation].astype(np.int64), np.uint64(16 * _rotation)
    for _axis in range(N_AXES):
        _ends = ENDS_NS << 4 * _axis
        _are_fields = _edges & 15 * _ends == EDGE_FIELD * _ends
        _bridged = np.where(_are_fields, _edges ^ FIELD_OR_ROAD * _ends, 0)
        OVER[_axis] |= _bridged.astype(np.uint64) << _shift
    _roads = _edges // EDGE_ROAD & LOWEST_BITS
    ROADS_AS_FIELDS |= (_roads * EDGE_FIELD).astype(np.uint64) << _shift


@kernel(b1(State, i8))
def can_build(s, seat):
    """Return whether a seat has a bridge left and may still build it (BRI-03, BRI-19)."""
    return s.players[seat].stock[Stock.BRIDGE] > 0 and s.has_bridged == 0


@kernel(b1(State, i8, i8))
def can_carry(s, tile, axis):
    """Return whether a tile on the board can carry a bridge (BRI-05, BRI-06, BRI-15, BRI-21).

    A field side meets a field side, an abbey or an empty cell; the end of a bridge needs an empty
    cell.
    """
    placed = s.tiles[tile]
    cell = placed.cell
    return (
        BRIDGED[placed.design, placed.rotation, axis] != NO_FORM
        and tile_at(s, cell + STEP[axis]) == NO_TILE
        and tile_at(s, cell + STEP[axis + 2]) == NO_TILE
    )


@kernel(b1(State, i8, i8, i8))
def fits_bridged(s, edges, f, axis):
    """Check whether a tile with a bridge on it fits on a frontier cell (BRI-05, BRI-06, BRI-08)."""
    ends = ENDS_NS << (4 * axis)
    if edges & (15 * ends) != EDGE_FIELD * ends:
        return False
    required, cell = s.frontier[f].edges, s.frontier[f].cell
    for side in (axis, axis + 2):
        is_abbey = edge_at(required, side) == 0 and tile_at(s, cell + STEP[side]) != NO_TILE
        if is_abbey:
            return False
    return fits(edges ^ (FIELD_OR_ROAD * ends), required)


@kernel(i8(State, i8, i8))
def needed_bridge(s, edges, f):
    """Return the bridge that a tile needs to fit on a frontier cell.

    There is at most one, on the tile or on a neighbour; if none helps, return NO_BRIDGE (BRI-08).
    """
    wrong = mismatch(edges, s.frontier[f].edges)
    sides = wrong & LOWEST_BITS
    if wrong != FIELD_OR_ROAD * sides:
        return NO_BRIDGE
    if wrong & edges == EDGE_FIELD * sides:
        for axis in range(N_AXES):
            if fits_bridged(s, edges, f, axis):
                return axis
    elif wrong & edges == EDGE_ROAD * sides:
        for side in range(N_SIDES):
            neighbour = tile_at(s, s.frontier[f].cell + STEP[side])
            if sides == 1 << (4 * side) and can_carry(s, neighbour, side % N_AXES):
                return N_AXES * (1 + side) + side % N_AXES
    return NO_BRIDGE


@kernel(i8(State, i8))
def sides_to_bridge(s, f):
    """Return the field bits for a frontier cell's sides to which a neighbour can build a bridge."""
    found = 0
    for side in range(N_SIDES):
        neighbour = tile_at(s, s.frontier[f].cell + STEP[side])
        if neighbour != NO_TILE and can_carry(s, neighbour, side % N_AXES):
            found |= EDGE_FIELD << (4 * side)
    return found


@kernel(u8(State, i8, i8))
def mended(s, design, f):
    """Return the high bits of the quarters for rotations that a bridge may make fit (BRI-08).

    The check covers only edges: with a bridge on the tile, or with roads where fields are required.
    """
    lacking, own = misfits(s, design, f), u8(0)
    fitting = empty_quarters(lacking)
    for axis in range(N_AXES):
        own |= empty_quarters(u8(s.frontier[f].edges) * QUARTERS & ~OVER[axis, design])
    beside = empty_quarters(lacking & ~ROADS_AS_FIELDS[design]) & ~fitting
    if beside != u8(0):
        bridged = ROADS_AS_FIELDS[design] & u8(sides_to_bridge(s, f)) * QUARTERS
        beside = empty_quarters(lacking & ~bridged)
    return (own | beside) & ~fitting


@kernel(i8(State, i8, i8, i8, i8[::1]))
def offer_mended(s, design, f, n, actions):
    """Add the actions that place a tile on a frontier cell only with a bridge (XW-11)."""
    found = mended(s, design, f)
    if found == u8(0):
        return n
    for rotation in range(N_DISTINCT_ROTATIONS[design]):
        is_mended = found >> u8(16 * rotation) & QUARTER != u8(0)
        if not is_mended or needed_bridge(s, EDGES[design, rotation], f) == NO_BRIDGE:
            continue
        if may_lie(s, design, rotation, f):
            actions[n] = place_action(s, s.frontier[f].cell, rotation)
            n += 1
    return n


@kernel(b1(State, i8))
def has_bridged_place(s, design):
    """Return whether the turn player can place a tile somewhere with the help of a bridge."""
    if not can_build(s, s.turn_player):
        return False
    actions = room_for(N_ROTATIONS)
    for f in range(s.n_frontier):
        if offer_mended(s, design, f, 0, actions) > 0:
            return True
    return False


@kernel(i8(State, i8, i8[::1]))
def offer_bridged_places(s, n, actions):
    """Add the actions that place the tile in hand where it needs a bridge (BRI-08)."""
    if not can_build(s, s.turn_player):
        return n
    for f in range(s.n_frontier):
        n = offer_mended(s, s.hand, f, n, actions)
    return n


@at(offer_place, has(Stock.BRIDGE))
@kernel(i8(State, i8, i8[::1]))
def offer_bridged_or_aside(s, n, actions):
    """Add the places that need a bridge; if all do, the tile may be set aside (BRI-08, BRI-09)."""
    n_all = offer_bridged_places(s, n, actions)
    return add_pass(s, n_all, actions) if n == 0 and n_all > 0 else n_all


@kernel(i8(State, i8))
def tile_of_site(s, site):
    """Return the tile of a bridge site around the tile just placed, or NO_TILE."""
    last = s.n_tiles - 1
    place = site // N_AXES
    return last if place == 0 else tile_at(s, s.tiles[last].cell + STEP[place - 1])


@kernel(b1(State, i8))
def is_site(s, site):
    """Return whether a bridge can be built at a site around the tile just placed (BRI-04)."""
    tile = tile_of_site(s, site)
    return tile != NO_TILE and can_carry(s, tile, site % N_AXES)


@at(offer_besides, has(Stock.BRIDGE), key=1)  # after ransoms
@kernel(i8(State, i8, i8[::1]))
def offer_bridges(s, n, actions):
    """Add the bridges that can be built on or beside the tile just placed (BRI-03, BRI-04)."""
    if not can_build(s, s.decider):
        return n
    for site in range(N_SITES):
        if is_site(s, site):
            actions[n] = s.rules.first_action[Block.BRIDGE] + site
            n += 1
    return n


@at(offer, key=Phase.BRIDGE)
@kernel(i8(State, i8[::1]))
def offer_late_bridge(s, actions):
    """Write the bridges that can follow the figure action, and passing (BRI-10)."""
    return add_pass(s, offer_bridges(s, 0, actions), actions)


@kernel(b1(State, i8))
def is_bridge(s, action):
    """Return whether an action builds a bridge."""
    site = action - s.rules.first_action[Block.BRIDGE]
    return s.rules.stock[Stock.BRIDGE] > 0 and 0 <= site < N_SITES


@kernel(b1(State))
def can_build_later(s):
    """Return whether the decider can build a bridge after the figure action (BRI-10)."""
    if s.rules.late_bridges == 0 or not can_build(s, s.decider):
        return False
    for site in range(N_SITES):
        if is_site(s, site):
            return True
    return False


@kernel(void(State, i8, i8))
def build_bridge(s, tile, axis):
    """Put a bridge on a tile on the board: its bridged sides become road (BRI-18)."""
    placed = s.tiles[tile]
    printed = placed.design
    placed.design = BRIDGED[printed, placed.rotation, axis]
    add_segment(s, tile, N_SEGMENTS[printed])
    for side in (axis, axis + 2):
        require_edge(s, placed.cell + STEP[side], (side + 2) % 4, EDGE_ROAD)


@kernel(void(State))
def spend_bridge(s):
    """Take a bridge from the decider, who cannot build another one now (BRI-03, BRI-20)."""
    s.players[s.decider].stock[Stock.BRIDGE] -= 1
    s.has_bridged = 1


@kernel(void(State, i8))
def build_chosen(s, action):
    """Build the bridge that an action names."""
    site = action - s.rules.first_action[Block.BRIDGE]
    build_bridge(s, tile_of_site(s, site), site % N_AXES)
    spend_bridge(s)


@at(answered, key=Phase.BRIDGE)
@kernel(i8(State, i8))
def build_later(s, action):
    """Build a bridge after the figure action, or none (BRI-10)."""
    if is_bridge(s, action):
        build_chosen(s, action)
    return SECOND


@kernel(void(State, i8, i8, i8))
def place_with_bridge(s, design, rotation, cell):
    """Put a tile on a cell and build the bridge that it needs there, if any (BRI-08)."""
    f = frontier_entry(s, cell)
    edges = EDGES[design, rotation]
    if fits(edges, s.frontier[f].edges):
        place_tile(s, design, rotation, cell)
        return
    bridge = needed_bridge(s, edges, f)
    place, axis = bridge // N_AXES, bridge % N_AXES
    if place == 0:
        place_tile(s, BRIDGED[design, rotation, axis], rotation, cell)
    else:
        build_bridge(s, tile_at(s, cell + STEP[place - 1]), axis)
        place_tile(s, design, rotation, cell)
    spend_bridge(s)
