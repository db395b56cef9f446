"""Traders & Builders: builders and the second part of a turn."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy.typing as npt

from carc_env.engine.core.codes import Figure
from carc_env.position import Position
from carc_env.systems.declaring import Fields, Record, Stance, System, Text
from carc_env.systems.places import cell_of_tile, tile_on
from carc_env.words import CELL, NotationError, Page, format_cell, parse_cell


def _read_parts(page: Page) -> Fields:
    first_part = None
    if found := page.find("second"):
        line, text = found
        if not (match := re.fullmatch(rf"part ({CELL})", text)):
            raise NotationError(line, f"expected [second part 3,4], found 'second {text}'")
        first_part = parse_cell(match[1])
    return {"first_part": first_part, "has_extended": page.flag("extended")}


def _write_parts(position: Position) -> Iterator[str]:
    if position.first_part is not None:
        yield f"second part {format_cell(position.first_part)}"
    if position.has_extended:
        yield "extended"


def _parts_of(states: npt.NDArray[Any], i: int) -> Fields:
    s = states[i]
    return {"first_part": cell_of_tile(s, int(s.first_part)), "has_extended": bool(s.extends)}


def _set_parts(states: npt.NDArray[Any], position: Position) -> None:
    s = states[0]
    s.first_part, s.extends = tile_on(position, position.first_part), position.has_extended


BUILDERS = System(
    name="traders",
    is_on=lambda rules: rules.builders,
    switches=("builders", "builder_bridge_trigger"),
    figures={Figure.BUILDER: Stance("the road or city at a side")},
    numbers=lambda _: ("second part", "extended"),
    meanings=(
        ("second part", "1: this is the second part of the turn"),
        ("extended", "1: a second part follows this placement"),
    ),
    text=Text(("second", "extended"), _read_parts, _write_parts),
    record=Record(_parts_of, _set_parts),
)
