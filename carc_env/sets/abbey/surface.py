"""Abbeys, which players place instead of drawing a tile."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy.typing as npt

from carc_env.engine.core.codes import LAST_OF_PLACEMENT, Phase, Plane, Stock
from carc_env.engine.core.state import NO_ROUND
from carc_env.engine.core.tiles import ABBEY
from carc_env.position import Position
from carc_env.rules import Rules
from carc_env.sets.abbey.record import LOST, ONE_ROUND, UNTIL_BLOCKED
from carc_env.systems.declaring import Fields, Planes, Question, Record, Supply, System, Text
from carc_env.systems.stock import check_stock, check_sum, put_in_hand, stock_in_hand, stock_text
from carc_env.words import COUNT, SEATS, NotationError, Page, format_cell

ABBEY_ENDGAME = {"one_round": ONE_ROUND, "until_blocked": UNTIL_BLOCKED, "none": LOST}


def _set_abbey_switches(record: Any, rules: Rules) -> None:
    record.abbey_endgame = ABBEY_ENDGAME[rules.abbey_endgame]


_IN_HAND = stock_text("abbeys", lambda rules: int(rules.abbeys))


def _read_abbeys(page: Page) -> Fields:
    fields: Fields = {**_IN_HAND.read(page), "last_round": None}
    if found := page.find("last"):
        line, text = found
        if not (match := re.fullmatch(f"round ({COUNT})", text)):
            raise NotationError(line, f"expected [last round 2], found 'last {text}'")
        fields["last_round"] = int(match[1])
    return fields


def _write_abbeys(position: Position) -> Iterator[str]:
    yield from _IN_HAND.write(position)
    if position.last_round is not None:
        yield f"last round {position.last_round}"


def _abbeys_of(states: npt.NDArray[Any], i: int) -> Fields:
    s = states[i]
    is_on = s.last_round != NO_ROUND and s.phase != Phase.GAME_OVER
    return {
        "abbeys": stock_in_hand(s, Stock.ABBEY),
        "last_round": int(s.last_round) if is_on else None,
    }


def _set_abbeys(states: npt.NDArray[Any], position: Position) -> None:
    rules = position.rules
    each = int(rules.abbeys)
    check_stock("abbeys", position.abbeys, each, rules)
    n_laid = sum(tile.tile == ABBEY["id"] for tile in position.tiles)
    check_sum("abbeys", position.abbeys, n_laid, each)
    put_in_hand(states, Stock.ABBEY, position.abbeys)
    if position.phase == Phase.GAME_OVER:
        states[0].last_round = 0
    if position.last_round is not None:
        if not 0 <= position.last_round < rules.n_players:
            raise ValueError(
                f"last round {position.last_round}: there are fewer seats than "
                "players left to place an abbey"
            )
        states[0].last_round = position.last_round


def _check_abbeys(_: npt.NDArray[Any], position: Position, n_legal: int) -> None:
    if position.phase == Phase.DRAW_OR_ABBEY and n_legal < 2:
        raise ValueError(
            "no abbey can be placed: there is no hole, or the player has no abbey in hand"
        )
    last, seat = position.tiles[-1], position.turn_player
    is_just_placed = Phase.FIGURE <= position.phase <= LAST_OF_PLACEMENT
    if last.tile == ABBEY["id"] and is_just_placed and position.abbeys[seat]:
        raise ValueError(
            f"{SEATS[seat]} has just placed the abbey at {format_cell((last.x, last.y))} and has "
            "none left in hand: correct [abbeys ...] (ABB-01, ABB-06)"
        )


ABBEYS = System(
    name="abbey",
    is_on=lambda rules: rules.abbeys,
    switches=("abbeys", "abbey_endgame"),
    questions=(
        Question(
            Phase.DRAW_OR_ABBEY,
            "begins",
            "ABBEY OR DRAW",
            "turn player",
            passing="draw",
            asks="Place your abbey in a hole of the board, or draw a tile?",
        ),
    ),
    planes=(Planes(Plane.ABBEY, ("abbey",), "an abbey lies here"),),
    supplies=(Supply(Stock.ABBEY, "abbeys", lambda _: 1, lambda _: 1, "abbey"),),
    numbers=lambda _: ("last round",),
    meanings=(("last round", "seats still to be asked in the last round, as a share of all"),),
    set_switches=_set_abbey_switches,
    text=Text(("abbeys", "last"), _read_abbeys, _write_abbeys),
    record=Record(_abbeys_of, _set_abbeys),
    check=_check_abbeys,
)
