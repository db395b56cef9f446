"""What all tests share: what is left for `make check`, and how many games to play.

A plain ``pytest`` runs what ``make test`` runs: all tests but the ``long`` ones, compiled. Marks in
``pyproject.toml`` say what else runs when.
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

# Where torch brings triton, it loads it with its first optimiser, only to see that it is there.
# Triton's own LLVM has crashed in a process that had run some thousand tests of compiled kernels.
sys.modules["triton"] = None  # type: ignore[assignment]

# OpenSpiel loads absl, whose log would close pytest's own stream when uvicorn sets up its logs.
with suppress(ImportError):
    from absl import logging as absl_logging

    absl_logging.get_absl_handler().python_handler.stream = sys.__stderr__

INTERPRETED_SHARE = 1_000
BOUNDS_CHECK_SHARE = 4

QUICK = "not long"
"""What pytest chooses by itself."""
LEFT = pytest.StashKey[dict[str, Any]]()


@pytest.fixture
def one_thread() -> Iterator[None]:
    """Let torch use one thread, since other tests may keep the cores busy."""
    torch = pytest.importorskip("torch")
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def decks_of(monkeypatch: pytest.MonkeyPatch) -> Callable[..., set[int]]:
    """The seeds of all games that something plays with a seed, each once."""
    begin = entry.begin

    def found(play: Callable[[int, list[int]], object], seed: int) -> set[int]:
        decks: list[int] = []

        def watched(states: Any, i: int, template: Any, deck: int) -> None:
            decks.append(int(deck))
            begin(states, i, template, deck)

        with monkeypatch.context() as patch:
            patch.setattr(entry, "begin", watched)
            play(seed, decks)
        return {*decks} - {0}  # environments make a table before there is a seed

    return found


def left_for_check(items: list[pytest.Item]) -> dict[str, Any]:
    """Count what `make check` runs: the long tests of each file, and tests that run again."""
    long = Counter(item.path.name for item in items if item.get_closest_marker("long"))
    quick = [item for item in items if not item.get_closest_marker("long")]
    return {
        "long": dict(long.most_common()),
        "interpreted": sum(1 for item in quick if item.get_closest_marker("interpreted")),
        "bounds": sum(1 for item in quick if not item.get_closest_marker("once")),
    }


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Count before pytest drops what is not chosen; a worker tells the process that reports.

    Long tests come first, so that none is begun when the other workers have nothing left to do.
    """
    items.sort(key=lambda item: item.get_closest_marker("long") is None)
    config.stash[LEFT] = left_for_check(items)
    if hasattr(config, "workeroutput"):
        config.workeroutput["left"] = config.stash[LEFT]


def pytest_collection_finish() -> None:
    """Spare the garbage collector the thousands of tests that were collected."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take over what a worker has counted, unless it crashed or found nothing to collect."""
    if (left := getattr(node, "workeroutput", {}).get("left")) is not None:
        node.config.stash[LEFT] = left


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Say how many tests a quick run leaves for `make check`, and which."""
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
    """Reduces a number of games where they are slow: without the JIT, with bounds checking."""

    def reduced(full: int) -> int:
        if not JIT:
            return max(1, full // INTERPRETED_SHARE)
        return max(1, full // BOUNDS_CHECK_SHARE) if BOUNDS_CHECK else full

    return reduced


@pytest.fixture
def short_path() -> Iterator[Path]:
    """Make a folder whose path fits into the name of an agent, which has at most 100 characters."""
    with TemporaryDirectory() as name:
        yield Path(name)
