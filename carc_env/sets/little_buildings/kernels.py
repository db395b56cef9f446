"""Little buildings: more points for everything that is scored on or around their tiles.

The rules are in [rules](../rules/little-buildings.md).
"""

from carc_env.engine.compiler.jit import b1, i8, kernel
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.answers import DONE
from carc_env.engine.core.codes import Block, Figure, Stock
from carc_env.engine.core.features import cell_of, feature_of
from carc_env.engine.core.moments import (
    BEHIND_MAGIC,
    do_action,
    feature_valued,
    has,
    leads_like_another,
    offer_figure,
    points_around,
    points_of_field,
)
from carc_env.engine.core.state import (
    BOARD,
    State,
)
from carc_env.engine.core.tiles import N_SEGMENTS
from carc_env.sets.little_buildings.record import N_BUILDINGS

RANK = int(Figure.SHEPHERD) + 2
"""Rank after all figures and flights."""


# Their points.


@kernel(b1(State, i8, i8))
def shows(s, tile, feature):
    """Return whether a tile shows part of a feature."""
    first = s.tiles[tile].first_segment
    for segment in range(first, first + N_SEGMENTS[s.tiles[tile].design]):
        if feature_of(s, segment) == feature:
            return True
    return False


@kernel(i8(State, i8))
def points_on(s, feature):
    """Return the points of the buildings on a feature's tiles, each counted once (LB-05, LB-08)."""
    n = 0
    for k in range(s.n_built):
        if shows(s, s.built[k].tile, feature):
            n += s.rules.building_points[s.built[k].kind]
    return n


@at(feature_valued, has(Stock.SHED), BEHIND_MAGIC)
@kernel(i8(State, i8, i8))
def add_to_way(s, feature, n):
    """Add the buildings on a road or city after all other changes (LB-06, X2-01, MW-11)."""
    return n + points_on(s, feature)


@at(points_of_field, has(Stock.SHED))
@kernel(i8(State, i8, i8, i8))
def add_to_field(s, field, each, more):
    """Return the points of the buildings in a field, for any scorer (LB-07, LB-09)."""
    return points_on(s, field)


@at(points_around, has(Stock.SHED))
@kernel(i8(State, i8))
def add_around(s, feature):
    """Return the points of buildings on the nine cells around a centre (LB-05, XLB-02, MON-15)."""
    n, centre = 0, cell_of(s, feature)
    for k in range(s.n_built):
        cell = s.tiles[s.built[k].tile].cell
        rows, columns = cell // BOARD - centre // BOARD, cell % BOARD - centre % BOARD
        if abs(rows) <= 1 and abs(columns) <= 1:
            n += s.rules.building_points[s.built[k].kind]
    return n


# Placing buildings.


@at(offer_figure, has(Stock.SHED), RANK)
@kernel(i8(State, i8, i8[::1]))
def offer_buildings(s, n, actions):
    """Add a building of each kind that the decider has left (LB-03)."""
    for kind in range(N_BUILDINGS):
        actions[n] = s.rules.first_action[Block.BUILDING] + kind
        n += s.players[s.decider].stock[Stock.SHED + kind] > 0
    return n


@at(leads_like_another, has(Stock.SHED))
@kernel(i8(State, i8))
def is_another_kind(s, action):
    """Return 1 for a building if an earlier kind would add the same number of points."""
    kind = action - s.rules.first_action[Block.BUILDING]
    if not 0 <= kind < N_BUILDINGS:
        return 0
    for other in range(kind):
        is_alike = s.rules.building_points[other] == s.rules.building_points[kind]
        if is_alike and s.players[s.decider].stock[Stock.SHED + other] > 0:
            return 1
    return 0


@at(do_action, key=Block.BUILDING)
@kernel(i8(State, i8))
def build(s, action):
    """Put one of the decider's buildings on the tile just placed, where it stays (LB-03, LB-04)."""
    kind = action - s.rules.first_action[Block.BUILDING]
    s.players[s.decider].stock[Stock.SHED + kind] -= 1
    s.built[s.n_built].tile, s.built[s.n_built].kind = s.n_tiles - 1, kind
    s.n_built += 1
    return DONE
