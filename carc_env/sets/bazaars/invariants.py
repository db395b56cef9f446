"""Bazaars: offer, bids, owners, and what follows them."""

from carc_env.engine.compiler.jit import b1, i8, kernel
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import MAX_PLAYERS, Phase, Problem, Stock
from carc_env.engine.core.moments import find_wrong, tiles_beside
from carc_env.engine.core.seats import order_of, places_between
from carc_env.engine.core.state import NO_DESIGN, NO_ROUND, NO_SEAT, NO_TILE, State
from carc_env.engine.core.tiles import IS_BAZAAR, IS_RIVER
from carc_env.sets.bazaars.kernels import is_for_sale
from carc_env.sets.bazaars.record import NO_LOT


@at(tiles_beside)
@kernel(i8(State, i8))
def n_offered(s, design):
    """Return how many tiles of a design are in the bazaar."""
    n = 0
    for lot in range(MAX_PLAYERS):
        n += s.bazaar.lots[lot].design == design
    return n


@kernel(i8(State))
def n_on_offer(s):
    """Return how many tiles are in the bazaar."""
    n = 0
    for lot in range(MAX_PLAYERS):
        n += s.bazaar.lots[lot].design != NO_DESIGN
    return n


@kernel(b1(State, i8))
def starts_bazaar(s, tile):
    """Return whether a tile on the board is a bazaar tile."""
    return IS_BAZAAR[s.tiles[tile].design]


@kernel(b1(State))
def is_auction(s):
    """Return whether tiles are being auctioned."""
    phase = s.phase
    is_sale = phase in (Phase.BAZAAR_BID, Phase.BAZAAR_DEAL)
    return is_sale or (phase == Phase.BAZAAR_PICK and s.bazaar.takes == 0)


@kernel(i8(State, i8))
def n_owned(s, seat):
    """Return how many tiles in the bazaar belong to a seat."""
    n = 0
    for lot in range(s.rules.n_players):
        n += s.bazaar.lots[lot].owner == seat
    return n


@kernel(b1(State))
def has_wrong_offer(s):
    """Return whether a seat owns two tiles in an auction, or one too few after it (BAZ-11).

    Without an auction, no seat may own any (BAZ-23).
    """
    n_seats = s.rules.n_players
    n_to_place = order_of(s, s.bazaar.starter)
    n_all = 0
    for seat in range(n_seats):
        n = n_owned(s, seat)
        n_all += n
        has_to_place = 0 < order_of(s, seat) <= n_to_place
        if is_auction(s):
            is_wrong = n > 1
        else:
            is_wrong = n != (has_to_place and s.bazaar.takes == 0)
        if is_wrong:
            return True
    if is_auction(s):
        return n_on_offer(s) != n_seats or n_all > n_seats - 2
    return n_on_offer(s) != n_to_place + (s.phase == Phase.BAZAAR_PICK)


@kernel(b1(State))
def has_wrong_bids(s):
    """Check whether the chooser, bidder or seat asked owns a tile, or bids out of turn (BAZ-05)."""
    chooser, bidder, decider = s.bazaar.chooser, s.bazaar.bidder, s.decider
    phase, price = s.phase, s.bazaar.price
    if n_owned(s, chooser) + n_owned(s, decider) > 0:
        return True
    if bidder == NO_SEAT:
        return decider != chooser or phase == Phase.BAZAAR_DEAL or price != 0
    limit = s.rules.bid_limit
    if s.rules.forbids_overbids != 0:
        limit = min(limit, max(0, s.players[bidder].score))
    if n_owned(s, bidder) > 0 or not 0 <= price <= limit or phase == Phase.BAZAAR_PICK:
        return True
    if phase == Phase.BAZAAR_DEAL:
        return decider != chooser or bidder == chooser
    return places_between(s, chooser, decider) <= places_between(s, chooser, bidder)


@kernel(b1(State))
def has_rests_of_bazaar(s):
    """Return whether anything is on offer, owned or waiting although no bazaar is open."""
    for lot in range(MAX_PLAYERS):
        if s.bazaar.lots[lot].owner != NO_SEAT:
            return True
    has_sale = s.bazaar.chooser != NO_SEAT or s.bazaar.bidder != NO_SEAT
    has_sale |= s.is_bought != 0 or s.bazaar.owed_part != NO_TILE
    return has_sale or n_on_offer(s) != 0 or s.bazaar.n_delayed != 0


