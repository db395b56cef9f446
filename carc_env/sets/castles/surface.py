"""Castles."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy.typing as npt

from carc_env.engine import entry
from carc_env.engine.core.codes import SHARED_SPOTS, Block, Phase, Plane, Problem, Stock
from carc_env.engine.core.fief import N_FIEF
from carc_env.engine.core.state import NO_SEGMENT
from carc_env.engine.core.tiles import POINTED_CAP, SEMICIRCLE
from carc_env.position import Castle, Position, halves_of
from carc_env.rules import Rules
from carc_env.systems.declaring import (
    Actions,
    Anchor,
    Choice,
    Fields,
    Planes,
    Question,
    Record,
    Supply,
    System,
    Text,
)
from carc_env.systems.places import named, segment_at
from carc_env.systems.stock import check_stock, put_in_hand, stock_in_hand, stock_text
from carc_env.words import (
    CELL,
    COUNT,
    SEATS,
    NotationError,
    Page,
    format_segment,
    parse_seat_and_segment,
    parse_segment,
)

_CASTLE = re.compile(rf"(?P<segment>{CELL} \w+)(?: =(?P<points>{COUNT}))?")
MAX_CASTLE_POINTS = 10_000
SPOTS = SHARED_SPOTS
"""Spots of what a castle can take: all but fields."""


def _take(k: int, _: Rules) -> Choice:
    cell, place = divmod(k, len(SPOTS))
    return Choice("take", (cell, 0), spot=SPOTS[place])


def _asks(rules: Rules) -> bool:
    return rules.castle_choice == "ask"


def _set_switches(record: Any, rules: Rules) -> None:
    record.castle_cap = SEMICIRCLE if rules.castle_base == "semicircle" else POINTED_CAP
    record.fief_in_row = rules.castle_fief == "row"
    record.asks_castles = _asks(rules)


def _each(rules: Rules) -> int:
    return rules.tokens_each


_IN_HAND = stock_text("tokens", _each)


def _read(page: Page) -> Fields:
    fields = _IN_HAND.read(page)
    fields["castles"] = tuple(_parse_castle(text, line) for line, text in page.listed("castles"))
    if found := page.find("town"):
        fields["decider"], fields["town"] = parse_seat_and_segment(found[1], found[0])
    if (page.phase in (Phase.CASTLE, Phase.CASTLE_CHOICE)) != ("town" in fields):
        raise NotationError(
            page.turn_line, "[town ...] and a turn that decides or takes go together"
        )
    return fields


def _parse_castle(text: str, line: int) -> Castle:
    if not (match := _CASTLE.fullmatch(text)):
        raise NotationError(
            line, f"expected a castle such as '3,4 N' or '3,4 N =8', found {text!r}"
        )
    return Castle(*parse_segment(match["segment"], line), int(match["points"] or 0))


def _write(position: Position) -> Iterator[str]:
    yield from _IN_HAND.write(position)
    if position.castles:
        castles = [
            format_segment((c.x, c.y, c.spot)) + (f" ={c.points}" if c.points else "")
            for c in position.castles
        ]
        yield f"castles {', '.join(castles)}"
    if position.town is not None:
        yield f"town {SEATS[position.decider]} {format_segment(position.town)}"


def _of_record(states: npt.NDArray[Any], i: int) -> Fields:
    s = states[i]
    castles = s.castles[: int(s.n_castles)]
    return {
        "castles": tuple(Castle(*named(s, int(c.segment)), int(c.points)) for c in castles),
        "tokens": stock_in_hand(s, Stock.TOKEN),
        "town": None if s.town == NO_SEGMENT else named(s, int(s.town)),
    }


def _into_record(states: npt.NDArray[Any], position: Position) -> None:
    for castle in position.castles:
        _found(states, position, castle)
    _check_tokens(position)
    put_in_hand(states, Stock.TOKEN, position.tokens)
    if position.town is not None:
        where = f"town at {format_segment(position.town)}"
        states[0].town = segment_at(states[0], position, position.town, where)[1]
        last = position.tiles[-1]
        if position.phase == Phase.CASTLE and position.town[:2] != (last.x, last.y):
            raise ValueError("a town is decided on when its last tile has just been placed")


def _found(states: npt.NDArray[Any], position: Position, castle: Castle) -> None:
    place = castle.x, castle.y, castle.spot
    where = f"castle at {format_segment(place)}"
    if not position.rules.castles:
        raise ValueError(f"{where}: castles are not in play")
    s = states[0]
    _, segment = segment_at(s, position, place, where)
    if not entry.set_castle(states, 0, segment):
        raise ValueError(f"{where}: there is no city that can be a castle (CAS-02)")
    if not 0 <= castle.points <= MAX_CASTLE_POINTS:
        raise ValueError(f"{where}: {castle.points} points are out of range")
    s.castles[int(s.n_castles) - 1].points = castle.points


def _check_tokens(position: Position) -> None:
    each = _each(position.rules)
    check_stock("tokens", position.tokens, each, position.rules)
    for seat, n in enumerate(position.tokens):
        n_castles = sum(_has_paid(position, castle, seat) for castle in position.castles)
        if n_castles > each - n:
            raise ValueError(f"seat {seat} holds {n_castles} castles, but has {n} tokens in hand")
    if sum(position.tokens) + len(position.castles) > each * position.rules.n_players:
        raise ValueError(
            f"tokens {position.tokens} in hand and {len(position.castles)} castles: every seat has "
            f"{each} in all"
        )


def _has_paid(position: Position, castle: Castle, seat: int) -> bool:
    """Whether a seat is lord of a castle and does not decide on it still (CAS-36)."""
    both = halves_of((castle.x, castle.y, castle.spot))
    last = position.tiles[-1]
    is_new = (last.x, last.y) in {(x, y) for x, y, _ in both}
    if is_new and position.phase == Phase.CASTLE:
        return False
    return any(f.seat == seat and (f.x, f.y, f.spot) in both for f in position.figures)


def _check(states: npt.NDArray[Any], position: Position, n_legal: int) -> None:
    if position.phase == Phase.CASTLE_CHOICE and n_legal < 2:
        raise ValueError("the castle has no choice of features")
    if position.phase == Phase.CASTLE and not entry.has_town_to_decide(states, 0):
        raise ValueError("the town does not wait for a decision of this seat")


CASTLES = System(
    name="castles",
    is_on=lambda rules: rules.castles,
    switches=("castles", "castle_base", "castle_fief", "castle_choice"),
    questions=(
        Question(
            Phase.CASTLE,
            "decides",
            "CASTLE OR POINTS",
            "occupier of a town",
            accepting="castle",
            declining="score",
            asks="A small city is complete: make it a castle, or score it?",
        ),
        Question(
            Phase.CASTLE_CHOICE,
            "takes",
            "SCORE THE CASTLE",
            "lord of a castle",
            when=_asks,
            asks="Which of these features gives its points to your castle?",
        ),
    ),
    actions=(
        Actions(
            Block.TAKE,
            "what a castle takes: at a side or the centre of one of the six cells of its fief",
            lambda _: N_FIEF * len(SPOTS),
            _take,
            Anchor.FIEF,
            when=_asks,
        ),
        Actions(Block.ACCEPT, "make the town a castle; buy the tile"),
        Actions(Block.DECLINE, "points for the town; sell the tile"),
    ),
    planes=(
        Planes(
            Plane.CASTLE,
            ("castle", "town"),
            "a tile of a castle, and the points that it has just taken; of what is decided on",
            "1 + points, at most 255; 1",
        ),
    ),
    supplies=(Supply(Stock.TOKEN, "tokens", _each, _each, "castle"),),
    problems={
        Problem.CASTLES: "a castle is no city of two caps, is listed twice, or has points or is "
        "new in a turn that asks something else (CAS-02)"
    },
    set_switches=_set_switches,
    text=Text(("tokens", "castles", "town"), _read, _write),
    record=Record(_of_record, _into_record),
    check=_check,
)
