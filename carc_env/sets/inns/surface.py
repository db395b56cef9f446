"""Inns & Cathedrals: large meeples, and inns and cathedrals that count."""

from __future__ import annotations

from typing import Any

from carc_env.engine.core.codes import Figure, Plane
from carc_env.engine.core.tiles import SIDES
from carc_env.rules import Rules
from carc_env.sets.inns.record import ALL_INNS, NO_INNS, RIVER_INNS
from carc_env.systems.declaring import Planes, Stance, System


def _set_switches(record: Any, rules: Rules) -> None:
    alone = RIVER_INNS if rules.has_bonuses else NO_INNS
    record.inns = ALL_INNS if rules.inns else alone


LARGE_MEEPLES = System(
    name="inns",
    is_on=lambda rules: rules.large_meeples,
    switches=("large_meeples",),
    figures={
        Figure.LARGE: Stance(
            "a spot of the tile just placed", values="1; 2", shows="a large meeple; one on a field"
        )
    },
)

INNS = System(
    name="inns",
    is_on=lambda rules: rules.has_bonuses,
    switches=("inns", "river_inn_needs_inns"),
    planes=(
        Planes(
            Plane.BONUS,
            tuple(f"bonus {side}" for side in SIDES),
            "the road at the side has an inn, or the city a cathedral, anywhere on it",
        ),
    ),
    set_switches=_set_switches,
)
