"""Bridges."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy.typing as npt

from carc_env.engine.core.codes import LAST_OF_PLACEMENT, Block, Phase, Plane, Stock
from carc_env.engine.core.tiles import AXES
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
    Supply,
    System,
    Text,
)
from carc_env.systems.stock import check_stock, check_sum, put_in_hand, stock_in_hand, stock_text
from carc_env.words import Page

PLACES = ((0, 0), (0, -1), (1, 0), (0, 1), (-1, 0))
"""Steps to the tiles that can carry a bridge: the tile just placed and its four neighbours."""


def _bridge(k: int, _: Rules) -> Choice:
    place, axis = divmod(k, len(AXES))
    return Choice("bridge", PLACES[place], axis=AXES[axis])


def _is_asked_later(rules: Rules) -> bool:
    return rules.bridge_timing == "any_time_before_scoring"


def _set_switches(record: Any, rules: Rules) -> None:
    record.one_bridge_a_turn = rules.bridge_limit == "per_turn"
    record.late_bridges = _is_asked_later(rules)


def _each(rules: Rules) -> int:
    return rules.bridges_each


_IN_HAND = stock_text("bridges", _each)


def _read(page: Page) -> Fields:
    return {**_IN_HAND.read(page), "has_bridged": page.flag("bridged")}


def _write(position: Position) -> Iterator[str]:
    yield from _IN_HAND.write(position)
    if position.has_bridged:
        yield "bridged"


def _of_record(states: npt.NDArray[Any], i: int) -> Fields:
    s = states[i]
    return {"bridges": stock_in_hand(s, Stock.BRIDGE), "has_bridged": bool(s.has_bridged)}


def _into_record(states: npt.NDArray[Any], position: Position) -> None:
    each = _each(position.rules)
    check_stock("bridges", position.bridges, each, position.rules)
    n_laid = sum(tile.bridge is not None for tile in position.tiles)
    check_sum("bridges", position.bridges, n_laid, each)
    put_in_hand(states, Stock.BRIDGE, position.bridges)
    states[0].has_bridged = position.has_bridged


def _check(_: npt.NDArray[Any], position: Position, n_legal: int) -> None:
    if position.has_bridged and not _has_bridge_of_turn(position):
        raise ValueError(
            "[bridged], but no bridge is on or beside the tile placed in this turn (BRI-03)"
        )
    if position.phase == Phase.BRIDGE and n_legal < 2:
        raise ValueError("no bridge can be built")


def _has_bridge_of_turn(position: Position) -> bool:
    """Return whether there is a bridge where one could be built in this turn (BRI-05)."""
    placed = [] if position.first_part is None else [position.first_part]
    if Phase.FIGURE <= position.phase <= LAST_OF_PLACEMENT:
        placed.append((position.tiles[-1].x, position.tiles[-1].y))
    near = {(x + dx, y + dy) for x, y in placed for dx, dy in PLACES}
    return any(tile.bridge and (tile.x, tile.y) in near for tile in position.tiles)


BRIDGES = System(
    name="bridges",
    is_on=lambda rules: rules.bridges,
    switches=("bridges", "bridge_timing", "bridge_limit"),
    questions=(
        Question(
            Phase.BRIDGE,
            "bridges",
            "BUILD A BRIDGE",
            "turn player",
            when=_is_asked_later,
            asks="Do you build a bridge?",
        ),
    ),
    actions=(
        Actions(
            Block.BRIDGE,
            "build a bridge, `NS` or `EW`, on the tile just placed or its neighbour N, E, S or W",
            lambda _: len(PLACES) * len(AXES),
            _bridge,
            Anchor.LAST_TILE,
        ),
    ),
    planes=(
        Planes(
            Plane.BRIDGE,
            ("bridge NS", "bridge EW"),
            "a bridge over the tile, which also counts as a road at its sides",
        ),
    ),
    supplies=(Supply(Stock.BRIDGE, "bridges", _each, _each, "bridge"),),
    numbers=lambda _: ("bridged",),
    meanings=(("bridged", "1: the bridge of this placement (or turn) is built"),),
    set_switches=_set_switches,
    text=Text(("bridges", "bridged"), _read, _write),
    record=Record(_of_record, _into_record),
    check=_check,
)
