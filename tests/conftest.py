"""What all tests share: how many games to play under which flags of the compiler."""

import sys
from collections.abc import Callable

import pytest

from carc_env.engine._jit import BOUNDS_CHECK, JIT

# Where torch brings triton, it loads it with its first optimiser, only to see that it is there.
# Triton's own LLVM has crashed in a process that had run some thousand tests of compiled kernels.
sys.modules["triton"] = None  # type: ignore[assignment]

INTERPRETED_SHARE = 4_000
BOUNDS_CHECK_SHARE = 20


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "needs_jit: takes too long without compiled kernels")
    config.addinivalue_line(
        "markers", "once: looks at nothing compiled, so it runs in the plain suite only"
    )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if not JIT and item.get_closest_marker("needs_jit"):
            item.add_marker(pytest.mark.skip(reason="takes too long without the JIT"))
        if (not JIT or BOUNDS_CHECK) and item.get_closest_marker("once"):
            item.add_marker(pytest.mark.skip(reason="runs in the plain suite"))


@pytest.fixture(scope="session")
def n_games() -> Callable[[int], int]:
    """Reduces a number of games where they are slow: without the JIT, with bounds checking."""

    def reduced(full: int) -> int:
        if not JIT:
            return max(1, full // INTERPRETED_SHARE)
        return max(1, full // BOUNDS_CHECK_SHARE) if BOUNDS_CHECK else full

    return reduced
