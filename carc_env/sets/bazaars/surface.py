"""Bazaars and their auctions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy.typing as npt

from carc_env.engine.core.codes import MAX_PLAYERS, Block, Phase, Problem
from carc_env.engine.core.fields import is_same
from carc_env.engine.core.state import NO_DESIGN, NO_SEAT
from carc_env.engine.core.tiles import DESIGN, IS_BAZAAR, TILE_ID
from carc_env.position import Bazaar, Cell, Lot, Position
from carc_env.rules import Rules
from carc_env.sets.bazaars.record import MAX_BAZAARS, NO_LOT
from carc_env.systems.declaring import Actions, Choice, Fields, Question, Record, System, Text
from carc_env.systems.designs import tile_ids
from carc_env.systems.places import cell_of_tile, design_of, tile_on
from carc_env.words import (
    CELL,
    COUNT,
    SEATS,
    TILE,
    NotationError,
    Page,
    format_cell,
    parse_cell,
    parse_seat,
)

_BAZAAR = re.compile(
    r"(?P<starter>[A-F])(?: after (?P<resumes>[A-F]))?"
    r"(?: (?P<state>takes|waits))?:(?P<offer>.*)"
)
_OWED = re.compile(rf"(?P<cell>{CELL})(?P<bridged> bridged)?(?P<ransomed> ransomed)?")
_LOT = re.compile(rf"(?P<tile>{TILE})(?: (?P<owner>[A-F]))?")
_AUCTION = re.compile(
    r"(?P<chooser>[A-F])(?: (?P<lot>[1-6])"
    rf"(?:: (?P<price>{COUNT}) (?P<bidder>[A-F])(?: next (?P<next>[A-F]))?)?)?"
)


def _has_auctions(rules: Rules) -> bool:
    return rules.has_auctions


def _numbers(rules: Rules) -> tuple[str, ...]:
    seats = range(rules.n_players)
    names = ["bought"]
    if rules.builders:
        names += ["waits", "owed bridged", *(f"owed {seat}" for seat in seats)]
    for lot in seats:
        names += [f"lot {lot} {tile}" for tile in tile_ids(rules)]
        names += [f"lot {lot} owner {seat}" for seat in seats]
        names.append(f"lot {lot} for sale")
    names += [f"delayed {seat}" for seat in seats]
    names.append("bid")
    names += [f"{who} {seat}" for who in ("bidder", "chooser") for seat in seats]
    return tuple(names)


def _set_switches(record: Any, rules: Rules) -> None:
    record.bazaars = rules.bazaars
    record.bazaar_takes = rules.bazaar_mode == "take"
    record.builder_first = rules.bazaar_builder_order == "builder_first"
    record.forbids_overbids = rules.bazaar_overbid == "forbid"
    record.seller_again = rules.bazaar_next_chooser == "seller_again"
    record.skips_unplaceable = rules.bazaar_unplaceable == "skip"
    record.bid_limit = rules.bazaar_bid_limit


# As text.


def _read(page: Page) -> Fields:
    fields: Fields = {"is_bought": page.flag("bought"), "bazaar": None, "delayed": ()}
    if not (found := page.find("bazaar")):
        for word in ("auction", "delayed", "owed"):
            if odd := page.find(word):
                raise NotationError(odd[0], f"[{word} ...] needs [bazaar ...]")
        return fields
    line, text = found
    if not (match := _BAZAAR.fullmatch(text)):
        raise NotationError(line, f"expected 'A: bg-cap B, bg-curve', found {text!r}")
    starter = SEATS.index(match["starter"])
    lots = [lot.strip() for lot in match["offer"].split(",") if lot.strip()]
    owed, owed_bridged, owed_ransomed = _read_owed(page)
    bazaar = Bazaar(
        starter,
        SEATS.index(match["resumes"]) if match["resumes"] else starter,
        tuple(_parse_lot(lot, line) for lot in lots),
        takes=match["state"] == "takes",
        waits=match["state"] == "waits",
        owed=owed,
        owed_bridged=owed_bridged,
        owed_ransomed=owed_ransomed,
    )
    fields["bazaar"] = bazaar
    fields["delayed"] = tuple(parse_seat(seat, line) for line, seat in page.listed("delayed"))
    if sale := page.find("auction"):
        fields["bazaar"], fields["decider"] = _parse_auction(bazaar, *sale)
    return fields


def _read_owed(page: Page) -> tuple[Cell | None, bool, bool]:
    """Return the owed tile, and whether its turn has used its bridge and its ransom."""
    if not (found := page.find("owed")):
        return None, False, False
    line, text = found
    if not (match := _OWED.fullmatch(text)):
        raise NotationError(line, f"expected [owed 3,4] or [owed 3,4 bridged], found {text!r}")
    return parse_cell(match["cell"]), match["bridged"] is not None, match["ransomed"] is not None


def _parse_lot(text: str, line: int) -> Lot:
    if not (match := _LOT.fullmatch(text)):
        raise NotationError(line, f"expected a tile such as 'bg-cap' or 'bg-cap B', found {text!r}")
    return Lot(match["tile"], SEATS.index(match["owner"]) if match["owner"] else None)


def _parse_auction(bazaar: Bazaar, line: int, text: str) -> tuple[Bazaar, int]:
    """Return the bazaar with its auction, and the seat to act."""
    if not (match := _AUCTION.fullmatch(text)):
        raise NotationError(line, f"expected 'B', 'B 2' or 'B 2: 5 C next D', found {text!r}")
    chooser = SEATS.index(match["chooser"])
    asked = SEATS.index(match["next"]) if match["next"] else chooser
    if match["lot"] and int(match["lot"]) > len(bazaar.offer):
        raise NotationError(
            line, f"there is no tile {match['lot']} on offer: tiles are numbered from 1"
        )
    return replace(
        bazaar,
        chooser=chooser,
        lot=int(match["lot"]) - 1 if match["lot"] else None,
        price=int(match["price"]) if match["price"] else None,
        bidder=SEATS.index(match["bidder"]) if match["bidder"] else None,
    ), asked


def _write(position: Position) -> Iterator[str]:
    if position.is_bought:
        yield "bought"
    if (bazaar := position.bazaar) is None:
        return
    head = SEATS[bazaar.starter]
    head += "" if bazaar.starter == bazaar.resumes else f" after {SEATS[bazaar.resumes]}"
    head += " takes" if bazaar.takes else " waits" if bazaar.waits else ""
    offer = [
        lot.tile + ("" if lot.owner is None else f" {SEATS[lot.owner]}") for lot in bazaar.offer
    ]
    yield f"bazaar {head}: {', '.join(offer)}".rstrip()
    if bazaar.owed is not None:
        words = " bridged" * bazaar.owed_bridged + " ransomed" * bazaar.owed_ransomed
        yield f"owed {format_cell(bazaar.owed)}{words}"
    if bazaar.chooser is not None:
        yield f"auction {_sale(position, bazaar, bazaar.chooser)}"
    if position.delayed:
        yield f"delayed {', '.join(SEATS[seat] for seat in position.delayed)}"


def _sale(position: Position, bazaar: Bazaar, chooser: int) -> str:
    """Return the seller, the tile for sale, the highest bid, and who bids next."""
    sale = SEATS[chooser]
    sale += "" if bazaar.lot is None else f" {bazaar.lot + 1}"
    if bazaar.bidder is not None:
        sale += f": {bazaar.price} {SEATS[bazaar.bidder]}"
        if position.phase == Phase.BAZAAR_BID:
            sale += f" next {SEATS[position.decider]}"
    return sale


# In the record.


def _of_record(states: npt.NDArray[Any], i: int) -> Fields:
    s = states[i]
    return {
        "is_bought": bool(s.is_bought),
        "bazaar": None if s.bazaar.starter == NO_SEAT else _bazaar_of(s),
        "delayed": tuple(int(seat) for seat in s.bazaar.delayed[: int(s.bazaar.n_delayed)]),
    }


def _bazaar_of(s: Any) -> Bazaar:
    bazaar = s.bazaar
    return Bazaar(
        starter=int(bazaar.starter),
        resumes=int(bazaar.resumes),
        offer=tuple(
            Lot(TILE_ID[lot.design], _or_none(lot.owner, NO_SEAT))
            for lot in bazaar.lots
            if lot.design != NO_DESIGN
        ),
        takes=bool(bazaar.takes),
        chooser=_or_none(bazaar.chooser, NO_SEAT),
        lot=_or_none(bazaar.lot, NO_LOT),
        price=int(bazaar.price) if bazaar.bidder != NO_SEAT else None,
        bidder=_or_none(bazaar.bidder, NO_SEAT),
        waits=bool(bazaar.waits),
        owed=cell_of_tile(s, int(bazaar.owed_part)),
        owed_bridged=bool(bazaar.owed_bridged),
        owed_ransomed=bool(bazaar.owed_ransomed),
    )


def _or_none(number: Any, sentinel: int) -> int | None:
    return None if number == sentinel else int(number)


def _or(number: int | None, sentinel: int) -> int:
    return sentinel if number is None else number


def _into_record(states: npt.NDArray[Any], position: Position) -> None:
    bazaar, s = position.bazaar, states[0]
    if (bazaar is not None or position.is_bought) and not position.rules.bazaars:
        raise ValueError("a bazaar is going on, but the rules have no bazaars")
    s.is_bought = position.is_bought
    if bazaar is None:
        if position.delayed:
            raise ValueError("bazaars wait, but none is going on: write [bazaar ...], too")
        return
    _check_numbers(position, bazaar)
    record = s.bazaar
    record.starter, record.resumes, record.takes = bazaar.starter, bazaar.resumes, bazaar.takes
    for number, lot in enumerate(bazaar.offer):
        record.lots[number].design = design_of(lot.tile)
        record.lots[number].owner = _or(lot.owner, NO_SEAT)
    record.chooser = _or(bazaar.chooser, NO_SEAT)
    record.lot = _or(bazaar.lot, NO_LOT)
    record.price = bazaar.price or 0
    record.bidder = _or(bazaar.bidder, NO_SEAT)
    record.waits = bazaar.waits
    record.owed_bridged, record.owed_ransomed = bazaar.owed_bridged, bazaar.owed_ransomed
    record.owed_part = tile_on(position, bazaar.owed)
    record.n_delayed = len(position.delayed)
    record.delayed[: len(position.delayed)] = position.delayed


def _has_same_bazaar(s: Any, rebuilt: Any) -> bool:
    """Return whether two bazaars are equal.

    Face-down tiles were drawn from ``place`` downwards.
    """
    for name in s.bazaar.dtype.names:
        if name != "place" and not is_same(s.bazaar[name], rebuilt.bazaar[name]):
            return False
    place, first = int(s.bazaar.place), int(s.bazaar.place) - int(s.rules.n_players) + 1
    if not s.bazaar.waits:
        return place == 0
    lots = s.bazaar.lots["design"][: place - first + 1]
    return first >= s.n_bag and is_same(s.bag[first : place + 1][::-1], lots)


def _check(_: npt.NDArray[Any], position: Position, __: int) -> None:
    """Raise a ``ValueError`` if a bazaar lacks its tile on the board."""
    if position.bazaar is None:
        return
    n_needed = 1 + len(position.delayed)
    n_laid = int(IS_BAZAAR[[DESIGN[tile.tile] for tile in position.tiles]].sum())
    if n_laid < n_needed:
        raise ValueError(
            f"{n_needed} bazaars, but {n_laid} bazaar tiles on the board: each needs one (BAZ-01)"
        )


def _check_numbers(position: Position, bazaar: Bazaar) -> None:
    """Raise a ``ValueError`` for an impossible seat, lot or bid."""
    seats = range(position.rules.n_players)
    named = [bazaar.starter, bazaar.resumes, bazaar.chooser, bazaar.bidder, *position.delayed]
    named += [lot.owner for lot in bazaar.offer]
    if odd := [seat for seat in named if seat is not None and seat not in seats]:
        raise ValueError(f"bazaar: there is no seat {odd[0]}")
    if len(bazaar.offer) > len(seats):
        raise ValueError(f"bazaar: {len(bazaar.offer)} tiles on offer for {len(seats)} players")
    if bazaar.lot is not None and not 0 <= bazaar.lot < len(bazaar.offer):
        raise ValueError(f"bazaar: there is no tile {bazaar.lot + 1} on offer")
    if len(position.delayed) > MAX_BAZAARS:
        raise ValueError(f"bazaar: {len(position.delayed)} wait, but there are only {MAX_BAZAARS}")
    if not 0 <= (bazaar.price or 0) <= position.rules.bazaar_bid_limit:
        raise ValueError(f"bazaar: nobody can bid {bazaar.price} points")


BAZAARS = System(
    name="bazaars",
    is_on=lambda rules: rules.bazaars,
    switches=(
        "bazaars",
        "bazaar_mode",
        "bazaar_overbid",
        "bazaar_next_chooser",
        "bazaar_builder_order",
        "bazaar_unplaceable",
        "bazaar_bid_limit",
    ),
    questions=(
        Question(
            Phase.BAZAAR_PICK,
            "picks",
            "CHOOSE A TILE",
            "chooser",
            asks="Which tile of the bazaar do you choose?",
        ),
        Question(
            Phase.BAZAAR_BID,
            "bids",
            "BID MORE OR PASS",
            "chooser, then others without a tile",
            when=_has_auctions,
            asks="How many points do you bid for it, or do you pass?",
        ),
        Question(
            Phase.BAZAAR_DEAL,
            "deals",
            "BUY OR SELL",
            "chooser",
            when=_has_auctions,
            accepting="buy",
            declining="sell",
            asks="Do you buy the tile for the highest bid, or sell it to the bidder?",
        ),
    ),
    actions=(
        Actions(Block.ACCEPT, "buy the tile for the highest bid", when=_has_auctions),
        Actions(Block.DECLINE, "sell the tile to the highest bidder", when=_has_auctions),
        Actions(
            Block.PICK,
            "choose a tile of the bazaar",
            lambda _: MAX_PLAYERS,
            lambda k, _: Choice("pick", number=k + 1),
        ),
        Actions(
            Block.BID,
            "bid this many points, from 0",
            lambda rules: rules.bazaar_bid_limit + 1,
            lambda k, _: Choice("bid", number=k),
            when=_has_auctions,
        ),
    ),
    numbers=_numbers,
    meanings=(
        ("bought", "1: the tile in hand or just placed was bought"),
        ("waits", "with builders, 1: the tiles lie face down until a second part is over"),
        ("owed bridged", "with builders, 1: the bridge of the turn that continues later is built"),
        ("owed #", "with builders, 1: this seat is owed a second part"),
        ("lot # TILE", "1: the design of this tile on offer"),
        ("lot # owner #", "1: this seat has the tile"),
        ("lot # for sale", "1: this tile is for sale"),
        ("delayed #", "the seat's bazaars that wait for this one to end"),
        ("bid", "the highest bid, in tens of points"),
        ("bidder #", "1: this seat made the highest bid"),
        ("chooser #", "1: this seat chooses"),
    ),
    problems={
        Problem.BAZAAR: "offer, owners, bids and turn of the bazaar are inconsistent (BAZ-03 to "
        "BAZ-11, BAZ-20, BAZ-21)"
    },
    set_switches=_set_switches,
    text=Text(("bought", "bazaar", "owed", "auction", "delayed"), _read, _write),
    record=Record(_of_record, _into_record, {"bazaar": _has_same_bazaar}),
    check=_check,
)
