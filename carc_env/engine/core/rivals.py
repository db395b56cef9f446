"""Shrines and monasteries: rivals, and where they may not be placed (CULT-03 to 05, CULT-12)."""

from carc_env.engine.compiler.jit import b1, i8, kernel
from carc_env.engine.core.board import N_NEIGHBOURS, neighbour, tile_at
from carc_env.engine.core.codes import Kind
from carc_env.engine.core.features import cell_of, centre_at, is_complete, is_occupied
from carc_env.engine.core.fief import touches
from carc_env.engine.core.state import NO_TILE, State
from carc_env.engine.core.tiles import BUILDING, MONASTERY, NO_BUILDING, SHRINE

NO_RIVAL = -1
"""Stands for the absence of a rival."""


@kernel(i8(State, i8))
def building_at(s, cell):
    """Return the building on a cell, or NO_BUILDING; an abbey counts as a monastery (CULT-14)."""
    tile = tile_at(s, cell)
    return NO_BUILDING if tile == NO_TILE else BUILDING[s.tiles[tile].design]


@kernel(i8(i8))
def rival_of(building):
    """Return the building that rivals the given one; a hut has no rival (RUS-04)."""
    if building == NO_BUILDING:
        return NO_RIVAL
    return MONASTERY if building == SHRINE else SHRINE


@kernel(i8(State, i8, i8))
def n_rivals(s, building, cell):
    """Return the number of a building's rivals on the cells around it (CULT-03)."""
    n = 0
    for i in range(N_NEIGHBOURS):
        n += building_at(s, neighbour(cell, i)) == rival_of(building)
    return n


@kernel(b1(State, i8, i8))
def is_barred(s, design, cell):
    """Return whether a tile on a cell would create a building with two rivals, there or nearby.

    CULT-03, CULT-04; two buildings of the same kind are not rivals (CULT-05).
    """
    building = BUILDING[design]
    if building == NO_BUILDING:
        return False
    rival = rival_of(building)
    n = 0
    for i in range(N_NEIGHBOURS):
        near = neighbour(cell, i)
        if building_at(s, near) == rival:
            n += 1
            if n > 1 or n_rivals(s, rival, near) > 0:
                return True
    return False


@kernel(i8(State, i8, i8[::1]))
def list_rivals(s, building, cells):
    """Write the cells of all of a building's rivals; return how many."""
    n = 0
    for tile in range(s.n_tiles):
        cells[n] = s.tiles[tile].cell
        n += BUILDING[s.tiles[tile].design] == rival_of(building)
    return n


@kernel(b1(i8, i8[::1]))
def touches_any(cell, others):
    """Return whether a cell equals or touches (at a side or corner) any of several others."""
    is_near = False
    for k in range(others.shape[0]):
        is_near |= touches(cell, others[k])
    return is_near


@kernel(b1(State, i8))
def would_draw(s, feature):
    """Return whether figures on a feature would trigger a challenge (CULT-12).

    That is the case for a building without figures that the tile just placed has completed together
    with its rival.
    """
    if s.rules.rivals == 0 or s.features[feature].kind != Kind.MONASTERY:
        return False
    cell, last = cell_of(s, feature), s.tiles[s.n_tiles - 1].cell
    rival = rival_of(building_at(s, cell))
    is_new, is_rival_complete = cell == last, False
    for i in range(N_NEIGHBOURS):
        near = neighbour(cell, i)
        is_new |= near == last
        if building_at(s, near) == rival:
            other = centre_at(s, near)
            is_rival_complete |= is_occupied(s, other) and is_complete(s, other)
    return is_new and is_rival_complete and is_complete(s, feature)
