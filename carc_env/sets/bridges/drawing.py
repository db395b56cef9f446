"""Bridges in hand, and where one may be built."""

from __future__ import annotations

from carc_env.engine.core.codes import Phase
from carc_env.position import Position
from carc_env.render.declaring import Drawing, Thing


def _can_build(position: Position) -> bool:
    """Return whether a figure may be placed and a bridge can still be built."""
    in_hand = position.bridges
    may_act = position.phase == Phase.FIGURE and not position.has_bridged
    return may_act and bool(in_hand) and in_hand[position.decider] > 0


def _task(position: Position) -> str:
    if position.phase == Phase.BRIDGE:
        return "may build a bridge"
    return "may place a figure or build a bridge" if _can_build(position) else ""


DRAWING = Drawing(
    thing=Thing("bridge", lambda position: position.bridges, lambda rules: rules.bridges_each),
    heading=lambda position: "FIGURE OR BRIDGE" if _can_build(position) else "",
    task=_task,
)
