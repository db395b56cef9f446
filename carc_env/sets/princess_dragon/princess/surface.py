"""The Princess & the Dragon: princesses."""

from __future__ import annotations

from typing import Any

from carc_env.rules import Rules
from carc_env.sets.princess_dragon.princess.record import MAY_REMOVE, MUST_REMOVE, NO_PRINCESS
from carc_env.systems.declaring import System


def _set_princess_switches(record: Any, rules: Rules) -> None:
    action = MUST_REMOVE if rules.princess_action == "must" else MAY_REMOVE
    record.princesses = action if rules.princesses else NO_PRINCESS


PRINCESSES = System(
    name="princess-dragon",
    is_on=lambda rules: rules.princesses,
    switches=("princesses", "princess_action"),
    set_switches=_set_princess_switches,
)
