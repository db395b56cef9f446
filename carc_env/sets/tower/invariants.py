"""Towers, floors and prisoners."""

from carc_env.engine.compiler.jit import b1, i8, kernel
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import N_MEEPLES, Phase, Problem, Stock
from carc_env.engine.core.elsewhere import tower_at
from carc_env.engine.core.moments import find_wrong
from carc_env.engine.core.state import NO_FIGURE, NO_SEAT, State
from carc_env.engine.core.tiles import IS_TOWER
from carc_env.sets.tower.kernels import has_captive, n_held, partner, place_among_tops
from carc_env.sets.tower.record import NO_TOWER


@kernel(b1(State))
def has_wrong_prisoners(s):
    """Return whether a seat holds its own figures, or two seats hold each other's.

    The second case is allowed while an exchange is due.
    """
    for captor in range(s.rules.n_players):
        for seat in range(s.rules.n_players):
            for kind in range(N_MEEPLES):
                if s.players[captor].prisoners[seat, kind] < 0:
                    return True
            n, n_back = n_held(s, captor, seat), n_held(s, seat, captor)
            is_pending = s.phase == Phase.EXCHANGE and s.decider in (captor, seat)
            if n > 0 and (captor == seat or (n_back > 0 and not is_pending)):
                return True
    if s.phase != Phase.EXCHANGE:
        return False
    seat = partner(s)
    return seat == NO_SEAT or n_held(s, s.decider, seat) != 1


@kernel(b1(State, i8, i8))
def has_wrong_top(s, seat, figure):
    """Return whether something other than a seat's meeple closes a tower."""
    if seat == NO_SEAT or figure == NO_FIGURE:
        return seat != figure
    return not 0 <= seat < s.rules.n_players or place_among_tops(figure) == NO_TOWER


@at(find_wrong, key=Problem.TOWERS)
@kernel(b1(State))
def has_wrong_towers(s):
    """Check whether foundations, floors and meeples on towers are inconsistent (TOW-04, TOW-17)."""
    n_foundations, n_floors, is_wrong = 0, 0, False
    if s.rules.stock[Stock.FLOOR] > 0:
        for tile in range(s.n_tiles):
            n_foundations += IS_TOWER[s.tiles[tile].design]
    if n_foundations != s.n_towers:
        return True
    for k in range(s.n_towers):
        tower = s.towers[k]
        n_floors += tower.height
        is_wrong |= not IS_TOWER[s.tiles[tower.tile].design] or tower.height < 0
        is_wrong |= tower_at(s, s.tiles[tower.tile].cell) != k
        is_wrong |= has_wrong_top(s, tower.seat, tower.figure)
        is_wrong |= tower.height == 0 and tower.figure != NO_FIGURE
    for seat in range(s.rules.n_players):
        n_floors += s.players[seat].stock[Stock.FLOOR]
    is_wrong |= n_floors != s.rules.stock[Stock.FLOOR] * s.rules.n_players
    captures = s.phase == Phase.CAPTURE or (s.phase == Phase.ELSEWHERE and s.tower != NO_TOWER)
    if is_wrong or captures != (s.tower != NO_TOWER):
        return True
    if captures and (s.towers[s.tower].height == 0 or not has_captive(s)):
        return True
    if s.ransomed != 0 and s.rules.stock[Stock.FLOOR] == 0:
        return True
    return has_wrong_prisoners(s)
