"""The phase, and what goes with it."""

from carc_env.engine.compiler.jit import b1, i8, kernel
from carc_env.engine.core.codes import Figure, Phase, Stock
from carc_env.engine.core.state import (
    NO_CELL,
    NO_DESIGN,
    NO_PRINCESS,
    NO_ROUND,
    NO_SEGMENT,
    NO_TILE,
    State,
)
from carc_env.engine.core.tiles import ABBEY_DESIGN
from carc_env.engine.expansions.castles import order_of
from carc_env.engine.expansions.shepherd import extends_flock
from carc_env.engine.problems.of_bazaar import starts_bazaar


@kernel(b1(State, i8))
def is_wrong_first_part(s, before):
    """The first part placed the tile before this one, or a bazaar came between (BAZ-20, TRA-10)."""
    first = s.first_part
    if first != before:
        may_follow_bazaar = s.rules.bazaars != 0 and s.rules.builder_first == 0
        return first > before or not may_follow_bazaar or not starts_bazaar(s, first)
    return s.tiles[first].design == ABBEY_DESIGN


@kernel(b1(State))
def has_wrong_part(s):
    """Second parts belong to builders, and there is one at most in a turn (TRA-07, TRA-08)."""
    phase, is_second = s.phase, s.first_part != NO_TILE
    has_owed = s.bazaar.owed_part != NO_TILE or s.bazaar.waits != 0
    is_extended = s.extends != 0
    if s.rules.owned[Figure.BUILDER] == 0:
        return is_second or is_extended or has_owed
    has_placed = Phase.FIGURE <= phase <= Phase.WAGON_SPOT
    has_acted = Phase.FLIGHT <= phase <= Phase.WAGON_SPOT
    if is_second and (phase >= Phase.BAZAAR_PICK or s.is_bought != 0):
        return True
    may_lose = s.rules.stock[Stock.FLOOR] > 0 or s.rules.princesses != NO_PRINCESS
    may_lose = may_lose and Phase.EXCHANGE <= phase <= Phase.FLOCK
    may_extend = has_acted or may_lose  # XW-02
    if is_extended and (is_second or not may_extend):
        return True
    return is_second and is_wrong_first_part(s, s.n_tiles - has_placed - 1)


@kernel(b1(State))
def may_have_bridged(s):
    """Tell whether the bridge of this placement, or of this turn, can be built already (BRI-20)."""
    phase = s.phase
    if Phase.FIGURE <= phase <= Phase.FLOCK:
        return True
    is_later = Phase.FLIGHT <= phase <= Phase.WAGON_SPOT or s.first_part != NO_TILE
    return is_later and s.rules.one_bridge_a_turn != 0


@kernel(b1(State))
def has_wrong_decider(s):
    """Tiles and figures are the turn player's; owners of wagons move clockwise (WAG-11)."""
    phase, decider = s.phase, s.decider
    if phase == Phase.FLIGHT:
        return False  # see has_wrong_flight
    if phase <= Phase.FLOCK or phase == Phase.GAME_OVER:
        return decider != s.turn_player
    if phase not in (Phase.WAGON, Phase.WAGON_SPOT):
        return False
    for seat in range(s.rules.n_players):
        waits = s.players[seat].wagon_from != NO_SEGMENT
        if waits and order_of(s, seat) < order_of(s, decider):
            return True
    return s.players[decider].wagon_from == NO_SEGMENT


@kernel(b1(State))
def has_wrong_turn(s):
    """Compare the phase with the tile in hand, the players and the bag."""
    phase, n_players = s.phase, s.rules.n_players
    if not (0 <= s.turn_player < n_players and 0 <= s.decider < n_players):
        return True
    if phase == Phase.GAME_OVER and s.n_bag != 0:
        return True
    if has_wrong_decider(s):
        return True
    if (phase == Phase.WAGON_SPOT) != (s.wagon_cell != NO_CELL):
        return True
    if (phase == Phase.ELSEWHERE) != (s.chosen_cell != NO_CELL):
        return True
    may_wait = Phase.CASTLE <= phase <= Phase.WAGON_SPOT
    for seat in range(n_players):
        waits = s.players[seat].wagon_from != NO_SEGMENT
        if waits and (not may_wait or s.players[seat].supply[Figure.WAGON] == 0):
            return True
    if (phase in (Phase.CASTLE, Phase.CASTLE_CHOICE)) != (s.town != NO_SEGMENT):
        return True
    if s.has_bridged != 0 and not may_have_bridged(s):
        return True
    if phase == Phase.FLOCK and not extends_flock(s):
        return True
    if phase == Phase.DRAW_OR_ABBEY and s.players[s.turn_player].stock[Stock.ABBEY] == 0:
        return True
    if has_wrong_part(s):
        return True
    if s.has_bridged > s.rules.stock[Stock.BRIDGE] - s.players[s.turn_player].stock[Stock.BRIDGE]:
        return True
    if s.last_round != NO_ROUND and phase != Phase.GAME_OVER:
        is_played = s.rules.stock[Stock.ABBEY] > 0 and s.n_bag == 0
        is_plain = s.hand == NO_DESIGN and s.first_part == NO_TILE and s.extends == 0
        if not (is_played and is_plain and 0 <= s.last_round < n_players):
            return True
    return (phase == Phase.PLACE_TILE) != (s.hand != NO_DESIGN)
