"""Siege: besieged cities, and knights who escape from them."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from carc_env.engine.core.codes import (
    N_MEEPLES,
    SIDE_SPOTS,
    Block,
    Figure,
    Phase,
    Plane,
)
from carc_env.position import Position
from carc_env.rules import Rules
from carc_env.systems.declaring import Actions, Choice, Planes, Question, System
from carc_env.words import SEATS, format_cell


def _escape(k: int, _: Rules) -> Choice:
    figure, side = divmod(k, len(SIDE_SPOTS))
    return Choice("escape", figure=Figure(figure), spot=SIDE_SPOTS[side])


def _set_switches(record: Any, rules: Rules) -> None:
    record.siege = rules.siege
    record.siege_without_pigs = rules.siege_field_double == "base_only"
    record.escapes_anywhere = rules.siege_escape == "any_tile"
    record.escapes_last = rules.escape_per == "turn"


def _check(_: npt.NDArray[Any], position: Position, n_legal: int) -> None:
    seat, phase = SEATS[position.turn_player], position.phase
    if phase == Phase.ESCAPE and n_legal < 2:
        raise ValueError(f"no knight of {seat} can escape from a besieged city (SIE-09, SIE-10)")
    if phase == Phase.ESCAPE_SPOT and n_legal == 0:
        where = format_cell(position.chosen_cell) if position.chosen_cell else "no tile"
        raise ValueError(f"no knight of {seat} can escape from {where} (SIE-10)")
    if phase in (Phase.ESCAPE, Phase.ESCAPE_SPOT) and _is_early(position):
        raise ValueError(
            "[extended]: a second part of the turn follows, and with escape_per='turn' knights "
            "escape at the end of it (SIE-15)"
        )


def _is_early(position: Position) -> bool:
    return position.rules.escape_per == "turn" and position.has_extended


SIEGE = System(
    name="siege",
    is_on=lambda rules: rules.siege,
    switches=("siege", "siege_tiles", "siege_field_double", "siege_escape", "escape_per"),
    questions=(
        Question(
            Phase.ESCAPE,
            "escapes",
            "ESCAPE FROM A SIEGE",
            "turn player",
            asks="Does one of your knights escape from a besieged city, and from which tile?",
        ),
        Question(
            Phase.ESCAPE_SPOT,
            "escapes from",
            "ESCAPE FROM A SIEGE",
            "turn player",
            about="chosen_cell",
            asks="Which knight on that tile escapes?",
        ),
    ),
    actions=(
        Actions(
            Block.ESCAPE,
            "free a knight on the chosen tile: its kind (meeple, large, abbot, mayor, wagon, "
            "phantom) times the first side of its city",
            lambda _: N_MEEPLES * len(SIDE_SPOTS),
            _escape,
        ),
    ),
    planes=(Planes(Plane.SIEGE, ("siege",), "the tile shows an army, which besieges its city"),),
    set_switches=_set_switches,
    check=_check,
)
