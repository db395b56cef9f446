"""The Flying Machines: boarding, the die and the landing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy.typing as npt

from carc_env.engine import entry
from carc_env.engine.core.codes import Block, Figure, Outcome, Phase, Plane, Problem
from carc_env.position import Position
from carc_env.rules import Rules
from carc_env.sets.flier.record import DISTANCES, NOBODY
from carc_env.systems.declaring import (
    Actions,
    Choice,
    Fields,
    Planes,
    Question,
    Record,
    System,
    Text,
)
from carc_env.words import FIGURE_OF, NotationError, Page, format_cell

BASIC = (Figure.MEEPLE, Figure.LARGE)
"""Who flies where only these do (FLY-12)."""
OUTCOMES = (Outcome.ONE_CELL, Outcome.TWO_CELLS, Outcome.THREE_CELLS)


def _n_fliers(rules: Rules) -> int:
    """How many kinds of meeples have an action: those that fly come first."""
    return rules.n_meeples_named if rules.flier_figures == "all" else len(BASIC)


def fliers(rules: Rules) -> tuple[Figure, ...]:
    """The kinds of meeples that players have and that fly (FLY-12)."""
    return tuple(kind for kind in rules.meeples if kind < _n_fliers(rules))


def _fly(k: int, _: Rules) -> Choice:
    return Choice("fly", figure=Figure(k))


def _numbers(rules: Rules) -> tuple[str, ...]:
    return tuple(f"{kind.name.lower()} flies" for kind in fliers(rules))


def _set_switches(record: Any, rules: Rules) -> None:
    record.flier = rules.flier
    record.may_come_down = rules.flier_landing == "may"
    record.n_fliers = _n_fliers(rules)


def _read(page: Page) -> Fields:
    if not (found := page.find("flies")):
        return {}
    line, word = found
    if word not in FIGURE_OF:
        raise NotationError(line, f"expected a figure as in [flies large], found {word!r}")
    return {"flies": FIGURE_OF[word]}


def _write(position: Position) -> Iterator[str]:
    if position.flies is not None:
        yield f"flies {position.flies.name.lower()}"


def _of_record(states: npt.NDArray[Any], i: int) -> Fields:
    flies = int(states[i].flies)
    return {"flies": None if flies == NOBODY else Figure(flies)}


def _into_record(states: npt.NDArray[Any], position: Position) -> None:
    kind = position.flies
    if kind is None:
        return
    if not position.rules.flier or kind not in fliers(position.rules):
        raise ValueError(f"[flies {kind.name.lower()}]: no such figure flies (FLY-12)")
    states[0].flies = kind


def _check(states: npt.NDArray[Any], position: Position, _: int) -> None:
    is_asked = position.phase == Phase.LANDING
    if is_asked != (position.flies is not None):
        raise ValueError("[flies ...] says who lands, and goes with that question (FLY-06)")
    if is_asked and entry.problems(states, 0) & Problem.TURN:
        where = format_cell(position.chosen_cell) if position.chosen_cell else "no tile"
        raise ValueError(
            f"nobody can land at {where}: the machine of the tile just placed must lead there, the "
            "meeple be in the supply, and an unfinished feature there be fit for it (FLY-04, "
            "FLY-06)"
        )


FLIER = System(
    name="flier",
    is_on=lambda rules: rules.flier,
    switches=("flier", "flier_landing", "flier_figures"),
    questions=(
        Question(
            Phase.LANDING,
            "lands at",
            "LAND THERE",
            "turn player",
            about="chosen_cell",
            asks="Where on that tile does your meeple land?",
        ),
    ),
    actions=(
        Actions(
            Block.FLY,
            "a meeple boards the flying machine of the tile just placed: its kind (meeple, large, "
            "abbot, mayor, wagon, phantom)",
            _n_fliers,
            _fly,
        ),
    ),
    planes=(
        Planes(
            Plane.FLIER,
            ("flight row", "flight column"),
            "from the flying machine of the tile a flight goes on in this row and column",
            "1: up, left; 2: in the same; 3: down, right",
        ),
    ),
    outcomes=dict(zip(OUTCOMES, DISTANCES, strict=True)),
    numbers=_numbers,
    meanings=tuple(
        (f"{kind.name.lower()} flies", f"1: {kind.name.lower()} has to land")
        for kind in Figure
        if kind < Figure.BUILDER
    ),
    set_switches=_set_switches,
    text=Text(("flies",), _read, _write),
    record=Record(_of_record, _into_record),
    check=_check,
)
