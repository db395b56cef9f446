"""Shrines, which heretics build beside monasteries."""

from __future__ import annotations

from typing import Any

from carc_env.engine.core.codes import Plane, Problem
from carc_env.rules import Rules
from carc_env.systems.declaring import Planes, System


def _set_switches(record: Any, rules: Rules) -> None:
    record.rivals = rules.shrines
    record.losers_move = rules.challenge_loser_wagon


SHRINES = System(
    name="shrines",
    is_on=lambda rules: rules.shrines,
    switches=("shrines", "cult_extra_tile", "challenge_loser_wagon"),
    planes=(Planes(Plane.SHRINE, ("shrine",), "a shrine is in the centre"),),
    problems={Problem.RIVALS: "a shrine or monastery has two rivals (CULT-03, CULT-04)"},
    set_switches=_set_switches,
)
