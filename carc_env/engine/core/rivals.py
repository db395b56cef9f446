"""Shrines and monasteries: which of them are rivals, and where they may not lie (CULT-03 to 05)."""

from carc_env.engine.compiler.jit import b1, i8, kernel
from carc_env.engine.core.board import N_NEIGHBOURS, neighbour, tile_at
from carc_env.engine.core.state import NO_TILE, State
from carc_env.engine.core.tiles import BUILDING, MONASTERY, NO_BUILDING, SHRINE


@kernel(i8(State, i8))
def building_at(s, cell):
    """Return which of the two lies on a cell, or NO_BUILDING; an abbey is a monastery (CULT-14)."""
    tile = tile_at(s, cell)
    return NO_BUILDING if tile == NO_TILE else BUILDING[s.tiles[tile].design]


@kernel(i8(i8))
def rival_of(building):
    """Return the other of the two."""
    return MONASTERY if building == SHRINE else SHRINE


@kernel(i8(State, i8, i8))
def n_rivals(s, building, cell):
    """Return how many rivals of a building lie around a cell (CULT-03)."""
    n = 0
    for i in range(N_NEIGHBOURS):
        n += building_at(s, neighbour(cell, i)) == rival_of(building)
    return n


@kernel(b1(State, i8, i8))
def is_barred(s, design, cell):
    """Tell whether a tile on a cell would give it, or a building there, two rivals.

    CULT-03, CULT-04; two of the same kind do not mind each other (CULT-05).
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
