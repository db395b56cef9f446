"""Bazaars (docs/rules/bazaars.md): when a bazaar is held, and who gets its tiles."""

from __future__ import annotations

from dataclasses import replace

from carc_env.engine.core.codes import Phase
from carc_env.position import Bazaar, Lot, Position

from .tiles import FACTS, Cell


def is_bazaar_tile(tile_id: str) -> bool:
    """Return whether a tile shows a bazaar."""
    return bool(FACTS[tile_id].get("bazaar"))


def has_enough_tiles(position: Position) -> bool:
    """Return whether the bag has a tile for each player when the bazaar starts (BAZ-16, BAZ-28)."""
    return len(position.bag or ()) >= position.rules.n_players


def set_aside(position: Position, starter: int, resumes: int) -> Position:
    """Take the tiles of a bazaar out of the bag, face down (BAZ-03, BAZ-21)."""
    bag, n_players = position.bag or (), position.rules.n_players
    bazaar = Bazaar(
        starter=starter,
        resumes=resumes,
        offer=tuple(Lot(tile) for tile in bag[:n_players]),
        waits=True,
    )
    return replace(position, bag=bag[n_players:], bazaar=bazaar)


def turned_up(position: Position) -> Position:
    """Reveal the tiles of a bazaar; in an auction, ask the first chooser (BAZ-04)."""
    rules, bazaar = position.rules, current(position)
    nobody_can_bid = rules.bazaar_overbid == "forbid" and not any(position.scores)  # BAZ-13
    takes = rules.bazaar_mode == "take" or nobody_can_bid
    bazaar = replace(bazaar, waits=False, takes=takes)
    position = replace(position, bazaar=bazaar, turn_player=bazaar.starter)
    return position if takes else with_chooser(position, (bazaar.starter + 1) % rules.n_players)


def with_owed(
    position: Position, part: Cell | None, is_bridged: bool, is_ransomed: bool
) -> Position:
    """Record the second part of a turn that follows the bazaar (BAZ-20)."""
    bazaar = replace(
        current(position), owed=part, owed_bridged=is_bridged, owed_ransomed=is_ransomed
    )
    return replace(position, bazaar=bazaar)


def with_chooser(position: Position, seat: int) -> Position:
    """Ask a seat to choose a tile."""
    bazaar = replace(current(position), chooser=seat, lot=None, price=None, bidder=None)
    return replace(position, phase=Phase.BAZAAR_PICK, decider=seat, bazaar=bazaar)


def current(position: Position) -> Bazaar:
    """Return the bazaar in progress."""
    if position.bazaar is None:
        raise ValueError("there is no bazaar")
    return position.bazaar


# --- Legal choices ------------------------------------------------------------------------------


def picks(position: Position) -> set[int]:
    """Return the indices of the tiles that the decider may choose or take."""
    return {k for k, lot in enumerate(current(position).offer) if lot.owner is None}


def bids(position: Position) -> set[int]:
    """Return the legal bids: any for the chooser, above the current bid for other seats."""
    rules, price = position.rules, current(position).price
    lowest = 0 if price is None else price + 1  # BAZ-04, BAZ-05
    highest = rules.bazaar_bid_limit
    if rules.bazaar_overbid == "forbid":  # BAZ-12
        highest = min(highest, max(0, position.scores[position.decider]))
    return set(range(lowest, highest + 1))


def may_buy(position: Position) -> bool:
    """Return whether the chooser may pay the highest bid; otherwise they must sell (BAZ-30)."""
    price = current(position).price or 0
    return position.rules.bazaar_overbid == "allow" or position.scores[position.decider] >= price


# --- Consequences -------------------------------------------------------------------------------


def without_a_tile(position: Position, first: int) -> list[int]:
    """List the seats that have no tile yet, clockwise from ``first`` (BAZ-08)."""
    n_players = position.rules.n_players
    owners = {lot.owner for lot in current(position).offer}
    seats = [(first + k) % n_players for k in range(n_players)]
    return [seat for seat in seats if seat not in owners]


def picked(position: Position, k: int) -> Position:
    """Let the chooser put a tile up for sale and open the bidding."""
    bazaar = replace(current(position), lot=k)
    return replace(position, phase=Phase.BAZAAR_BID, bazaar=bazaar)


def bid(position: Position, points: int | None) -> Position:
    """Let the decider bid, or pass with ``None``; then ask the next one, if any (BAZ-05)."""
    bazaar = current(position)
    if points is not None:
        bazaar = replace(bazaar, price=points, bidder=position.decider)
        position = replace(position, bazaar=bazaar)
    seats = without_a_tile(position, bazaar.chooser or 0)
    later = seats[seats.index(position.decider) + 1 :]
    if later:
        return replace(position, decider=later[0])
    position = replace(position, decider=seats[0])
    if bazaar.bidder == bazaar.chooser:  # BAZ-07
        return sold(paid(position, seats[0], -(bazaar.price or 0)), seats[0])
    return replace(position, phase=Phase.BAZAAR_DEAL)


def dealt(position: Position, buys: bool) -> Position:
    """Let the chooser buy the tile from the highest bidder or sell it to them (BAZ-06)."""
    bazaar = current(position)
    price = bazaar.price or 0
    buyer, seller = bazaar.chooser, bazaar.bidder
    if not buys:
        buyer, seller = seller, buyer
    return sold(paid(paid(position, buyer, -price), seller, price), buyer)


def paid(position: Position, seat: int | None, points: int) -> Position:
    """Give points to a seat; scores may fall below 0 (BAZ-12)."""
    scores = [score + points * (k == seat) for k, score in enumerate(position.scores)]
    return replace(position, scores=tuple(scores))


def sold(position: Position, buyer: int | None) -> Position:
    """Give the tile to its buyer and ask the next chooser; the last tile is free (BAZ-10)."""
    bazaar = current(position)
    chooser, offer = bazaar.chooser or 0, list(bazaar.offer)
    offer[bazaar.lot or 0] = replace(offer[bazaar.lot or 0], owner=buyer)
    position = replace(position, bazaar=replace(bazaar, offer=tuple(offer)))
    is_again = position.rules.bazaar_next_chooser == "seller_again"  # BAZ-09
    next_chooser, *others = without_a_tile(position, chooser if is_again else chooser + 1)
    position = with_chooser(position, next_chooser)
    if others:
        return position
    offer = [lot if lot.owner is not None else replace(lot, owner=next_chooser) for lot in offer]
    return replace(position, bazaar=replace(current(position), offer=tuple(offer), chooser=None))


def is_settled(position: Position) -> bool:
    """Return whether an auction is over: every tile has its owner (BAZ-11)."""
    return all(lot.owner is not None for lot in current(position).offer)


def handed_out(position: Position, k: int) -> Position:
    """Take a tile from the offer into its owner's hand."""
    offer = current(position).offer
    bazaar = replace(current(position), offer=offer[:k] + offer[k + 1 :])
    return replace(position, bazaar=bazaar, is_bought=True)
