"""Bazaars: players bid for tiles and place them in turn (docs/rules/bazaars.md).

This module holds the auction; ``rounds.py`` lets the players place the tiles in turn.
"""

from carc_env.engine.compiler.jit import b1, i8, kernel, void
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.answers import add_pass
from carc_env.engine.core.bag import draw
from carc_env.engine.core.codes import Block, Phase
from carc_env.engine.core.moments import draws_concealed, list_face_down, offer, unseen_exchanged
from carc_env.engine.core.seats import seat_at
from carc_env.engine.core.state import NO_DESIGN, NO_SEAT, NO_TILE, State
from carc_env.engine.core.tiles import IS_BAZAAR
from carc_env.sets.bazaars.record import NO_LOT


@kernel(b1(State))
def is_open(s):
    """Return whether a bazaar is open: from setting its tiles aside to placing the last of them."""
    return s.bazaar.starter != NO_SEAT


@kernel(b1(State))
def has_placed_bazaar(s):
    """Return whether the tile just placed starts a bazaar: a drawn bazaar tile (BAZ-01, BAZ-17)."""
    return IS_BAZAAR[s.tiles[s.n_tiles - 1].design] and s.is_bought == 0


@kernel(b1(State))
def has_tiles_for_all(s):
    """Return whether the bag holds a tile for every player (BAZ-16, BAZ-28)."""
    return s.n_bag >= s.rules.n_players


@kernel(void(State, i8))
def delay(s, seat):
    """Queue a seat's bazaar until the current one ends (BAZ-18, BAZ-19)."""
    s.bazaar.delayed[s.bazaar.n_delayed] = seat
    s.bazaar.n_delayed += 1


@kernel(i8(State))
def next_delayed(s):
    """Remove the first waiting seat from the queue of bazaars."""
    seat = s.bazaar.delayed[0]
    s.bazaar.n_delayed -= 1
    for k in range(s.bazaar.n_delayed):
        s.bazaar.delayed[k] = s.bazaar.delayed[k + 1]
    s.bazaar.delayed[s.bazaar.n_delayed] = 0
    return seat


@kernel(void(State, i8))
def set_aside(s, starter):
    """Draw a tile for every player and keep the tiles face down (BAZ-03, BAZ-21)."""
    if not is_open(s):
        s.bazaar.resumes = starter
    s.bazaar.starter = starter
    s.bazaar.waits, s.bazaar.place = 1, s.n_bag - 1
    for lot in range(s.rules.n_players):
        s.bazaar.lots[lot].design = draw(s)


@kernel(void(State))
def turn_up(s):
    """Turn the tiles face up; if nobody can pay for one, players take them without an auction."""
    s.bazaar.waits, s.bazaar.place = 0, 0
    has_points = False
    for seat in range(s.rules.n_players):
        has_points |= s.players[seat].score > 0
    all_poor = s.rules.forbids_overbids != 0 and not has_points  # BAZ-13
    s.bazaar.takes = s.rules.bazaar_takes != 0 or all_poor


@kernel(i8(State, i8))
def lot_of(s, seat):
    """Return the lot that a seat has bought but not yet taken in hand, or NO_LOT."""
    for lot in range(s.rules.n_players):
        if s.bazaar.lots[lot].owner == seat:
            return lot
    return NO_LOT


@kernel(b1(State, i8))
def is_for_sale(s, lot):
    """Return whether a tile is still on offer."""
    return s.bazaar.lots[lot].design != NO_DESIGN and s.bazaar.lots[lot].owner == NO_SEAT


@kernel(i8(State))
def n_for_sale(s):
    """Return how many tiles are still on offer."""
    n = 0
    for lot in range(s.rules.n_players):
        n += is_for_sale(s, lot)
    return n


@kernel(i8(State, i8))
def next_without_tile(s, seat):
    """Return the first seat without a tile, clockwise from the given seat, which comes first."""
    while lot_of(s, seat) != NO_LOT:
        seat = seat_at(s, seat, 1)
    return seat


@kernel(void(State))
def forget_sale(s):
    """Clear the fields that describe a single sale."""
    s.bazaar.chooser, s.bazaar.bidder = NO_SEAT, NO_SEAT
    s.bazaar.lot, s.bazaar.price = NO_LOT, 0


@kernel(b1(State, i8))
def call_chooser(s, seat):
    """Let the first seat without a tile choose, starting with the given seat (BAZ-04, BAZ-09).

    The last seat gets the last tile free of charge; then the auction is over and the function
    returns False (BAZ-10).
    """
    forget_sale(s)
    chooser = next_without_tile(s, seat)
    if n_for_sale(s) > 1:
        s.bazaar.chooser, s.decider = chooser, chooser
        s.phase = Phase.BAZAAR_PICK
        return True
    for lot in range(s.rules.n_players):
        if is_for_sale(s, lot):
            s.bazaar.lots[lot].owner = chooser
    return False


@at(offer, key=Phase.BAZAAR_PICK)
@kernel(i8(State, i8[::1]))
def offer_picks(s, actions):
    """Write the tiles that can be chosen (BAZ-04, BAZ-23); return how many."""
    n = 0
    for lot in range(s.rules.n_players):
        if is_for_sale(s, lot):
            actions[n] = s.rules.first_action[Block.PICK] + lot
            n += 1
    return n


@at(offer, key=Phase.BAZAAR_BID)
@kernel(i8(State, i8[::1]))
def offer_bids(s, actions):
    """Write the bids that the decider can make, and passing (BAZ-04, BAZ-05, BAZ-12)."""
    is_opening = s.bazaar.bidder == NO_SEAT
    lowest = 0 if is_opening else s.bazaar.price + 1
    highest = s.rules.bid_limit
    if s.rules.forbids_overbids != 0:
        highest = min(highest, max(0, s.players[s.decider].score))
    n = 0
    for bid in range(lowest, highest + 1):
        actions[n] = s.rules.first_action[Block.BID] + bid
        n += 1
    return n if is_opening else add_pass(s, n, actions)


