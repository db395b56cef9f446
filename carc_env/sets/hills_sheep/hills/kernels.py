"""Hills: each covers a tile that nobody sees (docs/rules/hills-sheep.md).

The tile under a hill stays in ``bag`` where it was drawn, and its position there is recorded.
"""

from carc_env.engine.compiler.jit import i8, kernel, void
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.bag import draw, random_below, swap_tiles
from carc_env.engine.core.board import N_NEIGHBOURS, neighbour, tile_at
from carc_env.engine.core.codes import Kind
from carc_env.engine.core.features import cell_of
from carc_env.engine.core.figures import figure_strength, seat_of
from carc_env.engine.core.moments import (
    break_tie,
    list_face_down,
    points_of_monastery,
    tile_placed,
)
from carc_env.engine.core.state import NO_FIGURE, NO_TILE, State
from carc_env.engine.core.tiles import IS_HILL, IS_VINEYARD
from carc_env.sets.hills_sheep.hills.record import ANY_HILL

POINTS_PER_VINEYARD = 3  # HS-15


@at(tile_placed, "hills", key=1)  # after the dragon
@kernel(void(State))
def hide_tile(s):
    """Hide the next tile in the bag under the hill that was just placed, if any (HS-02)."""
    if not IS_HILL[s.tiles[s.n_tiles - 1].design] or s.n_bag == 0:
        return
    draw(s)
    s.hidden[s.n_hidden] = s.n_bag
    s.n_hidden += 1


@at(list_face_down, "hills")
@kernel(i8(State, i8[::1]))
def list_hidden(s, places):
    """Write the bag positions of the tiles under hills, the last one first."""
    for k in range(s.n_hidden):
        places[k] = s.hidden[s.n_hidden - 1 - k]
    return s.n_hidden


@kernel(void(State))
def exchange_hidden(s):
    """Swap the tiles under hills with others that nobody has seen."""
    for k in range(s.n_hidden):
        other = random_below(s, s.n_bag + s.n_hidden - k)
        if other >= s.n_bag:
            other = s.hidden[k + other - s.n_bag]
        swap_tiles(s, s.hidden[k], other)


@kernel(i8(State, i8, i8))
def n_on_hills(s, feature, seat):
    """Return how many of a seat's meeples with strength are on a feature's hills (HS-07)."""
    n, entry = 0, s.features[feature].figure
    figure = entry
    while figure != NO_FIGURE:
        if seat_of(figure) == seat and figure_strength(s, figure, feature) > 0:
            n += IS_HILL[s.tiles[s.segments[s.figures[figure].segment].tile].design]
        figure = s.figures[figure].next
        if figure == entry:
            break
    return n


@at(break_tie, "hills")
@kernel(i8(State, i8, i8))
def leaders_on_hills(s, feature, tied):
    """Return the tied seats that win on hills, or all of them if none does (HS-03, HS-04).

    The winners are the seats with a meeple on a hill, or those with the most. Meeples lying in a
    monastery do not count (MON-15).
    """
    if s.features[feature].kind == Kind.LINES:
        return tied
    most, found = 1, 0
    for seat in range(s.rules.n_players):
        n = n_on_hills(s, feature, seat) if tied >> seat & 1 else 0
        if s.rules.hills == ANY_HILL:
            n = min(n, 1)
        if n > most:
            most, found = n, 0
        if n == most:
            found |= 1 << seat
    return tied if found == 0 else found


@kernel(i8(State, i8))
def n_vineyards(s, feature):
    """Return how many vineyards surround the tile of a monastery or garden."""
    n, cell = 0, cell_of(s, feature)
    for i in range(N_NEIGHBOURS):
        tile = tile_at(s, neighbour(cell, i))
        n += tile != NO_TILE and IS_VINEYARD[s.tiles[tile].design]
    return n


@at(points_of_monastery, "vineyards")
@kernel(i8(State, i8))
def points_of_vineyards(s, feature):
    """Return the points that surrounding vineyards add to a complete monastery (HS-15, HS-16)."""
    return POINTS_PER_VINEYARD * n_vineyards(s, feature)
