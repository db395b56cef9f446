"""Wagons, those that wait for their owners, and the tile chosen for one."""

from __future__ import annotations

from carc_env.engine.core.codes import Figure, Phase
from carc_env.position import Position
from carc_env.render.declaring import Drawing


def _task(position: Position) -> str:
    if position.phase not in (Phase.WAGON, Phase.WAGON_SPOT):
        return ""
    wagon = position.wagons[0]
    task = f"moves the wagon from {wagon.x},{wagon.y} {wagon.spot.name}"
    if position.wagon_target is not None:
        task += " to {},{}".format(*position.wagon_target)
    return task


DRAWING = Drawing(
    brackets={Figure.WAGON: "[]"},
    waiting=lambda position: position.wagons,
    target=lambda position: position.wagon_target,
    task=_task,
)
