"""Moving a figure to or from anywhere on the board: choose a cell, then what happens there."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from carc_env.engine.core.codes import (
    FIGURE_SPOTS,
    N_MEEPLES,
    Block,
    Figure,
    Phase,
    Plane,
)
from carc_env.position import Position
from carc_env.rules import Rules
from carc_env.systems.declaring import (
    Actions,
    Anchor,
    Choice,
    Fields,
    Planes,
    Question,
    Record,
    System,
)
from carc_env.systems.places import cell_if_any, cell_of


def _remove(k: int, _: Rules) -> Choice:
    return Choice("remove", (0, 0), spot=FIGURE_SPOTS[Figure.MEEPLE][k])


def _remove_one(k: int, rules: Rules) -> Choice:
    spots = rules.shared_spots
    whom, place = divmod(k, len(spots))
    seat, kind = divmod(whom, N_MEEPLES)
    return Choice("remove one", (0, 0), figure=Figure(kind), spot=spots[place], seat=seat)


def _of_record(states: npt.NDArray[Any], i: int) -> Fields:
    cell = int(states[i].chosen_cell)
    return {"chosen_cell": cell_if_any(cell)}


def _into_record(states: npt.NDArray[Any], position: Position) -> None:
    cell = position.chosen_cell
    if cell is None:
        return
    if cell not in {(tile.x, tile.y) for tile in position.tiles}:
        raise ValueError(f"no tile lies at the chosen cell {cell}")
    states[0].chosen_cell = cell_of(*cell)


def _acts_elsewhere(rules: Rules) -> bool:
    return rules.acts_elsewhere


def _set_switches(record: Any, rules: Rules) -> None:
    record.acts_elsewhere = rules.acts_elsewhere
    record.shares_spots = bool(rules.shared_spots)


def _check(_: npt.NDArray[Any], position: Position, n_legal: int) -> None:
    if position.phase == Phase.ELSEWHERE and n_legal == 0:
        raise ValueError(f"there is no action at {position.chosen_cell}")


ELSEWHERE = System(
    name="princess-dragon",
    is_on=lambda rules: rules.chooses_cells,
    switches=(),
    questions=(
        Question(
            Phase.ELSEWHERE,
            "acts at",
            "ACT ON THE TILE",
            "turn player",
            when=_acts_elsewhere,
            about="chosen_cell",
            asks="What do you do on that tile?",
        ),
    ),
    actions=(
        Actions(
            Block.REMOVE,
            "send home the meeple on a spot of the chosen tile",
            lambda rules: len(rules.spots_of(Figure.MEEPLE)),
            _remove,
            Anchor.CHOSEN,
            when=_acts_elsewhere,
        ),
        Actions(
            Block.REMOVE_ONE,
            "send home one of the meeples that share a spot of the chosen tile: its owner, "
            "clockwise from the decider, times its kind (meeple, large, abbot, mayor, wagon, "
            "phantom) times the spot: a side or the centre; with corn circles, any",
            lambda rules: rules.n_players * N_MEEPLES * len(rules.shared_spots),
            _remove_one,
            Anchor.CHOSEN,
            word="remove",
            when=lambda rules: bool(rules.shared_spots) and (rules.towers or rules.princesses),
        ),
    ),
    planes=(Planes(Plane.ELSEWHERE, ("chosen",), "the tile chosen for a figure action"),),
    set_switches=_set_switches,
    record=Record(_of_record, _into_record),
    check=_check,
)
