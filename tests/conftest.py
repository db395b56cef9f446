"""Shared fixtures and hooks: numbers of games, and the tests left for `make check`.

A plain ``pytest`` runs the same tests as ``make test``: all except the ``long`` ones, compiled. The
markers in ``pyproject.toml`` explain which tests run when.
"""

import gc
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from carc_env.engine import entry
from carc_env.engine.compiler.jit import BOUNDS_CHECK, JIT

# If triton is installed, torch imports it with the first optimiser, only to check that it exists.
# Triton's own LLVM has crashed in a process that had run some thousand tests of compiled kernels.
sys.modules["triton"] = None  # type: ignore[assignment]

# OpenSpiel imports absl, whose log handler would close pytest's own stream when uvicorn sets up its
# logging.
with suppress(ImportError):
    from absl import logging as absl_logging

    absl_logging.get_absl_handler().python_handler.stream = sys.__stderr__

INTERPRETED_SHARE = 1_000
BOUNDS_CHECK_SHARE = 4

QUICK = "not long"
"""Marker expression of a plain ``pytest``."""
LEFT = pytest.StashKey[dict[str, Any]]()


@pytest.fixture
def one_thread() -> Iterator[None]:
    """Limit torch to one thread, because other tests may keep the cores busy."""
    torch = pytest.importorskip("torch")
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def decks_of(monkeypatch: pytest.MonkeyPatch) -> Callable[..., set[int]]:
    """Return a function that plays with a seed and returns the seeds of all games begun."""
    begin = entry.begin

    def found(play: Callable[[int, list[int]], object], seed: int) -> set[int]:
        decks: list[int] = []

        def watched(states: Any, i: int, template: Any, deck: int) -> None:
            decks.append(int(deck))
            begin(states, i, template, deck)

        with monkeypatch.context() as patch:
            patch.setattr(entry, "begin", watched)
            play(seed, decks)
        return {*decks} - {0}  # environments create a table before they have a seed

    return found


def left_for_check(items: list[pytest.Item]) -> dict[str, Any]:
    """Count the tests left for `make check`: long tests by file, and tests that run again."""
    long = Counter(item.path.name for item in items if item.get_closest_marker("long"))
    quick = [item for item in items if not item.get_closest_marker("long")]
    return {
        "long": dict(long.most_common()),
        "interpreted": sum(1 for item in quick if item.get_closest_marker("interpreted")),
        "bounds": sum(1 for item in quick if not item.get_closest_marker("once")),
    }


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Count the tests before pytest deselects any; a worker sends its counts to the main process.

    Long tests come first, so that none starts when the other workers have nothing left to do.
    """
    items.sort(key=lambda item: item.get_closest_marker("long") is None)
    config.stash[LEFT] = left_for_check(items)
    if hasattr(config, "workeroutput"):
        config.workeroutput["left"] = config.stash[LEFT]


def pytest_collection_finish() -> None:
    """Exempt the thousands of collected tests from garbage collection."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Store the counts of a worker, unless it crashed or found nothing to collect."""
    if (left := getattr(node, "workeroutput", {}).get("left")) is not None:
        node.config.stash[LEFT] = left


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Report how many tests a quick run leaves for `make check`, and which."""
    left = config.stash.get(LEFT, None)
    if left is None or config.option.markexpr != QUICK:
        return
    terminalreporter.section("left for `make check`")
    files = ", ".join(f"{name} {n}" for name, n in left["long"].items())
    terminalreporter.line(f"{sum(left['long'].values())} long tests: {files or 'none'}")
    terminalreporter.line(
        f"{left['interpreted']} of these tests again without the JIT, "
        f"{left['bounds']} with bounds checking"
    )
    terminalreporter.line(
        "what needs a browser (tests/browser), Ray (tests/ray) or JAX (its page), and format, "
        "style and types"
    )


@pytest.fixture(scope="session")
def n_games() -> Callable[[int], int]:
    """Return a function that plays fewer games without the JIT or with bounds checking."""

    def reduced(full: int) -> int:
        if not JIT:
            return max(1, full // INTERPRETED_SHARE)
        return max(1, full // BOUNDS_CHECK_SHARE) if BOUNDS_CHECK else full

    return reduced


@pytest.fixture
def short_path() -> Iterator[Path]:
    """Create a folder whose path fits into an agent name, which has at most 100 characters."""
    with TemporaryDirectory() as name:
        yield Path(name)
