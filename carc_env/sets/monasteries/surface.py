"""Special monasteries, on which meeples stand or lie."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy.typing as npt

from carc_env.engine.core.codes import Plane
from carc_env.engine.core.tiles import DESIGN, LINES
from carc_env.position import Cell, Position
from carc_env.rules import Rules
from carc_env.systems.declaring import Fields, Planes, Record, System, Text
from carc_env.systems.places import coordinates_of
from carc_env.words import CELL, NotationError, Page, format_cell, parse_cell


def _set_switches(record: Any, rules: Rules) -> None:
    record.special_monasteries = rules.lets_lie
    record.lays_lying = rules.room.lets_lie
    record.lying_abbots_stay = rules.abbot_recall_lying == "forbid"


def _read(page: Page) -> Fields:
    return {"monks": tuple(_parse_cell(text, line) for line, text in page.listed("monks"))}


def _parse_cell(text: str, line: int) -> Cell:
    if not re.fullmatch(CELL, text):
        raise NotationError(line, f"expected a cell such as 3,-1, found {text!r}")
    return parse_cell(text)


def _write(position: Position) -> Iterator[str]:
    if position.monks:
        yield f"monks {', '.join(map(format_cell, position.monks))}"


def _of_record(states: npt.NDArray[Any], i: int) -> Fields:
    s = states[i]
    scored = int(s.monks_scored)
    if not scored:
        return {}
    tiles = s.tiles[: int(s.n_tiles)]
    special = tiles["cell"][LINES[tiles["design"]] >= 0].tolist()
    return {
        "monks": tuple(coordinates_of(cell) for k, cell in enumerate(special) if scored >> k & 1)
    }


def _into_record(states: npt.NDArray[Any], position: Position) -> None:
    special: list[Cell] = [
        (tile.x, tile.y) for tile in position.tiles if LINES[DESIGN[tile.tile]] >= 0
    ]
    for cell in position.monks:
        if cell not in special:
            raise ValueError(
                f"[monks {format_cell(cell)}]: no special monastery lies there (XGM-05)"
            )
        states[0].monks_scored |= 1 << special.index(cell)


MONASTERIES = System(
    name="monasteries",
    is_on=lambda rules: rules.lets_lie,
    switches=("special_monasteries", "abbot_recall_lying"),
    planes=(
        Planes(
            Plane.LINES,
            ("special monastery", "worth of lines"),
            "the tile has a special monastery; points that a figure there would score",
            "1; points",
        ),
    ),
    set_switches=_set_switches,
    text=Text(("monks",), _read, _write),
    record=Record(_of_record, _into_record),
)
