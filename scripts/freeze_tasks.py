"""Freeze new tasks: write their frozen data into ``carc_env/tasks.json``.

    python scripts/freeze_tasks.py            new tasks
    python scripts/freeze_tasks.py --check    only check that frozen tasks are unchanged

A frozen task is never rewritten: a change requires a task with a new name.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import tyro

from carc_env.freezing import differences, frozen_of
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
    for name in [name for name in frozen if name not in TASKS]:
        print(f"{name} is frozen, but the task no longer exists")
        changed = True
    for name, task in TASKS.items():
        if name not in frozen:
            if not check:
                frozen[name] = frozen_of(task)
            print(f"{name} {'is not frozen' if check else frozen[name]['fingerprint']}")
        for difference in differences(task, frozen[name]) if name in frozen else ():
            print(f"{name} has changed, make a new version of it: {difference}")
            changed = True
    if not check and not changed:
        replace_file(FILE, (json.dumps(frozen, indent=1) + "\n").encode())
    return int(changed)


if __name__ == "__main__":
    sys.exit(tyro.cli(main, description=__doc__))
