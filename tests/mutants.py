"""Insert small faults into the package, one at a time, and run the tests (``make mutants``).

The faults are drawn once and stored in a file with their results, so that a stopped run continues.
Each fault is inserted into a copy of the repository, where the nearest tests run first. Kernels run
without the JIT, because nothing is recompiled. ``--tests`` runs the tests of another commit, for
comparison.
"""

from __future__ import annotations

import ast
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from importlib.util import cache_from_source
from itertools import accumulate
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import Any

import tyro
import yaml

from carc_env.sets import COMPILED
from tests.imports import ROOT, files_below, name_of, tree_of

FOLDERS = "carc_env/engine", "carc_env/sets", "carc_env/render", "carc_env/web"
UNDRAWN = "engine/compiler/", "/value.py", "/invariants.py", "/__main__.py", "/__init__.py"
"""Skipped: modules tested when compiled, called only by tests or starting a server; name tables."""
OF_TESTS = "tests", "scripts", "docs", "pyproject.toml"
NEAR = 8
"""Number of test files that run first, so that the others need not be imported."""
SECONDS = 240
"""Time limit of one test."""

SWAPS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "and": "or"}
SWAPS |= {"or": "and", "in": "not in", "not in": "in", "is": "is not", "is not": "is", "+": "-"}
SWAPS |= {"-": "+", "*": "+", "//": "*", "/": "*", "%": "+", "&": "|", "|": "&", "^": "|"}
SWAPS |= {"<<": ">>", ">>": "<<"}
DEAD_FIELDS = {"annotation", "returns", "decorator_list"}
DEAD = ast.Raise | ast.Assert | ast.Import | ast.ImportFrom | ast.JoinedStr | ast.ExceptHandler
UNTESTED = {"TYPE_CHECKING", "JIT", "__name__", "__slots__", "__all__"}
TEXTS = ast.JoinedStr | ast.List | ast.Tuple

Mutant = dict[str, Any]


