"""The Watchtowers: points for meeples near one when a road or city is completed."""

from __future__ import annotations

from typing import Any

from carc_env.engine.core.codes import Plane
from carc_env.rules import Rules
from carc_env.systems.declaring import Planes, System


def _set_switches(record: Any, rules: Rules) -> None:
    record.watchtowers = rules.watchtowers


WATCHTOWERS = System(
    name="watchtowers",
    is_on=lambda rules: rules.watchtowers,
    switches=("watchtowers",),
    planes=(
        Planes(
            Plane.WATCHTOWER,
            (
                "watches meeples",
                "watches coats of arms",
                "watches monasteries",
                "watches cities",
                "watches roads",
            ),
            "the tile's watchtower counts this on and around the tile",
            "points for each",
        ),
    ),
    set_switches=_set_switches,
)
