"""The Ferries: lakes at which roads end, and ferries that join two of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from carc_env.engine import entry
from carc_env.engine.core.codes import Block, Kind, Phase, Plane, Problem
from carc_env.engine.core.tiles import N_DESIGNS, SEGMENT_KIND, SIDE_SEGMENT
from carc_env.position import Cell, Ferried, Ferry, Position, Sides
from carc_env.rules import Rules
from carc_env.sets.ferries.record import (
    ALWAYS,
    IS_LAKE,
    N_PAIRS,
    NO_FERRIES,
    NO_FERRY,
    PAIR_SIDES,
    PAIRS,
    WITH_THIEF,
)
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
from carc_env.systems.places import cell_of_tile
from carc_env.words import CELL, SEATS, NotationError, Page, format_cell, parse_cell

_FERRY = re.compile(rf"(?P<cell>{CELL}) (?P<sides>{'|'.join(PAIRS)})")
_FERRIED = re.compile(rf"(?P<cell>{CELL})(?: (?P<sides>{'|'.join(PAIRS)}))?")


def n_lakes(rules: Rules) -> int:
    """Return how many lakes a game's tiles show."""
    return int(rules.tile_counts @ np.array(IS_LAKE[:N_DESIGNS])) if rules.ferries else 0


def _size(rules: Rules) -> int:
    return n_lakes(rules) * N_PAIRS


def _ferry(k: int, _: Rules) -> Choice:
    lake, pair = divmod(k, N_PAIRS)
    return Choice("ferry", (lake, 0), axis=cast(Sides, PAIRS[pair]))


def _set_switches(record: Any, rules: Rules) -> None:
    laid = ALWAYS if rules.ferry_without_meeple == "place" else WITH_THIEF
    record.ferries = laid if rules.ferries else NO_FERRIES


# Positions as text.


def _read(page: Page) -> Fields:
    return {
        "ferries": tuple(_parse_ferry(text, line) for line, text in page.listed("ferries")),
        "ferried": tuple(_parse_ferried(text, line) for line, text in page.listed("ferried")),
    }


def _parse_ferry(text: str, line: int) -> Ferry:
    if not (match := _FERRY.fullmatch(text)):
        raise NotationError(line, f"expected a ferry such as '3,-1 NE', found {text!r}")
    return Ferry(*parse_cell(match["cell"]), cast(Sides, match["sides"]))


def _parse_ferried(text: str, line: int) -> Ferried:
    if not (match := _FERRIED.fullmatch(text)):
        raise NotationError(line, f"expected a lake such as '3,-1' or '3,-1 NE', found {text!r}")
    return Ferried(*parse_cell(match["cell"]), cast("Sides | None", match["sides"]))


def _write(position: Position) -> Iterator[str]:
    if position.ferries:
        yield f"ferries {', '.join(map(_format_ferry, position.ferries))}"
    if position.ferried:
        yield f"ferried {', '.join(map(_format_ferried, position.ferried))}"


def _format_ferry(ferry: Ferry) -> str:
    return f"{format_cell((ferry.x, ferry.y))} {ferry.sides}"


def _format_ferried(ferried: Ferried) -> str:
    cell = format_cell((ferried.x, ferried.y))
    return f"{cell} {ferried.before}" if ferried.before else cell


# Positions in the record.


def _of_record(states: npt.NDArray[Any], i: int) -> Fields:
    s = states[i]
    ferries, ferried = [], []
    for k, lake in enumerate(s.lakes[: int(s.n_lakes)]):
        cell = cast(Cell, cell_of_tile(s, int(lake.tile)))
        if lake.pair != NO_FERRY:
            ferries.append(Ferry(*cell, cast(Sides, PAIRS[int(lake.pair)])))
        if int(s.ferried) >> k & 1:
            before = None if lake.before == NO_FERRY else PAIRS[int(lake.before)]
            ferried.append(Ferried(*cell, cast("Sides | None", before)))
    return {"ferries": tuple(ferries), "ferried": tuple(ferried)}


def _into_record(states: npt.NDArray[Any], position: Position) -> None:
    s, rules = states[0], position.rules
    if not rules.ferries:
        if position.ferries or position.ferried:
            raise ValueError("there are ferries, but the rules have none")
        return
    lakes = {cell_of_tile(s, int(lake.tile)): k for k, lake in enumerate(s.lakes[: int(s.n_lakes)])}
    for ferry in position.ferries:
        where, lake = f"ferry {_format_ferry(ferry)}", lakes.get((ferry.x, ferry.y))
        if lake is None or s.lakes[lake].pair != NO_FERRY:
            raise ValueError(f"{where}: no lake without a ferry is there (FER-01)")
        pair = PAIRS.index(ferry.sides)
        if not _has_roads(s, int(s.lakes[lake].tile), pair):
            raise ValueError(f"{where}: roads end at two other sides of the lake (FER-04)")
        s.lakes[lake].pair = pair
        entry.connect_over(states, 0, lake)
    for ferried in position.ferried:
        if (lake := lakes.get((ferried.x, ferried.y))) is None:
            raise ValueError(f"[ferried {_format_ferried(ferried)}]: no lake is there (FER-01)")
        s.ferried |= 1 << lake
        if ferried.before is not None:
            s.lakes[lake].before = PAIRS.index(ferried.before)


def _has_roads(s: Any, tile: int, pair: int) -> bool:
    """Return whether a ferry between two sides would join roads."""
    design, rotation = int(s.tiles[tile].design), int(s.tiles[tile].rotation)
    ends = [int(SIDE_SEGMENT[design, rotation, side]) for side in PAIR_SIDES[pair]]
    return all(j >= 0 and SEGMENT_KIND[design, j] == Kind.ROAD for j in ends)


def _check(_: npt.NDArray[Any], position: Position, n_legal: int) -> None:
    if position.phase == Phase.FERRIES and n_legal < 2:
        seat = SEATS[position.turn_player]
        raise ValueError(f"{seat} cannot move any ferry (FER-08, FER-10)")


FERRIES = System(
    name="ferries",
    is_on=lambda rules: rules.ferries,
    switches=("ferries", "ferry_without_meeple"),
    questions=(
        Question(
            Phase.FERRY,
            "ferries",
            "LAY THE FERRY",
            "turn player",
            asks="Which two roads does the ferry on the new lake join?",
        ),
        Question(
            Phase.FERRIES,
            "steers",
            "MOVE A FERRY",
            "turn player",
            asks="Do you move a ferry on a road of your tile, and to which two roads?",
        ),
    ),
    actions=(
        Actions(
            Block.FERRY,
            "let the ferry of a lake join the roads at two of its sides: the lakes in the order in "
            "which they were placed, each with the sides NE, NS, NW, ES, EW, SW",
            _size,
            _ferry,
            Anchor.LAKE,
        ),
    ),
    planes=(
        Planes(
            Plane.FERRY,
            ("lake", *(f"ferry {side}" for side in "NESW"), "ferried"),
            "the tile has a lake; its ferry joins the road at a side; it was laid or moved in this "
            "placement",
            "the number of the lake, from 1; 1; 1, or from 2 the sides that it joined before",
        ),
    ),
    problems={
        Problem.FERRIES: "a lake lacks its ferry or has it too early, or [ferried ...] does not "
        "match the turn (FER-04, FER-11)"
    },
    set_switches=_set_switches,
    text=Text(("ferries", "ferried"), _read, _write),
    record=Record(_of_record, _into_record),
    check=_check,
)
