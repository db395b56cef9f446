"""Progress bars, or lines of progress where there is no terminal."""

from __future__ import annotations

import time
from typing import Any

from rich.progress import Progress, TaskID

SECONDS_BETWEEN_LINES = 30
"""Seconds between lines of progress if there is no terminal for a bar."""


class Bar(Progress):
    """A progress bar; without a terminal, it prints a line from time to time."""

    _told = 0.0

    def start(self) -> None:
        """Start showing progress."""
        self._told = time.monotonic()
        super().start()

    def update(self, task_id: TaskID, **changes: Any) -> None:
        """Apply changes to a task, as in ``rich``."""
        super().update(task_id, **changes)
        now = time.monotonic()
        shows_bar = self.console.is_terminal and not self.console.is_dumb_terminal
        if shows_bar or now < self._told + SECONDS_BETWEEN_LINES:
            return
        self._told = now
        (task,) = (task for task in self.tasks if task.id == task_id)
        left = "" if task.time_remaining is None else f", {task.time_remaining:,.0f} s left"
        self.console.print(f"{task.completed:,.0f} of {task.total:,.0f} {task.description}{left}")
