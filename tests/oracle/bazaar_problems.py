"""Checks for impossible bazaars in a position."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from carc_env.engine.core.codes import Phase
from carc_env.position import Bazaar, Position

from . import bazaars
from .phases import BAZAAR, is_placed
from .tiles import ABBEY, Cell


def wrong_bazaar(position: Position) -> Iterator[str]:
    """Report contradictions in a bazaar and in the round of bought tiles."""
    bazaar, phase = position.bazaar, position.phase
    if bazaar is None:
        if phase in BAZAAR or position.is_bought or position.delayed:
            yield f"there is no bazaar in phase {phase.name}"
        return
    if not position.rules.bazaars:
        yield "there are no bazaars in this game"
    if not any(bazaars.is_bazaar_tile(tile.tile) for tile in position.tiles):  # BAZ-01
        yield "no bazaar tile lies on the board"
    is_part = position.first_part is not None
    is_over = phase == Phase.GAME_OVER or position.leaves_last
    if is_over or (phase == Phase.DRAW_OR_ABBEY and not is_part):  # BAZ-24, BAZ-29
        yield f"a bazaar goes on in phase {phase.name}"
    places = phase == Phase.PLACE_TILE or is_placed(position)
    if position.is_bought and not places:
        yield f"a bought tile is in play in phase {phase.name}"
    if is_placed(position) and position.tiles[-1].tile == ABBEY and not is_part:  # ABB-19
        yield "an abbey was placed during a bazaar"
    yield from wrong_order(position, bazaar)
    if bazaar.waits:
        return
    if phase in BAZAAR and not bazaar.takes:
        yield from wrong_auction(position, bazaar)
    else:
        yield from wrong_round(position, bazaar)


def unplayed_bazaar(position: Position) -> Iterator[str]:
    """Report a tile drawn during a bazaar although no bought tile is aside (BAZ-27)."""
    if position.bazaar is None:
        return
    is_round = position.phase == Phase.PLACE_TILE or is_placed(position)
    if is_round and not (position.is_bought or position.first_part or position.aside):
        yield "a tile was drawn during a bazaar, but no bought one is aside"


def wrong_order(position: Position, bazaar: Bazaar) -> Iterator[str]:
    """Report contradictions between a bazaar and the second part of the turn that started it."""
    order, seat = position.rules.bazaar_builder_order, position.turn_player
    if bazaar.waits:  # BAZ-21
        if order != "builder_first" or position.first_part is None:
            yield "the bazaar waits for nothing"
        elif not is_bazaar_at(position, position.first_part):
            yield f"the bazaar of {position.first_part} waits"
        if {bazaar.starter, bazaar.resumes} != {seat}:
            yield f"the bazaar of seat {bazaar.starter} waits for seat {seat}"
        if any(lot.owner is not None for lot in bazaar.offer) or bazaar.chooser is not None:
            yield "tiles that lie face down are auctioned"
        if len(bazaar.offer) != position.rules.n_players:  # BAZ-03
            yield f"{len(bazaar.offer)} tiles wait for {position.rules.n_players} seats"
    if bazaar.owed is None:
        if bazaar.owed_bridged:
            yield "a bridge was built in no first part"
        if bazaar.owed_ransomed:
            yield "a ransom was paid in no first part"
    elif order != "bazaar_first" or not is_bazaar_at(position, bazaar.owed):  # BAZ-20
        yield f"the second part that follows {bazaar.owed} cannot be owed"
    elif bazaar.owed_bridged and position.rules.bridge_limit != "per_turn":
        yield "a bridge of an earlier part is noted"


def is_bazaar_at(position: Position, cell: Cell) -> bool:
    """Return whether a bazaar tile is on a cell."""
    return any(
        (tile.x, tile.y) == cell and bazaars.is_bazaar_tile(tile.tile) for tile in position.tiles
    )


def wrong_auction(position: Position, bazaar: Bazaar) -> Iterator[str]:
    """Report contradictions while the tiles are auctioned."""
    rules, phase = position.rules, position.phase
    if rules.bazaar_mode == "take":  # BAZ-23
        yield "nothing is auctioned in this game"
    owners = [lot.owner for lot in bazaar.offer if lot.owner is not None]
    if len(bazaar.offer) != rules.n_players:  # BAZ-03
        yield f"{len(bazaar.offer)} tiles are on offer for {rules.n_players} seats"
    if len(set(owners)) < len(owners) or len(owners) > rules.n_players - 2:  # BAZ-08, BAZ-10
        yield f"the seats {owners} have tiles"
    if position.turn_player != bazaar.starter:
        yield f"seat {position.turn_player} holds the bazaar of seat {bazaar.starter}"
    involved = {bazaar.chooser, bazaar.bidder, position.decider} - {None}
    if bazaar.chooser is None or involved & set(owners):
        yield f"{involved} trade, {owners} have tiles"
        return
    if (bazaar.lot is None) != (phase == Phase.BAZAAR_PICK):
        yield f"tile {bazaar.lot} is for sale in phase {phase.name}"
        return
    if bazaar.lot is not None and bazaar.lot not in bazaars.picks(position):
        yield f"tile {bazaar.lot} is not for sale"
    if (bazaar.price is None) != (bazaar.bidder is None):
        yield f"seat {bazaar.bidder} bids {bazaar.price}"
        return
    yield from wrong_bidding(position, bazaar)


def wrong_bidding(position: Position, bazaar: Bazaar) -> Iterator[str]:
    """Report contradictions about the highest bid and the decider."""
    rules, phase = position.rules, position.phase
    if bazaar.price is None or bazaar.bidder is None:
        if phase == Phase.BAZAAR_DEAL:
            yield "nobody has made a bid"
        if position.decider != bazaar.chooser:
            yield f"seat {position.decider} decides for the chooser, seat {bazaar.chooser}"
        return
    lowest = 0 if bazaar.bidder == bazaar.chooser else 1
    highest = rules.bazaar_bid_limit
    if rules.bazaar_overbid == "forbid":
        highest = min(highest, max(0, position.scores[bazaar.bidder]))  # BAZ-12
    if phase == Phase.BAZAAR_PICK or not lowest <= bazaar.price <= highest:
        yield f"seat {bazaar.bidder} cannot have bid {bazaar.price}"
    order = bazaars.without_a_tile(position, bazaar.chooser or 0)
    asked, bidder = order.index(position.decider), order.index(bazaar.bidder)
    if phase == Phase.BAZAAR_DEAL and (asked > 0 or bidder == 0):  # BAZ-06, BAZ-07
        yield f"seat {position.decider} deals with seat {bazaar.bidder}"
    if phase == Phase.BAZAAR_BID and asked <= bidder:  # BAZ-05
        yield f"seat {position.decider} is asked after seat {bazaar.bidder}"


def wrong_round(position: Position, bazaar: Bazaar) -> Iterator[str]:
    """Report contradictions while the tiles are taken or placed (BAZ-14, BAZ-23)."""
    n_players = position.rules.n_players
    if any(x is not None for x in (bazaar.chooser, bazaar.lot, bazaar.price, bazaar.bidder)):
        yield "an auction is noted after its end"
    later = [(position.turn_player + k) % n_players for k in range(1, n_players)]
    later = later[: (bazaar.starter - position.turn_player) % n_players]
    owners = [lot.owner for lot in bazaar.offer]
    if bazaar.takes:
        n = len(later) + (position.phase == Phase.BAZAAR_PICK)
        if len(owners) != n or set(owners) - {None}:
            yield f"{bazaar.offer} cannot be left for {n} seats"
        if position.phase == Phase.BAZAAR_PICK and position.decider != position.turn_player:
            yield f"seat {position.decider} takes for seat {position.turn_player}"
    elif Counter(owners) != Counter(later):  # BAZ-11
        yield f"{bazaar.offer} does not hold one tile for each of the seats {later}"
