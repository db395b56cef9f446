"""What tests cost, by file and by test: a plugin for pytest (``make costs``).

For each test it counts seconds, with its fixtures; seconds of processor time, of the processes that
it waited for too; processes that it started; and kernels that it compiled. A shared fixture counts
for the first test that asks for it. Kernels that a child compiles appear as processor time.
"""

from __future__ import annotations

import os
import sys
from collections import defaultdict
from operator import itemgetter

import pytest
from numba.core import event

N_FILES, N_TESTS = 60, 250
STARTS = ("subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn")
COLUMNS = ("seconds", "processor", "processes", "kernels")

Costs = tuple[float, float, float, float]
"""Numbers in the order of ``COLUMNS``."""

counts = dict.fromkeys(("processes", "kernels"), 0)


class Compiled(event.Listener):
    """Count the kernels that this process compiles."""

    def on_start(self, event: event.Event) -> None:
        counts["kernels"] += 1

    def on_end(self, event: event.Event) -> None:
        """The start is counted already."""


def note_start(name: str, _: tuple[object, ...]) -> None:
    """Count the processes that this process starts."""
    counts["processes"] += name in STARTS


def now() -> Costs:
    """Return what this process has used so far; its seconds come from the reports."""
    times = os.times()
    return (0, sum(times[:4]), counts["processes"], counts["kernels"])


def pytest_configure(config: pytest.Config) -> None:
    """Begin to count, in each process that runs tests."""
    sys.addaudithook(note_start)
    event.register("numba:compile", Compiled())
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Table())


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item):
    """Note what was used when a test begins."""
    item.stash[BEFORE] = now()
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item):
    """Write into each report what was used since the last one."""
    report = yield
    after = now()
    used = (
        report.duration,
        *(a - b for a, b in zip(after[1:], item.stash[BEFORE][1:], strict=True)),
    )
    item.stash[BEFORE] = after
    report.user_properties = [*report.user_properties, ("costs", used)]
    return report


BEFORE = pytest.StashKey[Costs]()


class Table:
    """Collect the reports of all processes and print the most expensive files and tests."""

    def __init__(self) -> None:
        self.by_file: dict[str, list[float]] = defaultdict(lambda: [0.0] * 4)
        self.by_test: dict[str, list[float]] = defaultdict(lambda: [0.0] * 4)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add one report to its file and to its test."""
        used = dict(report.user_properties)["costs"]
        for sums in (self.by_file[report.nodeid.partition("::")[0]], self.by_test[report.nodeid]):
            sums[:] = [total + cost for total, cost in zip(sums, used, strict=True)]

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print both tables, the most expensive first."""
        write = terminalreporter.write_line
        for title, rows, n in (("file", self.by_file, N_FILES), ("test", self.by_test, N_TESTS)):
            write("  ".join(f"{column:>9}" for column in COLUMNS) + f"  {title}")
            for name, costs in sorted(rows.items(), key=itemgetter(1), reverse=True)[:n]:
                numbers = (
                    f"{cost:9.1f}" if i < 2 else f"{cost:9.0f}" for i, cost in enumerate(costs)
                )
                write("  ".join(numbers) + f"  {name}")
            total = map(sum, zip(*rows.values(), strict=True))
            write("  ".join(f"{cost:9.0f}" for cost in total) + f"  all ({len(rows)})\n")
