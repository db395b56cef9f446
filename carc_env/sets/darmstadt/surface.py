"""Darmstadt: churches and the Darmstadtium."""

from __future__ import annotations

from typing import Any

from carc_env.engine.core.codes import Plane
from carc_env.rules import Rules
from carc_env.systems.declaring import Planes, System


def _set_switches(record: Any, rules: Rules) -> None:
    record.darmstadt = rules.darmstadt
    record.church_consoles = not rules.count_ignores_church


DARMSTADT = System(
    name="darmstadt",
    is_on=lambda rules: rules.darmstadt,
    switches=("darmstadt", "darmstadt_out", "count_ignores_church"),
    planes=(
        Planes(
            Plane.DARMSTADT,
            ("darmstadt",),
            "the tile shows a building of Darmstadt",
            "1 for a church, 2 for the Darmstadtium",
        ),
    ),
    set_switches=_set_switches,
)
