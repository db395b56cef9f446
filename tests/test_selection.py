"""Which tests run: a quick run skips long tests, and reports this."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.engine import test_random_games

pytestmark = pytest.mark.once

ROOT = Path(__file__).parents[1]
N_LONG = 9 * (len(test_random_games.VARIANTS) + 1) + 39
OF_ONE = len(test_random_games.DAMAGE) + len(test_random_games.OF_SETS) + 2
N_INTERPRETED = len(test_random_games.VARIANTS) + OF_ONE
ONE = ("-k", "test_the_variants_are_all_subsets")


def run_one(*options):
    """Return what pytest prints when it runs a single test from the file with random games."""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *ONE, *options]
    run = subprocess.run(
        [*command, test_random_games.__file__],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return run.stdout


@pytest.mark.long
@pytest.mark.parametrize("workers", ["0", "1"])
def test_a_quick_run_counts_what_is_left_for_make_check(workers):
    text = run_one("--numprocesses", workers)
    assert f"{N_LONG} long tests: test_random_games.py {N_LONG}\n" in text
    assert f"\n{N_INTERPRETED} of these tests again without the JIT" in text
    assert "1 passed" in text


@pytest.mark.long
def test_another_choice_leaves_nothing_to_be_told():
    text = run_one("-m", "")
    assert "make check" not in text
    assert "1 passed" in text