@kernel(b1(State))
def shows_river(s):
    """Return whether river tiles are on offer or still to come, which bars bazaars (BASE-40)."""
    for lot in range(MAX_PLAYERS):
        design = s.bazaar.lots[lot].design
        if design != NO_DESIGN and IS_RIVER[design]:
            return True
    return s.n_bag > 0 and IS_RIVER[s.bag[s.n_bag - 1]]


@kernel(b1(State))
def has_wrong_owed_part(s):
    """Return whether a seat owed a second part placed no bazaar tile, or two bridges (BAZ-20)."""
    owed, resumes = s.bazaar.owed_part, s.bazaar.resumes
    spent = s.rules.stock[Stock.BRIDGE] - s.players[resumes].stock[Stock.BRIDGE]
    may_be_bridged = owed != NO_TILE and s.rules.one_bridge_a_turn != 0 and spent > 0
    may_be_ransomed = owed != NO_TILE and s.rules.stock[Stock.FLOOR] > 0
    if s.bazaar.owed_bridged != 0 and not may_be_bridged:
        return True
    if s.bazaar.owed_ransomed != 0 and not may_be_ransomed:
        return True
    if owed == NO_TILE:
        return False
    return s.rules.builder_first != 0 or owed >= s.n_tiles or not starts_bazaar(s, owed)


@kernel(b1(State))
def has_wrong_face_down(s):
    """Return whether face-down tiles have owners, or their bazaar is another player's (BAZ-21)."""
    for seat in range(s.rules.n_players):
        if n_owned(s, seat) > 0:
            return True
    starter, is_second = s.bazaar.starter, s.first_part != NO_TILE
    if starter != s.turn_player or starter != s.bazaar.resumes or not is_second:
        return True
    if s.bazaar.owed_part != NO_TILE or s.bazaar.n_delayed != 0:
        return True
    if is_second and not starts_bazaar(s, s.first_part):
        return True
    has_sale = s.bazaar.chooser != NO_SEAT or s.bazaar.lot != NO_LOT
    return has_sale or s.rules.builder_first == 0 or n_on_offer(s) != s.rules.n_players


@at(find_wrong, key=Problem.BAZAAR)
@kernel(b1(State))
def has_wrong_bazaar(s):
    """Return whether the chooser, the tile for sale or the price contradicts the phase."""
    phase = s.phase
    is_choice = Phase.BAZAAR_PICK <= phase <= Phase.BAZAAR_DEAL
    if s.bazaar.starter == NO_SEAT:
        return is_choice or has_rests_of_bazaar(s)
    if shows_river(s):
        return True
    if s.bazaar.waits != 0:
        return is_choice or has_wrong_face_down(s)
    if has_wrong_owed_part(s):
        return True
    is_sale = phase in (Phase.BAZAAR_BID, Phase.BAZAAR_DEAL)
    takes = s.bazaar.takes != 0
    is_bought_turn = s.first_part == NO_TILE
    if phase == Phase.GAME_OVER or (phase == Phase.DRAW_OR_ABBEY and is_bought_turn):
        return True
    if takes and is_sale:
        return True
    if s.last_round != NO_ROUND or (is_choice and s.is_bought != 0):
        return True
    may_take = s.rules.bazaar_takes != 0 or s.rules.forbids_overbids != 0
    if takes != may_take and (takes or s.rules.bazaar_takes != 0):
        return True
    if is_auction(s) != (s.bazaar.chooser != NO_SEAT):
        return True
    if is_sale != (s.bazaar.lot != NO_LOT) or has_wrong_offer(s):
        return True
    if not is_auction(s):
        has_bid = s.bazaar.bidder != NO_SEAT or s.bazaar.price != 0
        return has_bid or (is_choice and s.decider != s.turn_player)
    if is_sale and not is_for_sale(s, s.bazaar.lot):
        return True
    return s.turn_player != s.bazaar.starter or has_wrong_bids(s)
