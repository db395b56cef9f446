"""Castles."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from carc_env.engine import entry
from carc_env.engine.core.codes import (
    N_MEEPLES,
    SHARED_SPOTS,
    SIDE_SPOTS,
    Block,
    Figure,
    Phase,
    Plane,
    Problem,
    Stock,
)
from carc_env.engine.core.fief import N_FIEF
from carc_env.engine.core.state import FIGURE_SLOTS, NO_FIGURE, NO_SEGMENT, SLOTS_PER_SEAT
from carc_env.engine.core.tiles import POINTED_CAP, SEMICIRCLE
from carc_env.position import Castle, Place, PlacedFigure, Position, halves_of
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
from carc_env.systems.places import named, place_of, segment_at, segment_under
from carc_env.systems.stock import check_stock, put_in_hand, stock_in_hand, stock_text
from carc_env.words import (
    CELL,
    COUNT,
    FIGURE_OF,
    SEATS,
    NotationError,
    Page,
    format_segment,
    parse_seat,
    parse_seat_and_segment,
    parse_segment,
)

_LORD = re.compile(rf"(?P<seat>[A-F]) (?P<figure>[a-z]+) (?P<segment>{CELL} \w+)")
_CASTLE = re.compile(rf"(?P<segment>{CELL} \w+)(?: =(?P<points>{COUNT}))?")
MAX_CASTLE_POINTS = 10_000
SPOTS = SHARED_SPOTS
"""Spots of features with which a castle can score: all except fields."""


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
    fields["lords"] = tuple(_parse_lord(text, line) for line, text in page.listed("lords"))
    if found := page.find("town"):
        fields["decider"], fields["town"] = parse_seat_and_segment(found[1], found[0])
    if (page.phase in (Phase.CASTLE, Phase.CASTLE_CHOICE)) != ("town" in fields):
        raise NotationError(
            page.turn_line,
            "[town ...] goes with a turn that decides or takes: write both, or neither",
        )
    return fields


def _parse_castle(text: str, line: int) -> Castle:
    if not (match := _CASTLE.fullmatch(text)):
        raise NotationError(
            line, f"expected a castle such as '3,4 N' or '3,4 N =8', found {text!r}"
        )
    return Castle(*parse_segment(match["segment"], line), int(match["points"] or 0))


def _parse_lord(text: str, line: int) -> PlacedFigure:
    match = _LORD.fullmatch(text)
    if not match or match["figure"] not in FIGURE_OF:
        raise NotationError(line, f"expected a lord such as 'B meeple 3,4 N', found {text!r}")
    seat, segment = parse_seat(match["seat"], line), parse_segment(match["segment"], line)
    return PlacedFigure(seat, FIGURE_OF[match["figure"]], *segment)


def _named(lord: PlacedFigure) -> str:
    return f"[lords {_format_lord(lord)}]"


def _format_lord(lord: PlacedFigure) -> str:
    segment = format_segment((lord.x, lord.y, lord.spot))
    return f"{SEATS[lord.seat]} {lord.figure.name.lower()} {segment}"


def _write(position: Position) -> Iterator[str]:
    yield from _IN_HAND.write(position)
    if position.castles:
        castles = [
            format_segment((c.x, c.y, c.spot)) + (f" ={c.points}" if c.points else "")
            for c in position.castles
        ]
        yield f"castles {', '.join(castles)}"
    if position.lords:
        yield f"lords {', '.join(map(_format_lord, position.lords))}"
    if position.town is not None:
        yield f"town {SEATS[position.decider]} {format_segment(position.town)}"


def _of_record(states: npt.NDArray[Any], i: int) -> Fields:
    s = states[i]
    castles = s.castles[: int(s.n_castles)]
    return {
        "castles": tuple(Castle(*named(s, int(c.segment)), int(c.points)) for c in castles),
        "lords": tuple(_lords_of(s)) if Phase.CASTLE <= s.phase <= Phase.JOIN_SPOT else (),
        "tokens": stock_in_hand(s, Stock.TOKEN),
        "town": None if s.town == NO_SEGMENT else named(s, int(s.town)),
    }


def _lords_of(s: Any) -> list[PlacedFigure]:
    """Return the meeples that stand in towns but in no ring, in the order of their figures."""
    is_lord = (s.figures["segment"] != NO_SEGMENT) & (s.figures["next"] == NO_FIGURE)
    found = []
    for number in np.flatnonzero(is_lord).tolist():
        seat, slot = divmod(number, SLOTS_PER_SEAT)
        if FIGURE_SLOTS[slot] < N_MEEPLES:
            segment = int(s.figures[number].segment)
            found.append((place_of(s, segment), seat, FIGURE_SLOTS[slot], named(s, segment)))
    return [PlacedFigure(seat, Figure(figure), *place) for _, seat, figure, place in sorted(found)]


def _into_record(states: npt.NDArray[Any], position: Position) -> None:
    for castle in position.castles:
        _found(states, position, castle)
    lords = [_segment_of(states[0], position, lord) for lord in position.lords]
    _check_tokens(position)
    put_in_hand(states, Stock.TOKEN, position.tokens)
    if position.town is not None:
        where = f"town at {format_segment(position.town)}"
        states[0].town = segment_at(states[0], position, position.town, where)[1]
        last = position.tiles[-1]
        if position.phase == Phase.CASTLE and position.town[:2] != (last.x, last.y):
            raise ValueError(
                "the turn decides on a town, but the tile just placed does not complete it"
            )
    _check_deciders(states, position, lords)
    for lord, segment in zip(position.lords, lords, strict=True):
        if not entry.set_lord(states, 0, lord.seat, lord.figure, segment):
            raise ValueError(f"{_named(lord)}: no such figure stands there")


def _segment_of(s: Any, position: Position, lord: PlacedFigure) -> int:
    """Return the segment of a lord whose town other seats score."""
    if lord.spot not in SIDE_SPOTS:
        raise ValueError(f"{_named(lord)}: no town is there")
    return segment_under(s, position, lord)[1]


def _check_deciders(states: npt.NDArray[Any], position: Position, lords: list[int]) -> None:
    """Raise a ``ValueError`` if a seat that decides on a town has no majority there.

    The seat may have decided already, and other meeples may have joined the town since.
    """
    if position.phase != Phase.CASTLE:
        return
    s, seat = states[0], position.decider
    asked = 0 if position.town is None else entry.deciders_on_town(states, 0, s.town)
    if not (asked >> seat & 1 and s.players[seat].stock[Stock.TOKEN]):
        raise ValueError("the town does not wait for a decision of this seat")
    for lord, segment in zip(position.lords, lords, strict=True):
        if not entry.deciders_on_town(states, 0, segment) >> lord.seat & 1:
            raise ValueError(f"{_named(lord)}: this seat does not decide on a town there")


def _found(states: npt.NDArray[Any], position: Position, castle: Castle) -> None:
    place = castle.x, castle.y, castle.spot
    where = f"castle at {format_segment(place)}"
    if not position.rules.castles:
        raise ValueError(f"{where}: the rules have no castles")
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
    owned = Counter(seat for castle in position.castles for seat in _owners(position, castle))
    owned.update(seat for seat, _ in {(lord.seat, _town_of(lord)) for lord in position.lords})
    for seat, n in owned.items():
        if n > each - position.tokens[seat]:
            raise ValueError(
                f"seat {seat} holds {n} castles, but has {position.tokens[seat]} tokens in hand"
            )
    if sum(position.tokens) + len(position.castles) > each * position.rules.n_players:
        raise ValueError(
            f"tokens {position.tokens} in hand and {len(position.castles)} castles: every seat "
            f"has {each} in total"
        )


def _owners(position: Position, castle: Castle) -> set[int]:
    """Return the seats with lords in a castle (CAS-36)."""
    both = halves_of((castle.x, castle.y, castle.spot))
    return {f.seat for f in position.figures if (f.x, f.y, f.spot) in both}


def _town_of(lord: PlacedFigure) -> frozenset[Place]:
    return frozenset(halves_of((lord.x, lord.y, lord.spot)))


def _check(_: npt.NDArray[Any], position: Position, n_legal: int) -> None:
    if position.phase == Phase.CASTLE_CHOICE and n_legal < 2:
        raise ValueError("the castle has no choice of features")


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
            asks="Which of these features scores for your castle?",
        ),
    ),
    actions=(
        Actions(
            Block.TAKE,
            "choose a feature for a castle: a side or the centre of one of its fief's six cells",
            lambda _: N_FIEF * len(SPOTS),
            _take,
            Anchor.FIEF,
            when=_asks,
        ),
        Actions(Block.ACCEPT, "make the town a castle"),
        Actions(Block.DECLINE, "score the town"),
    ),
    planes=(
        Planes(
            Plane.CASTLE,
            ("castle", "town"),
            "a tile of a castle, and the points it just scored; a tile of the town to decide on",
            "1 + points, at most 255; 1",
        ),
    ),
    supplies=(Supply(Stock.TOKEN, "tokens", _each, _each, "castle"),),
    problems={
        Problem.CASTLES: "a castle is no city of two caps, is listed twice, or has points or is "
        "new in a turn that asks something else (CAS-02); or a figure is a lord "
        "too early, or of a town that nobody scores (CAS-37)"
    },
    set_switches=_set_switches,
    text=Text(("tokens", "castles", "lords", "town"), _read, _write),
    record=Record(_of_record, _into_record),
    check=_check,
)