@at(offer, key=Phase.BAZAAR_DEAL)
@kernel(i8(State, i8[::1]))
def offer_deals(s, actions):
    """Write the chooser's options, buying or selling (BAZ-06, BAZ-30); return how many."""
    n = 0
    can_pay = s.players[s.bazaar.chooser].score >= s.bazaar.price
    if s.rules.forbids_overbids == 0 or can_pay:
        actions[n] = s.rules.first_action[Block.ACCEPT]
        n += 1
    actions[n] = s.rules.first_action[Block.DECLINE]
    return n + 1


@kernel(b1(State, i8))
def sell_lot(s, buyer):
    """Give the lot to its buyer, who has paid; return False when the auction is over."""
    s.bazaar.lots[s.bazaar.lot].owner = buyer
    chooser = s.bazaar.chooser
    is_again = s.rules.seller_again != 0
    return call_chooser(s, chooser if is_again else seat_at(s, chooser, 1))


@kernel(b1(State))
def call_bidder(s):
    """Let the next seat without a tile bid; when all have, settle the price (BAZ-05 to BAZ-08).

    Return False when the auction is over.
    """
    chooser, price = s.bazaar.chooser, s.bazaar.price
    s.decider = next_without_tile(s, seat_at(s, s.decider, 1))
    if s.decider != chooser:
        return True
    if s.bazaar.bidder != chooser:
        s.phase = Phase.BAZAAR_DEAL
        return True
    s.players[chooser].score -= price
    return sell_lot(s, chooser)


@kernel(b1(State, i8))
def bid(s, action):
    """Apply a bid or a pass; return False when the auction is over."""
    if action != s.rules.first_action[Block.PASS]:
        s.bazaar.price = action - s.rules.first_action[Block.BID]
        s.bazaar.bidder = s.decider
    return call_bidder(s)


@kernel(b1(State, i8))
def deal(s, action):
    """Let the chooser buy the tile or sell it to the highest bidder.

    Return False when the auction is over.
    """
    chooser, bidder = s.bazaar.chooser, s.bazaar.bidder
    buyer, seller = chooser, bidder
    if action == s.rules.first_action[Block.DECLINE]:
        buyer, seller = bidder, chooser
    s.players[buyer].score -= s.bazaar.price
    s.players[seller].score += s.bazaar.price
    return sell_lot(s, buyer)


@kernel(b1(State, i8))
def answer(s, action):
    """Apply a decision in the auction; return False when the auction is over."""
    phase = s.phase
    if phase == Phase.BAZAAR_BID:
        return bid(s, action)
    if phase == Phase.BAZAAR_DEAL:
        return deal(s, action)
    s.bazaar.lot = action - s.rules.first_action[Block.PICK]
    s.phase = Phase.BAZAAR_BID
    return True


@kernel(void(State, i8))
def take_in_hand(s, lot):
    """Give the decider a bazaar tile to place and close the gap that it leaves in the lots."""
    s.hand = s.bazaar.lots[lot].design
    s.is_bought = 1
    last = s.rules.n_players - 1
    for k in range(lot, last):
        s.bazaar.lots[k].design = s.bazaar.lots[k + 1].design
        s.bazaar.lots[k].owner = s.bazaar.lots[k + 1].owner
    s.bazaar.lots[last].design = NO_DESIGN
    s.bazaar.lots[last].owner = NO_SEAT


@kernel(void(State))
def owe_second_part(s):
    """Postpone the second part of the turn until after the bazaar (BAZ-20)."""
    s.bazaar.owed_part = s.n_tiles - 1
    s.bazaar.owed_bridged, s.bazaar.owed_ransomed = s.has_bridged, s.ransomed


@kernel(void(State))
def close(s):
    """Return to the interrupted turn: to its second part or its end (BAZ-20, BAZ-26)."""
    s.turn_player = s.bazaar.resumes
    s.first_part, s.has_bridged = s.bazaar.owed_part, s.bazaar.owed_bridged
    s.ransomed = s.bazaar.owed_ransomed
    s.bazaar.starter, s.bazaar.resumes = NO_SEAT, NO_SEAT
    s.bazaar.owed_part, s.bazaar.owed_bridged, s.bazaar.owed_ransomed = NO_TILE, 0, 0
    s.bazaar.takes = 0


# The tiles of a waiting bazaar were drawn from consecutive bag positions, downwards.


@at(list_face_down, "bazaars")
@kernel(i8(State, i8[::1]))
def list_waiting(s, places):
    """Write the bag positions of a waiting bazaar's tiles, the last one first."""
    n = s.rules.n_players * s.bazaar.waits
    for k in range(n):
        places[k] = s.bazaar.place - (n - 1 - k)
    return n


@at(unseen_exchanged, "bazaars")
@kernel(void(State))
def note_waiting(s):
    """Set the lots of a waiting bazaar to the tiles that were drawn for it."""
    for lot in range(s.rules.n_players * s.bazaar.waits):
        s.bazaar.lots[lot].design = s.bag[s.bazaar.place - lot]


@at(draws_concealed, "bazaars")
@kernel(void(State, State))
def take_off_offer(s, before):
    """Remove the tiles on offer if their bazaar began after the state ``before``."""
    if is_open(s) and not is_open(before):
        for lot in range(s.rules.n_players):
            s.bazaar.lots[lot].design = NO_DESIGN
