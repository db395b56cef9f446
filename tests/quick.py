"""Run the tests that a change can affect, nearest first, for under a minute (``make quick``).

The change consists of the files named on the command line. Without any, it consists of the
uncommitted files or, if everything is committed, of the files of the last commit. A test file is
affected if it names a changed file or its set, or imports it through any number of modules. When
the time is up, the remaining tests are skipped.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from itertools import chain
from pathlib import Path

import pytest

from tests.imports import ROOT, distances, files_below, name_of

SECONDS = 35
"""Seconds after the start within which a test may begin."""
DEADLINE = "CARC_ENV_TESTS_END"
"""Environment variable that passes the deadline to the processes that run tests."""
SETS = ROOT / "carc_env" / "sets"


def changed_files() -> list[Path]:
    """List the uncommitted files or, if there are none, those of the last commit."""
    asked = (
        ["ls-files", "--others", "--exclude-standard"],
        ["diff", "--name-only", "HEAD"],
        ["diff", "--name-only", "HEAD~1", "HEAD"],
    )
    told = (subprocess.check_output(["git", *words], cwd=ROOT, text=True) for words in asked)
    new, changed, last = (set(names.splitlines()) for names in told)
    return [ROOT / name for name in sorted(new | changed or last) if (ROOT / name).exists()]


def words_of(path: Path) -> set[str]:
    """Return the words with which a test can name a file: its set and a data file's own name."""
    room = path.relative_to(SETS).parts[:1] if SETS in path.parents else ()
    is_module = path.suffix == ".py"
    return {*room} if is_module else {*room, path.name}


def readers_of(path: Path) -> list[Path]:
    """List the modules that read a data file: nearby modules that name it or its folder."""
    package = next(folder for folder in path.parents if [*folder.glob("*.py")] or folder == ROOT)
    words = {path.name, path.parent.name} - {package.name}
    near = [] if path.suffix == ".py" else package.glob("*.py")
    return [module for module in near if any(w in module.read_text("utf-8") for w in words)]


def affected(changed: list[Path]) -> list[Path]:
    """List the test files that a change can affect, nearest first."""
    found = distances([*changed, *chain.from_iterable(map(readers_of, changed))])
    words = set().union(*map(words_of, changed))
    for path in files_below("tests"):
        if any(word in path.stem for word in words):
            found[path] = -1
        elif any(word in path.read_text("utf-8") for word in words):
            found[path] = 0
        elif path.name == "test_readme.py" and any(file.suffix == ".md" for file in changed):
            found[path] = 0
    tests = [path for path in found if path.name.startswith("test_") and path.exists()]
    tests = [path for path in tests if not {"browser", "ray"} & {*path.parts}]
    return sorted(tests, key=lambda path: (found[path], path))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    """Skip a test when the time is up."""
    if time.time() > float(os.environ[DEADLINE]):
        pytest.skip("no time left: make test")


def main() -> int:
    """Run the tests; return the status of pytest."""
    changed = [Path(name).resolve() for name in sys.argv[1:]] or changed_files()
    os.environ[DEADLINE] = str(time.time() + SECONDS)
    tests = affected(changed)
    print(f"{len(tests)} test files for {', '.join(map(name_of, changed)) or 'no change'}")
    options = ["-p", "tests.quick", "-rs", "--numprocesses", "logical", "--dist", "load"]
    options += ["--maxschedchunk", "16", "--no-header"]
    return int(pytest.main([*options, *map(str, tests)])) if tests else 0


if __name__ == "__main__":
    sys.exit(main())
