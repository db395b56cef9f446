"""The Flying Machines: boarding, the die and the landing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from carc_env.engine import entry
from carc_env.engine.core.codes import Block, Figure, Outcome, Phase, Plane
from carc_env.engine.flow.legal import MAX_LEGAL
from carc_env.position import Position
from carc_env.rules import Rules
from carc_env.sets.flier.record import (
    COLUMN_STEPS,
    DIRECTION,
    DISTANCES,
    NO_MACHINE,
    NOBODY,
    ROW_STEPS,
)
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
from carc_env.systems.places import design_of
from carc_env.words import FIGURE_OF, NotationError, Page, format_cell

BASIC = (Figure.MEEPLE, Figure.LARGE)
"""Figures that fly if only basic figures do (FLY-12)."""
OUTCOMES = (Outcome.ONE_CELL, Outcome.TWO_CELLS, Outcome.THREE_CELLS)


def _n_fliers(rules: Rules) -> int:
    """Return how many meeple kinds have an action: those that fly come first."""
    return rules.n_meeples_named if rules.flier_figures == "all" else len(BASIC)


def fliers(rules: Rules) -> tuple[Figure, ...]:
    """Return the kinds of meeples that players have and that can fly (FLY-12)."""
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


def _is_on_way(position: Position) -> bool:
    """Return whether the machine on the tile just placed leads to the chosen cell (FLY-04)."""
    last, cell = position.tiles[-1], position.chosen_cell
    direction = int(DIRECTION[design_of(last.tile), last.rotation])
    if direction == NO_MACHINE or cell is None:
        return False
    dx, dy = COLUMN_STEPS[direction], ROW_STEPS[direction]
    return cell in {(last.x + k * dx, last.y + k * dy) for k in DISTANCES}


def _into_record(states: npt.NDArray[Any], position: Position) -> None:
    kind, is_asked = position.flies, position.phase == Phase.LANDING
    if is_asked != (kind is not None):
        raise ValueError("[flies ...] goes with a turn that lands: write both, or neither (FLY-06)")
    if kind is None:
        return
    if not position.rules.flier or kind not in fliers(position.rules):
        raise ValueError(f"[flies {kind.name.lower()}]: no such figure flies (FLY-12)")
    if not _is_on_way(position):
        raise ValueError(
            "no machine on the tile just placed leads to where a meeple lands (FLY-04)"
        )
    states[0].flies = kind
    least = 2 if position.rules.flier_landing == "may" else 1
    if entry.legal(states, 0, np.empty(MAX_LEGAL, np.int64)) < least:
        where = format_cell(position.chosen_cell or (0, 0))
        raise ValueError(f"the flying figure can land nowhere at {where} (FLY-06, FLY-08)")


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
            "put a meeple into the flying machine of the tile just placed: its kind (meeple, "
            "large, abbot, mayor, wagon, phantom)",
            _n_fliers,
            _fly,
        ),
    ),
    planes=(
        Planes(
            Plane.FLIER,
            ("flight row", "flight column"),
            "the direction in which a meeple flies from the flying machine of the tile",
            "1: up or left; 2: same row or column; 3: down or right",
        ),
    ),
    outcomes=dict(zip(OUTCOMES, DISTANCES, strict=True)),
    brought={"fly": "rolls"},
    numbers=_numbers,
    meanings=tuple(
        (f"{kind.name.lower()} flies", "1: this figure must land")
        for kind in Figure
        if kind < Figure.BUILDER
    ),
    set_switches=_set_switches,
    text=Text(("flies",), _read, _write),
    record=Record(_of_record, _into_record),
)
