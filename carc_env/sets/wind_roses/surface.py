"""The Wind Roses: tiles that score in the quarter of the plane that they show."""

from __future__ import annotations

from typing import Any

from carc_env.engine.core.codes import Plane
from carc_env.rules import Rules
from carc_env.systems.declaring import Planes, System


def _set_switches(record: Any, rules: Rules) -> None:
    record.wind_roses = rules.wind_roses
    record.rose_bars = rules.wind_roses and not rules.count_ignores_rose


WIND_ROSES = System(
    name="wind-roses",
    is_on=lambda rules: rules.wind_roses,
    switches=("wind_roses", "rose_start", "count_ignores_rose"),
    planes=(
        Planes(
            Plane.WIND_ROSE,
            ("orange rose", "blue rose", "quarter"),
            "the tile shows the orange rose, the blue one, or a quarter of a rose",
            "where north is on a rose: 1 up, 2 right, 3 down, 4 left; 1 NE, 2 SE, 3 SW, 4 NW",
        ),
    ),
    set_switches=_set_switches,
)
