"""Second parts of a turn, and their causes."""

from carc_env.engine.compiler.jit import b1, i8, kernel
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import LAST_OF_PLACEMENT, Figure, Phase, Problem, Stock
from carc_env.engine.core.moments import find_wrong
from carc_env.engine.core.state import NO_TILE, State
from carc_env.engine.core.tiles import ABBEY_DESIGN, IS_BAZAAR
from carc_env.sets.festival.record import NO_FESTIVAL
from carc_env.sets.princess_dragon.princess.record import NO_PRINCESS
from carc_env.sets.russian_promos.record import NO_PROMOS
from carc_env.sets.tunnel.record import NO_MOUTH


@kernel(b1(State, i8))
def is_wrong_first_part(s, before):
    """Return whether the first part is not the last placement, with no bazaar since (BAZ-20)."""
    first = s.first_part
    if first != before:
        may_follow_bazaar = s.rules.bazaars != 0 and s.rules.builder_first == 0
        return first > before or not may_follow_bazaar or not IS_BAZAAR[s.tiles[first].design]
    return s.tiles[first].design == ABBEY_DESIGN


@at(find_wrong, key=Problem.TURN)
@kernel(b1(State))
def has_wrong_part(s):
    """Return whether a second part has no builder, or follows another one (TRA-07, TRA-08)."""
    phase, is_second = s.phase, s.first_part != NO_TILE
    has_owed = s.bazaar.owed_part != NO_TILE or s.bazaar.waits != 0
    is_extended = s.extends != 0
    if s.rules.owned[Figure.BUILDER] == 0:
        return is_second or is_extended or has_owed
    has_placed = Phase.FIGURE <= phase <= LAST_OF_PLACEMENT
    has_acted = Phase.FLIGHT <= phase <= LAST_OF_PLACEMENT
    if is_second and (phase >= Phase.BAZAAR_PICK or s.is_bought != 0):
        return True
    may_lose = s.rules.stock[Stock.FLOOR] > 0 or s.rules.princesses != NO_PRINCESS
    may_lose |= s.rules.festival != NO_FESTIVAL
    may_lose = may_lose and Phase.EXCHANGE <= phase <= Phase.FLOCK
    has_joined = s.new_mouth != NO_MOUTH or s.ferried != 0  # TUN-12, FER-14
    is_trapped = s.rules.russian_promos != NO_PROMOS and has_placed  # by a trap after the tile
    may_extend = has_acted or may_lose or has_joined or is_trapped  # XW-02
    if is_extended and (is_second or not may_extend):
        return True
    return is_second and is_wrong_first_part(s, s.n_tiles - has_placed - 1)
