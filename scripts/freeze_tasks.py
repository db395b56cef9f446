"""Freeze new tasks: write their frozen data into ``carc_env/tasks.json``.

    python scripts/freeze_tasks.py            new tasks
    python scripts/freeze_tasks.py --check    only check that frozen tasks are unchanged

A frozen task is never rewritten: a change requires a task with a new name.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tyro

from carc_env import freezing
from carc_env.envs.text import tasks as text_tasks
from carc_env.envs.text.tasks import TEXT_TASKS
from carc_env.game.records import replace_file
from carc_env.tasks import FROZEN, TASKS, frozen_tasks

FILE = Path(__file__).resolve().parents[1] / "carc_env" / FROZEN


def main(check: bool = False) -> int:
    """Freeze new tasks; return 1 if a frozen task has changed.

    Parameters
    ----------
    check : bool
        Write nothing.
    """
    frozen, changed = {**frozen_tasks()}, False
    kinds: tuple[tuple[Mapping[str, Any], Any], ...] = ((TASKS, freezing), (TEXT_TASKS, text_tasks))
    for name in [name for name in frozen if name not in {**TASKS, **TEXT_TASKS}]:
        print(f"{name} is frozen, but the task no longer exists")
        changed = True
    for name, task, how in ((*pair, how) for tasks, how in kinds for pair in tasks.items()):
        if name not in frozen:
            if not check:
                frozen[name] = how.frozen_of(task)
            print(f"{name} {'is not frozen' if check else frozen[name]['fingerprint']}")
        for difference in how.differences(task, frozen[name]) if name in frozen else ():
            print(f"{name} has changed, make a new version of it: {difference}")
            changed = True
    if not check and not changed:
        frozen = {name: frozen[name] for tasks, _ in kinds for name in tasks}
        replace_file(FILE, (json.dumps(frozen, indent=1) + "\n").encode())
    return int(changed)


if __name__ == "__main__":
    sys.exit(tyro.cli(main, description=__doc__))
