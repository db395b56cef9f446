"""Traders & Builders: trade goods."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy.typing as npt

from carc_env.engine.core.codes import Good, Plane, Stock
from carc_env.engine.core.sizes import MAX_BAG
from carc_env.position import Position
from carc_env.rules import Rules
from carc_env.systems.declaring import Fields, Planes, Record, Supply, System, Text
from carc_env.systems.stock import put_in_hand, stock_in_hand
from carc_env.words import Page, format_scores

GOODS_SHOWN_AS_ONE = 10
NAMES = tuple(good.name.lower() for good in Good)


def _set_switches(record: Any, rules: Rules) -> None:
    record.goods = rules.goods


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
        raise ValueError("seats have trade goods, but the rules have none")
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
        Supply(Stock(Stock.WINE + good), name, lambda _: 0, lambda _: GOODS_SHOWN_AS_ONE, name)
        for good, name in zip(Good, NAMES, strict=True)
    ),
    set_switches=_set_switches,
    text=Text(NAMES, _read_goods, _write_goods),
    record=Record(_goods_of, _set_goods),
)
