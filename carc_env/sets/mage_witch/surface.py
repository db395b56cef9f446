"""Mage & Witch: the two figures, on roads and cities."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy.typing as npt

from carc_env.engine.core.codes import SIDE_SPOTS, Block, Phase, Plane, Problem
from carc_env.position import Place, Position
from carc_env.rules import Rules
from carc_env.sets.mage_witch.record import NOT_ASKED, NOWHERE
from carc_env.systems.declaring import (
    Actions,
    Anchor,
    Choice,
    Fields,
    Planes,
    Question,
    Record,
    System,
    Text,
)
from carc_env.systems.places import named, segment_at
from carc_env.words import NotationError, Page, format_cell, format_segment, parse_segment

ASKED = (Phase.MAGIC, Phase.MAGIC_SPOT)
JOINED = {
    None: Phase.FIGURE,
    "early token": Phase.SECOND,
    "token": Phase.TUNNEL,
    "ferry": Phase.FERRIES,
}
"""The event after the figure action that joined their features, and the phase that follows."""


def _spot_of(who: str) -> Callable[[int, Rules], Choice]:
    return lambda k, _: Choice(who, (0, 0), spot=SIDE_SPOTS[k])


def _set_switches(record: Any, rules: Rules) -> None:
    record.mage_witch = rules.mage_witch
    record.dragon_eats_magic = rules.mage_witch and rules.dragon_eats_magic


def _read(page: Page) -> Fields:
    fields: Fields = {}
    for who in ("mage", "witch"):
        if found := page.find(who):
            fields[who] = parse_segment(found[1], found[0])
    if found := page.find("joined"):
        line, fields["joined"] = found
        if fields["joined"] not in JOINED:
            words = " or ".join(f"[joined {word}]" for word in JOINED if word)
            raise NotationError(line, f"expected {words}, found {found[1]!r}")
    return fields


def _write(position: Position) -> Iterator[str]:
    if position.mage is not None:
        yield f"mage {format_segment(position.mage)}"
    if position.witch is not None:
        yield f"witch {format_segment(position.witch)}"
    if position.joined is not None:
        yield f"joined {position.joined}"


def _of_record(states: npt.NDArray[Any], i: int) -> Fields:
    s = states[i]
    mage, witch = (
        None if segment == NOWHERE else named(s, segment) for segment in s.magic.tolist()
    )
    joined = next((word for word, phase in JOINED.items() if phase == int(s.magic_at)), None)
    return {"mage": mage, "witch": witch, "joined": joined}


def _into_record(states: npt.NDArray[Any], position: Position) -> None:
    s, places = states[0], {"mage": position.mage, "witch": position.witch}
    if any(places.values()) and not position.rules.mage_witch:
        raise ValueError("the mage or the witch has a place, but the rules have neither (MW-01)")
    s.magic = [_segment_under(s, position, who, place) for who, place in places.items()]
    s.magic_at = JOINED[position.joined] if position.phase in ASKED else NOT_ASKED
    if position.joined is not None and position.phase not in ASKED:
        raise ValueError(
            f"[joined {position.joined}] needs a turn that enchants or enchants at (MW-06)"
        )


def _segment_under(s: Any, position: Position, who: str, place: Place | None) -> int:
    if place is None:
        return NOWHERE
    where = f"{who} at {format_segment(place)}"
    if place[2] not in SIDE_SPOTS:
        raise ValueError(f"{where}: it must stand on a road or in a city (MW-24)")
    return segment_at(s, position, place, where)[1]


def _check(_: npt.NDArray[Any], position: Position, n_legal: int) -> None:
    if position.phase == Phase.MAGIC_SPOT and n_legal == 0:
        where = format_cell(position.chosen_cell) if position.chosen_cell else "no tile"
        raise ValueError(f"neither the mage nor the witch can go to {where} (MW-03, MW-23)")


MAGE_WITCH = System(
    name="mage-witch",
    is_on=lambda rules: rules.mage_witch,
    switches=("mage_witch", "dragon_eats_magic"),
    questions=(
        Question(
            Phase.MAGIC,
            "enchants",
            "MAGE OR WITCH",
            "turn player",
            asks="To which tile does the mage or the witch go?",
        ),
        Question(
            Phase.MAGIC_SPOT,
            "enchants at",
            "MAGE OR WITCH",
            "turn player",
            about="chosen_cell",
            asks="Does the mage or the witch go there, and to which road or city?",
        ),
    ),
    actions=(
        Actions(
            Block.MAGE,
            "move the mage to a road or city of the chosen tile: its first side N, E, S, W",
            lambda _: len(SIDE_SPOTS),
            _spot_of("mage"),
            Anchor.CHOSEN,
        ),
        Actions(
            Block.WITCH,
            "move the witch to a road or city of the chosen tile",
            lambda _: len(SIDE_SPOTS),
            _spot_of("witch"),
            Anchor.CHOSEN,
        ),
        Actions(Block.MAGE_OFF, "take the mage off the board"),
        Actions(Block.WITCH_OFF, "take the witch off the board"),
    ),
    planes=(
        Planes(
            Plane.MAGIC,
            ("mage", "witch"),
            "the tile with the mage; the tile with the witch",
            "1 to 4: their road or city there by its first side N, E, S, W",
        ),
    ),
    numbers=lambda _: ("enchants late",),
    meanings=(
        (
            "enchants late",
            "1: the mage or the witch must move, and the figure action is over",
        ),
    ),
    problems={
        Problem.MAGIC: "the mage or the witch is on something complete, or both are on one road "
        "or city, while nobody is asked about them; or a question about them has "
        "no reason (MW-02 to MW-06)"
    },
    set_switches=_set_switches,
    text=Text(("mage", "witch", "joined"), _read, _write),
    record=Record(_of_record, _into_record),
    check=_check,
)
