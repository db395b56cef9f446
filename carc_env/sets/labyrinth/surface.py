"""The Labyrinth: arms of one road that meet in a maze."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, cast

import numpy.typing as npt

from carc_env.engine.core.codes import Plane, Problem
from carc_env.position import Cell, Position, Thieves
from carc_env.rules import Rules
from carc_env.sets.labyrinth.record import MAX_MAZES, NO_MAZE
from carc_env.systems.declaring import Fields, Planes, Record, System, Text
from carc_env.systems.places import cell_of_tile
from carc_env.words import CELL, NotationError, Page, format_cell, parse_cell

_THIEVES = re.compile(rf"(?P<cell>{CELL}) (?P<n>[1-9]\d?)")


def _set_switches(record: Any, rules: Rules) -> None:
    record.labyrinth = rules.labyrinth
    record.maze_bonus = rules.labyrinth and not rules.witch_halves_labyrinth
    record.maze_bonus_first = rules.labyrinth and rules.witch_halves_labyrinth


def _read(page: Page) -> Fields:
    return {"thieves": tuple(_parse(text, line) for line, text in page.listed("thieves"))}


def _parse(text: str, line: int) -> Thieves:
    if not (match := _THIEVES.fullmatch(text)):
        raise NotationError(line, f"expected thieves such as '3,-1 2', found {text!r}")
    return Thieves(*parse_cell(match["cell"]), int(match["n"]))


def _write(position: Position) -> Iterator[str]:
    if position.thieves:
        yield f"thieves {', '.join(map(_format, position.thieves))}"


def _format(thieves: Thieves) -> str:
    return f"{format_cell((thieves.x, thieves.y))} {thieves.n}"


def _of_record(states: npt.NDArray[Any], i: int) -> Fields:
    s = states[i]
    found = zip(s.mazes.tolist(), s.thieves.tolist(), strict=True)
    cells = ((cell_of_tile(s, int(s.segments[maze].tile)), n) for maze, n in found if n)
    return {"thieves": tuple(Thieves(*cast(Cell, cell), n) for cell, n in cells)}


def _into_record(states: npt.NDArray[Any], position: Position) -> None:
    s = states[0]
    mazes = {
        cell_of_tile(s, int(s.segments[maze].tile)): k
        for k, maze in enumerate(s.mazes.tolist())
        if maze != NO_MAZE
    }
    for thieves in position.thieves:
        if (k := mazes.pop((thieves.x, thieves.y), MAX_MAZES)) == MAX_MAZES:
            raise ValueError(
                f"[thieves {_format(thieves)}]: there is no labyrinth, or it is named twice"
            )
        s.thieves[k] = thieves.n


LABYRINTH = System(
    name="labyrinth",
    is_on=lambda rules: rules.labyrinth,
    switches=("labyrinth", "labyrinth_tiles", "witch_halves_labyrinth"),
    planes=(Planes(Plane.LABYRINTH, ("labyrinth",), "the road of the tile is a labyrinth"),),
    problems={
        Problem.LABYRINTHS: "[thieves ...] names a road that is not complete, or nothing is "
        "being scored (LAB-07)"
    },
    set_switches=_set_switches,
    text=Text(("thieves",), _read, _write),
    record=Record(_of_record, _into_record),
)
