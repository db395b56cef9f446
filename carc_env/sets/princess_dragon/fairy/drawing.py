"""The fairy: on a tile, or beside a meeple, including one on a tower or in a trap."""

from __future__ import annotations

from collections.abc import Iterator

from carc_env.position import Position
from carc_env.render.declaring import Drawing
from carc_env.render.pieces import Piece, around
from carc_env.render.shapes import SIZE, Point
from carc_env.render.sites import stand_on_board
from carc_env.render.symbols import symbol
from carc_env.sets.russian_promos.drawing import trap_at
from carc_env.sets.tower.drawing import top_at

SPOT: Point = (22.0, 24.0)
RADIUS = 13.0
BESIDE: Point = (13.0, -9.0)
"""Offset from a meeple to the fairy beside it."""


def _above(position: Position) -> Iterator[Piece]:
    if position.fairy is None:
        return
    x, y = (SIZE * k + d for k, d in zip(position.fairy, SPOT, strict=True))
    if position.fairy_beside is not None:
        x, y = stand_on_board(position, position.fairy, position.fairy_beside)
        x, y = x + BESIDE[0], y + BESIDE[1]
    if position.fairy_on_top:
        in_trap = trap_at(position, position.fairy)
        x, y = top_at(position, position.fairy) if in_trap is None else in_trap
        x -= BESIDE[0]
    yield Piece(symbol("fairy", (x, y), RADIUS), around(x, y, RADIUS + 2))


def _state(position: Position) -> str:
    if position.fairy is None:
        return ""
    beside = "" if position.fairy_beside is None else f" {position.fairy_beside.name}"
    if position.fairy_on_top:
        is_in_trap = trap_at(position, position.fairy) is not None
        beside += " in the trap" if is_in_trap else " on the tower"
    return "; fairy at {},{}".format(*position.fairy) + beside


DRAWING = Drawing(moves=True, above=_above, state=_state)
