"""Traders & Builders: builders and the second part of a turn, pigs, trade goods."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy.typing as npt

from carc_env.engine.core.codes import Figure, Good, Plane, Stock
from carc_env.engine.core.state import MAX_BAG
from carc_env.position import Position
from carc_env.rules import Rules
from carc_env.systems.declaring import Fields, Planes, Record, Supply, System, Text
from carc_env.systems.places import cell_of_tile, tile_on
from carc_env.systems.stock import put_in_hand, stock_in_hand
from carc_env.words import CELL, NotationError, Page, format_cell, format_scores, parse_cell

GOODS_SHOWN_AS_ONE = 10
NAMES = tuple(good.name.lower() for good in Good)


def _set_switches(record: Any, rules: Rules) -> None:
    record.goods = rules.goods


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
    figures=(Figure.BUILDER,),
    numbers=lambda _: ("second part", "extended"),
    meanings=(
        ("second part", "1: this is the second part of the turn"),
        ("extended", "1: a second part follows this placement"),
    ),
    text=Text(("second", "extended"), _read_parts, _write_parts),
    record=Record(_parts_of, _set_parts),
)

PIGS = System(
    name="traders",
    is_on=lambda rules: rules.pigs,
    switches=("pigs",),
    figures=(Figure.PIG,),
)


def _read_goods(page: Page) -> Fields:
    by_kind = [page.stock(name, 0) for name in NAMES]
    nobody = (0,) * page.rules.n_players
    if page.rules.goods or any(by_kind):
        return {"goods": tuple(zip(*(tokens or nobody for tokens in by_kind), strict=True))}
    return {"goods": ()}


def _write_goods(position: Position) -> Iterator[str]:
    for good in Good:
        tokens = tuple(goods[good] for goods in position.goods)
        if any(tokens):
            yield f"{NAMES[good]} {format_scores(tokens)}"


def _goods_of(states: npt.NDArray[Any], i: int) -> Fields:
    by_kind = [stock_in_hand(states[i], Stock(Stock.WINE + good)) for good in Good]
    return {"goods": tuple(zip(*by_kind, strict=True))}


def _set_goods(states: npt.NDArray[Any], position: Position) -> None:
    rules = position.rules
    if position.goods and not rules.goods:
        raise ValueError("seats have trade goods, but none are in play")
    if len(position.goods) != rules.n_players * rules.goods:
        raise ValueError(f"goods of {len(position.goods)} seats for {rules.n_players} players")
    for seat, tokens in enumerate(position.goods):
        if any(not 0 <= n <= MAX_BAG for n in tokens):
            raise ValueError(f"goods {tokens} of seat {seat} are out of range")
    for good in Good if position.goods else ():
        of_all = tuple(tokens[good] for tokens in position.goods)
        put_in_hand(states, Stock(Stock.WINE + good), of_all)


GOODS = System(
    name="traders",
    is_on=lambda rules: rules.goods,
    switches=("goods",),
    planes=(Planes(Plane.GOODS, NAMES, "the tile shows the symbol"),),
    supplies=tuple(
        Supply(Stock(Stock.WINE + good), NAMES[good], lambda _: 0, lambda _: GOODS_SHOWN_AS_ONE)
        for good in Good
    ),
    set_switches=_set_switches,
    text=Text(NAMES, _read_goods, _write_goods),
    record=Record(_goods_of, _set_goods),
)
