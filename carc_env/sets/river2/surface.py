"""The River II: a river that forks, with a pig-herd and an inn."""

from __future__ import annotations

from typing import Any

from carc_env.engine.core.codes import Plane
from carc_env.rules import Rules
from carc_env.systems.declaring import Planes, System


def _set_switches(record: Any, rules: Rules) -> None:
    record.pig_herd = rules.has_pig_herd
    record.pig_herd_for_barns = rules.has_pig_herd and rules.house_pigherd_barn
    record.river_bars_abbeys = rules.has_forked_river and rules.abbey_during_river == "forbid"


RIVER_2 = System(
    name="river-2",
    is_on=lambda rules: rules.has_forked_river,
    switches=("pigherd_needs_traders", "abbey_during_river", "house_pigherd_barn"),
    planes=(
        Planes(Plane.PIG_HERD, ("pig-herd",), "the pig-herd is on the tile, in its larger field"),
    ),
    set_switches=_set_switches,
)
