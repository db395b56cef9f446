"""The Princess & the Dragon: magic portals."""

from __future__ import annotations

from typing import Any

from carc_env.rules import Rules
from carc_env.systems.declaring import System


def _set_portal_switches(record: Any, rules: Rules) -> None:
    record.portals = rules.portals


PORTALS = System(
    name="princess-dragon",
    is_on=lambda rules: rules.portals,
    switches=("portals",),
    set_switches=_set_portal_switches,
)
