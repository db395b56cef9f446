"""The River."""

from __future__ import annotations

from typing import Any

from carc_env.engine.core.codes import Plane
from carc_env.engine.core.tiles import SIDES
from carc_env.rules import Rules
from carc_env.systems.declaring import Planes, System


def _set_switches(record: Any, rules: Rules) -> None:
    record.clear_ahead = rules.river_uturn == "clear_ahead"


RIVER = System(
    name="river",
    is_on=lambda rules: rules.has_river,
    switches=("river_uturn",),
    planes=(
        Planes(Plane.RIVER, tuple(f"river {side}" for side in SIDES), "the river runs to the side"),
    ),
    set_switches=_set_switches,
)