def nodes_of(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes that run: no annotations, decorators, error messages or type checking."""
    yield node
    for name, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not isinstance(child, DEAD):
                names = {getattr(one, "id", "") for one in ast.iter_child_nodes(child)}
                yield from () if name in DEAD_FIELDS or names & UNTESTED else nodes_of(child)


def faults_in(path: Path) -> Iterator[Mutant]:
    """Yield all possible faults of a module; ``at`` is an offset in bytes."""
    source = path.read_bytes()
    starts = [0, *accumulate(map(len, source.splitlines(keepends=True)))]

    def fault(kind: str, start: int, end: int, new: str) -> Mutant:
        line, old = source.count(b"\n", 0, start) + 1, source[start:end].decode()
        place = {"file": name_of(path), "line": line, "kind": kind}
        return {**place, "at": start, "old": old, "new": new.format(old=old), "runs": {}}

    def ends_of(node: Any) -> tuple[int, int]:
        start, end = starts[node.lineno - 1], starts[node.end_lineno - 1]
        return start + node.col_offset, end + node.end_col_offset

    def swaps(kind: str, left: ast.expr, right: ast.expr) -> Iterator[Mutant]:
        (_, start), (end, _) = ends_of(left), ends_of(right)
        between = source[start:end].decode()
        if (old := between.strip("() \\\n")) in SWAPS and not isinstance(left, TEXTS):
            start += between.index(old)
            yield fault(kind, start, start + len(old), SWAPS[old])

    for node in nodes_of(tree_of(path)):
        match node:
            case ast.Compare(left=left, comparators=[right, *_]):
                yield from swaps("comparison", left, right)
            case ast.BinOp(left=left, right=right):
                yield from swaps("arithmetic", left, right)
            case ast.BoolOp(values=[left, right, *_]):
                yield from swaps("and/or", left, right)
            case ast.Constant(value=value) if type(value) is int:
                yield fault("constant", *ends_of(node), str(value + 1))
            case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test):
                yield fault("condition", *ends_of(test), "(not ({old}))")
            case (
                ast.Assign(targets=[ast.Subscript() | ast.Attribute()])
                | ast.Expr(value=ast.Call())
                | ast.AugAssign()
                | ast.Continue()
                | ast.Break()
            ):
                yield fault("statement", *ends_of(node), "pass")


def draw(n: int = 40, seed: int = 54) -> Iterator[Mutant]:
    """Draw equally many faults from each folder and, if there are enough, of each kind."""
    rng, kinds = random.Random(seed), defaultdict(list)
    for path in files_below(*FOLDERS):
        if not any(part in name_of(path) for part in UNDRAWN):
            for fault in faults_in(path):
                kinds[path.relative_to(ROOT).parts[1], fault["kind"]].append(fault)
    for i in range(n):
        folder = Path(FOLDERS[i % len(FOLDERS)]).name
        names = sorted(names for names in kinds if names[0] == folder)
        faults = kinds[names[i // len(FOLDERS) % len(names)]]
        yield faults.pop(rng.randrange(len(faults)))


def copy_repo(root: Path, tests: str) -> None:
    """Copy the repository, with the tests of a commit if one is named."""
    for name in subprocess.check_output(["git", "ls-files"], cwd=ROOT, text=True).splitlines():
        if not (tests and name.startswith(OF_TESTS)):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, root / name)
    if tests:
        archive = subprocess.check_output(["git", "archive", tests, *OF_TESTS], cwd=ROOT)
        subprocess.run(["tar", "-x", "-C", root], input=archive, check=True)
        for name in ("tests/quick.py", "tests/imports.py"):  # they choose the tests
            shutil.copy2(ROOT / name, root / name)


def python(root: Path, *options: str, **more: Any) -> subprocess.Popen[str]:
    """Start Python in a copy of the repository; it imports the package from there."""
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    env |= {"PYTHONPATH": str(root), **more.pop("env", {})}
    command = [sys.executable, *options]
    return subprocess.Popen(command, cwd=root, env=env, text=True, start_new_session=True, **more)


def affected(root: Path, files: set[str]) -> dict[str, list[str]]:
    """Return, for each file, the tests in a copy that it can affect, nearest first."""
    code = (
        "import json, sys; from tests.quick import ROOT, affected, name_of;"
        "print(json.dumps({f: [*map(name_of, affected([ROOT / f]))] for f in sys.argv[1:]}))"
    )
    found: dict[str, list[str]] = json.loads(
        python(root, "-c", code, *sorted(files), stdout=subprocess.PIPE).communicate()[0]
    )
    return found


def write(root: Path, mutant: Mutant, *, with_fault: bool) -> None:
    """Write the file of a mutant, with the fault or in its original form."""
    source, path = (ROOT / mutant["file"]).read_bytes(), root / mutant["file"]
    before, after = source[: mutant["at"]], source[mutant["at"] :]
    old, new = mutant["old"].encode(), mutant["new"].encode()
    if not after.startswith(old):
        raise ValueError(f"{mutant['file']}:{mutant['line']} has changed since it was drawn")
    path.write_bytes(before + new + after.removeprefix(old) if with_fault else source)
    Path(cache_from_source(str(path))).unlink(missing_ok=True)


def failing(root: Path, tests: list[str], marks: str, jit: bool, limit: int) -> str:
    """Return the first test that fails, nothing if all pass, ``"time"`` if the time is up.

    The limit is in CPU seconds of the test process, so that a busy machine changes nothing.
    """
    options = ["-x", "-m", marks, "-p", "no:cacheprovider", "-o", f"faulthandler_timeout={SECONDS}"]
    options += ["-o", "faulthandler_exit_on_timeout=true", *tests]
    with TemporaryFile("w+") as out:
        env = {} if jit else {"NUMBA_DISABLE_JIT": "1"}
        code = f"import resource as r; r.setrlimit(r.RLIMIT_CPU, ({limit}, {limit}))"
        code += "; import pytest; raise SystemExit(pytest.console_main())"
        run = python(root, "-c", code, *options, env=env, stdout=out, stderr=out)
        status = run.wait()
        with suppress(ProcessLookupError):
            os.killpg(run.pid, signal.SIGKILL)
        if status == -signal.SIGKILL:
            return "time"
        out.seek(0)
        text = out.read()
    if status in (0, 5):  # 5: no test was selected
        return ""
    found = re.findall(r"^(?:FAILED|ERROR) (tests/.+?)(?: - .*)?$", text, re.M)
    slow = re.findall(r'File ".*/(tests/\S+\.py)", line \d+ in (test_\w+)', text)
    return found[0] if found else "::".join(slow[0]) if slow else f"pytest: {text[-300:]}"


def is_compiled(mutant: Mutant) -> bool:
    """Return whether the fault is in a kernel, so that it is tested without the JIT."""
    return "engine" in mutant["file"] or Path(mutant["file"]).stem in COMPILED


def killer(
    root: Path, mutant: Mutant, tests: list[str], untrue: set[str], marks: str, limit: int
) -> str:
    """Return the first test that fails with the fault; if none does, as ``failing``."""
    jit = not is_compiled(mutant)
    tests = [test for test in tests if test not in untrue]
    parts = [(tests[:NEAR], marks), (tests[NEAR:], marks)]
    if not jit:
        names = {Path(mutant["file"]).parts[2]} if "sets" in mutant["file"] else {"base", "turn"}
        own = [test for test in tests if Path(test).stem.removeprefix("test_") in names]
        rest = [test for test in tests if "interpreted" in (root / test).read_text("utf-8")]
        parts = [(own, marks), (rest, f"interpreted and {marks}")]
    deselected = [f"--deselect={name}" for name in untrue]
    write(root, mutant, with_fault=True)
    found = (failing(root, part + deselected, chosen, jit, limit) for part, chosen in parts if part)
    by = next(filter(None, found), "")
    write(root, mutant, with_fault=False)
    return by


def untrue_among(root: Path, killers: set[str], marks: str, jit: bool) -> set[str]:
    """Return the tests that fail even without a fault."""
    left = {*killers}
    while left and (by := failing(root, sorted(left), marks, jit, 5 * SECONDS)) in left:
        left.remove(by)
    return killers - left


def main(file: Path, /, tests: str = "", long: bool = False, limit: int = 360) -> None:
    """Run the tests against each mutant that has no result yet.

    Parameters
    ----------
    file
        YAML file with the mutants and all results. If it is missing, mutants are drawn.
    tests
        Commit whose tests run, against the mutants that survived all other runs.
    long
        Also run the long tests, against the mutants that survived all other runs.
    limit
        CPU seconds for each test run; a mutant has at most two runs.
    """
    mutants = yaml.safe_load(file.read_text()) if file.exists() else [*draw()]
    name, marks = (tests or "now") + ", long" * long, "not anew" if long else "not long"
    survived = [m for m in mutants if not any(run["killed"] for run in m["runs"].values())]
    left = [m for m in (survived if tests or long else mutants) if name not in m["runs"]]
    untrue = set[str]()
    with TemporaryDirectory() as folder:
        root = Path(folder)
        copy_repo(root, tests)
        near = affected(root, {mutant["file"] for mutant in mutants})
        while left:
            for mutant in left:
                start = time.time()
                by = killer(root, mutant, near[mutant["file"]], untrue, marks, limit)
                seconds, killed = round(time.time() - start), by not in ("", "time")
                mutant["runs"][name] = {"killed": killed, "by": by, "seconds": seconds}
                file.write_text(yaml.safe_dump(mutants, sort_keys=False))
                print(f"{mutant['file']}:{mutant['line']}: {by or 'none'}, {seconds} s", flush=True)
            runs = [(m, m["runs"][name]["by"]) for m in mutants if name in m["runs"]]
            for jit in (False, True):
                killers = {
                    by for m, by in runs if is_compiled(m) != jit and by.startswith("tests/")
                }
                untrue |= untrue_among(root, killers, marks, jit)
            left = [m for m, by in runs if by in untrue]
    n_killed = sum(m["runs"].get(name, {}).get("killed", False) for m in mutants)
    print(
        f"{n_killed} of {len(mutants)} killed by {name}; failed without a fault: {sorted(untrue)}"
    )


if __name__ == "__main__":
    tyro.cli(main)
