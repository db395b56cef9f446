"""Little buildings on tiles, and how many there can be."""

from carc_env.engine.compiler.jit import b1, i8, kernel
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import Phase, Problem, Stock
from carc_env.engine.core.moments import find_wrong
from carc_env.engine.core.state import State
from carc_env.sets.little_buildings.record import N_BUILDINGS


@kernel(i8(State, i8))
def n_built_of(s, kind):
    """Return how many buildings of a kind stand on tiles."""
    n = 0
    for k in range(s.n_built):
        n += s.built[k].kind == kind
    return n


@kernel(i8(State, i8))
def n_left_of(s, kind):
    """Return how many buildings of a kind all seats together have left."""
    n = 0
    for seat in range(s.rules.n_players):
        n += s.players[seat].stock[Stock.SHED + kind]
    return n


@kernel(b1(State, i8))
def has_wrong_number(s, kind):
    """Return whether a building is lost or duplicated, or a seat has more than it began with."""
    for seat in range(s.rules.n_players):
        if not 0 <= s.players[seat].stock[Stock.SHED + kind] <= s.rules.stock[Stock.SHED + kind]:
            return True
    return n_built_of(s, kind) + n_left_of(s, kind) != s.rules.buildings_dealt[kind]


@kernel(b1(State))
def is_undecided(s):
    """Return whether the figure action on the tile just placed is still to come, or continues."""
    if s.phase == Phase.MAGIC or s.phase == Phase.MAGIC_SPOT:
        return s.magic_at == Phase.FIGURE
    is_elsewhere = Phase.ELSEWHERE <= s.phase <= Phase.EXCHANGE
    return s.phase == Phase.FIGURE or s.phase == Phase.INGOT or is_elsewhere


@kernel(b1(State))
def has_wrong_tiles(s):
    """Check whether a building stands where none can have been built, or a tile has two (LB-03)."""
    before = s.rules.n_start - 1
    for k in range(s.n_built):
        if s.built[k].tile <= before:
            return True
        before = s.built[k].tile
    return s.n_built > 0 and before == s.n_tiles - 1 and is_undecided(s)


@at(find_wrong, key=Problem.BUILDINGS)
@kernel(b1(State))
def has_wrong_buildings(s):
    """Return whether a building is lost, or does not stand alone on a tile that a player placed."""
    for kind in range(N_BUILDINGS):
        if has_wrong_number(s, kind):
            return True
    return has_wrong_tiles(s)
