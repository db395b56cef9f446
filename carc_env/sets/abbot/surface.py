"""Gardens and the abbot."""

from __future__ import annotations

from typing import Any

from carc_env.engine.core.codes import Block, Figure
from carc_env.rules import Rules
from carc_env.systems.declaring import Actions, Stance, System


def _set_switches(record: Any, rules: Rules) -> None:
    record.abbot_recall_completed = rules.abbot_recall_completed == "allow"
    record.abbot_recall_second_part = rules.abbot_recall_second_part == "allow"


ABBOT = System(
    name="abbot",
    is_on=lambda rules: rules.abbot,
    switches=("abbot", "winter_gardens", "abbot_recall_completed", "abbot_recall_second_part"),
    figures={Figure.ABBOT: Stance("its monastery or garden")},
    actions=(Actions(Block.RECALL, "return your abbot to your supply"),),
    set_switches=_set_switches,
)
