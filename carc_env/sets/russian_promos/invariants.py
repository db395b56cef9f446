"""Figures in traps, and figures that the tree spares."""

from carc_env.engine.compiler.jit import b1, kernel
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import Problem
from carc_env.engine.core.moments import find_wrong
from carc_env.engine.core.state import NO_SEGMENT, NO_TILE, State
from carc_env.sets.russian_promos.kernels import n_on, road_of_tree
from carc_env.sets.russian_promos.record import (
    ALL,
    IS_CAUGHT,
    N_CAUGHT,
    N_TRAPS,
    NO_PROMOS,
    NO_TRAP,
    TRAP,
)


@kernel(b1(State))
def is_noted_wrongly(s):
    """Return whether a trap is not where its tile is."""
    n_noted, n_there = 0, 0
    for trap in range(N_TRAPS):
        tile = s.traps[trap]
        if tile == NO_TILE:
            continue
        n_noted += 1
        if not 0 <= tile < s.n_tiles or TRAP[s.tiles[tile].design] != trap:
            return True
    if s.rules.russian_promos != NO_PROMOS:
        for tile in range(s.n_tiles):
            n_there += TRAP[s.tiles[tile].design] != NO_TRAP
    return n_noted != n_there


@at(find_wrong, key=Problem.TRAPS)
@kernel(b1(State))
def has_wrong_traps(s):
    """Return whether traps hold wrong figures, or the tree spares more than are on its road."""
    if is_noted_wrongly(s):
        return True
    for seat in range(s.rules.n_players):
        for trap in range(N_TRAPS):
            for kind in range(N_CAUGHT):
                n = s.players[seat].trapped[trap, kind]
                may_be_there = s.traps[trap] != NO_TILE and IS_CAUGHT[trap, kind]
                if n < 0 or (n > 0 and not may_be_there):
                    return True
    road = road_of_tree(s)
    if road == NO_SEGMENT or s.rules.russian_promos == ALL:
        return s.spared != 0
    return not 0 <= s.spared <= n_on(s, road)
