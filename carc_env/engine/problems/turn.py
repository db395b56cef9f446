"""The phase, and what goes with it."""

from carc_env.engine import codes
from carc_env.engine._jit import b1, i8, kernel
from carc_env.engine.expansions.castles import order_of
from carc_env.engine.problems.bazaar import starts_bazaar
from carc_env.engine.state import NO_CELL, NO_DESIGN, NO_ROUND, NO_SEGMENT, NO_TILE, State
from carc_env.engine.tiles import ABBEY_DESIGN


@kernel(b1(State, i8))
def is_wrong_first_part(s, before):
    """The first part placed the tile before this one, or a bazaar came between (BAZ-20, TRA-10)."""
    first = i8(s.first_part)
    if first != before:
        may_follow_bazaar = i8(s.rules.bazaars) != 0 and i8(s.rules.builder_first) == 0
        return first > before or not may_follow_bazaar or not starts_bazaar(s, first)
    return i8(s.tiles[first].design) == ABBEY_DESIGN


@kernel(b1(State))
def has_wrong_part(s):
    """Second parts belong to builders, and there is one at most in a turn (TRA-07, TRA-08)."""
    phase, is_second = i8(s.phase), i8(s.first_part) != NO_TILE
    has_owed = i8(s.bazaar.owed_part) != NO_TILE or i8(s.bazaar.waits) != 0
    is_extended = i8(s.extends) != 0
    if i8(s.rules.owned[codes.BUILDER]) == 0:
        return is_second or is_extended or has_owed
    has_placed = codes.ACTION <= phase <= codes.WAGON_SPOT
    has_acted = codes.ASK_CASTLE <= phase <= codes.WAGON_SPOT
    if is_second and (phase >= codes.BAZAAR_PICK or i8(s.is_bought) != 0):
        return True
    if is_extended and (is_second or not has_acted):
        return True
    return is_second and is_wrong_first_part(s, i8(s.n_tiles) - has_placed - 1)


@kernel(b1(State))
def may_have_bridged(s):
    """Tell whether the bridge of this placement, or of this turn, can be built already (BRI-20)."""
    phase = i8(s.phase)
    if phase in (codes.ACTION, codes.ASK_BRIDGE):
        return True
    is_later = codes.ASK_CASTLE <= phase <= codes.WAGON_SPOT or i8(s.first_part) != NO_TILE
    return is_later and i8(s.rules.one_bridge_a_turn) != 0


@kernel(b1(State))
def has_wrong_decider(s):
    """Tiles and figures are the turn player's; owners of wagons move clockwise (WAG-11)."""
    phase, decider = i8(s.phase), i8(s.decider)
    if phase <= codes.ASK_BRIDGE or phase == codes.GAME_OVER:
        return decider != i8(s.turn_player)
    if phase not in (codes.WAGON_MOVE, codes.WAGON_SPOT):
        return False
    for seat in range(i8(s.rules.n_players)):
        waits = i8(s.players[seat].wagon_from) != NO_SEGMENT
        if waits and order_of(s, seat) < order_of(s, decider):
            return True
    return i8(s.players[decider].wagon_from) == NO_SEGMENT


@kernel(b1(State))
def has_wrong_turn(s):
    """Compare the phase with the tile in hand, the players and the bag."""
    phase, n_players = i8(s.phase), i8(s.rules.n_players)
    if not (0 <= i8(s.turn_player) < n_players and 0 <= i8(s.decider) < n_players):
        return True
    if phase == codes.GAME_OVER and i8(s.n_bag) != 0:
        return True
    if has_wrong_decider(s):
        return True
    if (phase == codes.WAGON_SPOT) != (i8(s.wagon_cell) != NO_CELL):
        return True
    may_wait = codes.ASK_CASTLE <= phase <= codes.WAGON_SPOT
    for seat in range(n_players):
        waits = i8(s.players[seat].wagon_from) != NO_SEGMENT
        if waits and (not may_wait or i8(s.players[seat].supply[codes.WAGON]) == 0):
            return True
    if (phase in (codes.ASK_CASTLE, codes.CASTLE_CHOICE)) != (i8(s.town) != NO_SEGMENT):
        return True
    if i8(s.has_bridged) != 0 and not may_have_bridged(s):
        return True
    if phase == codes.DRAW_OR_ABBEY and i8(s.players[i8(s.turn_player)].abbeys) == 0:
        return True
    if has_wrong_part(s):
        return True
    if i8(s.has_bridged) > i8(s.rules.bridges) - i8(s.players[i8(s.turn_player)].bridges):
        return True
    if i8(s.last_round) != NO_ROUND and phase != codes.GAME_OVER:
        is_played = i8(s.rules.abbeys) > 0 and i8(s.n_bag) == 0
        is_plain = i8(s.hand) == NO_DESIGN and i8(s.first_part) == NO_TILE and i8(s.extends) == 0
        if not (is_played and is_plain and 0 <= i8(s.last_round) < n_players):
            return True
    return (phase == codes.PLACE_TILE) != (i8(s.hand) != NO_DESIGN)
