"""Corn Circles: what all players do with their farmers, thieves or knights."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy.typing as npt

from carc_env.engine.core.codes import N_MEEPLES, N_SPOTS, Block, Figure, Phase, Plane, Spot
from carc_env.position import Position
from carc_env.rules import Rules
from carc_env.systems.declaring import (
    Actions,
    Choice,
    Fields,
    Planes,
    Question,
    System,
    Text,
)
from carc_env.words import SEATS, NotationError, Page, format_cell, parse_seat

ASKS_ALL = (Phase.SOW, Phase.SOW_SPOT, Phase.REAP, Phase.REAP_SPOT)
"""Questions that the seats answer one after the other (CRN-05)."""


def _reap(k: int, _: Rules) -> Choice:
    figure, spot = divmod(k, N_SPOTS)
    return Choice("reap", figure=Figure(figure), spot=Spot(spot))


def _set_switches(record: Any, rules: Rules) -> None:
    record.crop_circles = rules.crop_circles
    record.lays_fields = rules.room.crop_circles
    record.must_sow = rules.crop_add == "must"


def _read(page: Page) -> Fields:
    if (page.phase in ASKS_ALL) != ((found := page.find("circle")) is not None):
        raise NotationError(
            page.turn_line,
            "[circle ...] goes with a turn that sows or reaps: write both, or neither",
        )
    return {"decider": parse_seat(found[1], found[0])} if found else {}


def _write(position: Position) -> Iterator[str]:
    if position.phase in ASKS_ALL:
        yield f"circle {SEATS[position.decider]}"


def _is_anybody_out(position: Position) -> bool:
    """Return whether a meeple is on the board or on a tower."""
    is_on_tower = any(tower.seat is not None for tower in position.towers)
    return is_on_tower or any(figure.figure < N_MEEPLES for figure in position.figures)


def _check(_: npt.NDArray[Any], position: Position, n_legal: int) -> None:
    seat, phase = SEATS[position.decider], position.phase
    least = 2 if phase == Phase.SOW and position.rules.crop_add == "may" else 1
    if phase in (Phase.SOW, Phase.REAP) and n_legal < least:
        raise ValueError(
            f"{seat} has no meeple that the corn circle affects, or none to add (CRN-09)"
        )
    if phase in (Phase.SOW_SPOT, Phase.REAP_SPOT) and n_legal == 0:
        where = format_cell(position.chosen_cell) if position.chosen_cell else "no tile"
        raise ValueError(f"{seat} has no meeple at {where} that the corn circle affects (CRN-07)")
    if phase == Phase.CIRCLE and not _is_anybody_out(position):
        raise ValueError("no meeple is on the board, so nobody is asked about the circle (CRN-04)")


CORN_CIRCLES = System(
    name="corn-circles",
    is_on=lambda rules: rules.crop_circles,
    switches=("crop_circles", "crop_circle_tiles", "crop_add"),
    questions=(
        Question(
            Phase.CIRCLE,
            "circles",
            "THE CORN CIRCLE",
            "turn player",
            asks="Does everybody add a meeple beside one of theirs, or take one back?",
        ),
        Question(
            Phase.SOW,
            "sows",
            "ADD A MEEPLE",
            "every player with meeples there and in the supply, the turn player last",
            asks="Do you add a meeple beside one of yours, and on which tile?",
        ),
        Question(
            Phase.SOW_SPOT,
            "sows at",
            "ADD A MEEPLE",
            "player who chose the tile",
            about="chosen_cell",
            asks="Which meeple comes to that tile, and beside which of yours?",
        ),
        Question(
            Phase.REAP,
            "reaps",
            "TAKE A MEEPLE BACK",
            "every player with meeples there, the turn player last",
            asks="From which tile do you take a meeple back?",
        ),
        Question(
            Phase.REAP_SPOT,
            "reaps at",
            "TAKE A MEEPLE BACK",
            "player who chose the tile",
            about="chosen_cell",
            asks="Which meeple on that tile do you take back?",
        ),
    ),
    actions=(
        Actions(Block.ALL_SOW, "let every player add a meeple beside one of theirs"),
        Actions(Block.ALL_REAP, "make every player take a meeple back"),
        Actions(
            Block.REAP,
            "take back a meeple on the chosen tile: its kind (meeple, large, abbot, mayor, wagon, "
            "phantom) times the spot of its segment",
            lambda _: N_MEEPLES * N_SPOTS,
            _reap,
        ),
    ),
    planes=(
        Planes(
            Plane.CIRCLE,
            ("circle",),
            "the tile shows a corn circle",
            "1 for farmers, 2 for thieves, 3 for knights",
        ),
    ),
    set_switches=_set_switches,
    text=Text(("circle",), _read, _write),
    check=_check,
)
