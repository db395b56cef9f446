"""The phantom and the question about the second figure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy.typing as npt

from carc_env.engine.core.codes import Figure, Phase
from carc_env.position import Position
from carc_env.rules import Rules
from carc_env.sets.phantom.record import (
    MACHINE_USED,
    NOTHING_USED,
    PORTAL_USED,
    PRINCESS_USED,
)
from carc_env.systems.declaring import Fields, Question, Record, Stance, System, Text
from carc_env.words import NotationError, Page, format_cell

USED = {
    None: NOTHING_USED,
    "portal": PORTAL_USED,
    "princess": PRINCESS_USED,
    "machine": MACHINE_USED,
}
ASKED = {
    Phase.SECOND: ("portal", "machine"),
    Phase.SECOND_SPOT: ("portal", "machine"),
    Phase.BRIDGE: ("portal", "princess", "machine"),
    Phase.LANDING: ("machine",),
    **dict.fromkeys((Phase.MAGIC, Phase.MAGIC_SPOT), ("portal", "machine")),
}
"""Uses of the figure action that still matter."""


def _numbers(rules: Rules) -> tuple[str, ...]:
    has = {"portal": rules.portals, "princess": rules.princesses, "machine": rules.flier}
    return tuple(f"{word} used" for word, is_there in has.items() if is_there)


def _read(page: Page) -> Fields:
    used = None
    if found := page.find("used"):
        line, used = found
        if used not in USED:
            words = " or ".join(f"[used {word}]" for word in USED if word)
            raise NotationError(line, f"expected {words}, found {used!r}")
    return {"used": used}


def _write(position: Position) -> Iterator[str]:
    if position.used is not None:
        yield f"used {position.used}"


def _of_record(states: npt.NDArray[Any], i: int) -> Fields:
    used = int(states[i].used)
    return {"used": next(word for word, number in USED.items() if number == used)}


def _into_record(states: npt.NDArray[Any], position: Position) -> None:
    if position.used is not None and not position.rules.phantom:
        raise ValueError(f"[used {position.used}] bars a phantom, but the rules have none (PHA-08)")
    states[0].used = USED[position.used]


def _check(_: npt.NDArray[Any], position: Position, n_legal: int) -> None:
    if position.used is not None and position.used not in ASKED.get(position.phase, ()):
        raise ValueError(f"[used {position.used}] needs a turn after the figure action (PHA-02)")
    if n_legal < {Phase.SECOND: 2, Phase.SECOND_SPOT: 1}.get(position.phase, 0):
        where = f" at {format_cell(position.chosen_cell)}" if position.chosen_cell else ""
        raise ValueError(f"there is no place{where} for a phantom as second figure (PHA-02)")


PHANTOMS = System(
    name="phantom",
    is_on=lambda rules: rules.phantom,
    switches=("phantom",),
    figures={Figure.PHANTOM: Stance("the spots of a meeple")},
    questions=(
        Question(
            Phase.SECOND,
            "adds",
            "PLACE A SECOND FIGURE",
            "turn player",
            asks="Does your phantom follow as second figure, and where?",
        ),
        Question(
            Phase.SECOND_SPOT,
            "adds at",
            "PLACE A SECOND FIGURE",
            "turn player",
            when=lambda rules: rules.portals or rules.towers,
            about="chosen_cell",
            asks="Where on that tile does your phantom stand?",
        ),
    ),
    numbers=_numbers,
    meanings=(
        ("portal used", "1: a meeple went through the portal of the tile just placed"),
        ("princess used", "1: the princess of the tile just placed sent a knight home"),
        ("machine used", "1: a meeple has boarded the flying machine of the tile just placed"),
    ),
    text=Text(("used",), _read, _write),
    record=Record(_of_record, _into_record),
    check=_check,
)
