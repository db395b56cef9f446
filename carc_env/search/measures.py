"""Measures shared by several tables of the learned value."""

from carc_env.engine.compiler.jit import i8, kernel
from carc_env.engine.compiler.memory import room_for
from carc_env.engine.core.codes import Kind
from carc_env.engine.core.features import feature_of, is_complete, kind_of, tile_of
from carc_env.engine.core.scoring import value
from carc_env.engine.core.state import BOARD, State
from carc_env.engine.core.tiles import CITIES_TOUCHED

MAX_CITIES = 4
"""Maximum number of open cities beside a field that are counted."""


@kernel(i8(i8, i8))
def apart(cell, other):
    """Return the distance between two cells in steps to side neighbours."""
    return abs(cell // BOARD - other // BOARD) + abs(cell % BOARD - other % BOARD)


@kernel(i8(State, i8))
def at_stake(s, figure):
    """Return the step for the current points of a figure's feature: to 3, to 8, more."""
    points = value(s, feature_of(s, s.figures[figure].segment))
    return (points > 3) + (points > 8)


@kernel(i8(State, i8, i8[::1]))
def open_cities_beside(s, field, found):
    """Write the open cities beside a field, at most ``MAX_CITIES``; return how many."""
    n = 0
    segment = field
    while True:
        tile = s.tiles[tile_of(s, segment)]
        city = tile.first_segment
        touched = CITIES_TOUCHED[tile.design, segment - city]
        while touched != 0:
            if touched & 1:
                beside = feature_of(s, city)
                if kind_of(s, city) == Kind.CITY and not is_complete(s, beside):
                    is_new = True
                    for k in range(n):
                        is_new &= found[k] != beside
                    if is_new:
                        found[n] = beside
                        n += 1
                        if n == MAX_CITIES:
                            return n
            touched >>= 1
            city += 1
        segment = s.segments[segment].next
        if segment == field:
            return n


@kernel(i8(State, i8))
def cities_to_come(s, field):
    """Return the number of open cities beside a field, at most ``MAX_CITIES``."""
    return open_cities_beside(s, field, room_for(MAX_CITIES))
