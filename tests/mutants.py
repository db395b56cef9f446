"""Put small faults into the package, one at a time, and run the tests (``make mutants``).

The faults are drawn once and kept in a file with their results, so that a stopped run continues.
Each is put into a copy of the repo, where the nearest tests run first. Kernels run without the JIT,
since nothing is compiled again. ``--tests`` takes the tests of another commit, for comparison.
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
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import Any

import tyro
import yaml

from carc_env.sets import COMPILED
from tests.imports import ROOT, files_below, name_of

FOLDERS = "carc_env/engine", "carc_env/sets", "carc_env/render", "carc_env/web"
UNDRAWN = "engine/compiler/", "/invariants.py", "/__main__.py"
"""What does not run without the JIT, what only tests call, and what starts a server."""
OF_TESTS = "tests", "scripts", "docs", "pyproject.toml"
KERNELS = {*COMPILED, "__init__"}
NEAR = 8
"""Test files that run before all others, so that the others need not be imported."""
SECONDS, LIMIT = 120, 360
"""How long one test may take, and all tests of a mutant."""
SWAPS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "and": "or"}
SWAPS |= {"or": "and", "in": "not in", "not in": "in", "is": "is not", "is not": "is", "+": "-"}
SWAPS |= {"-": "+", "*": "+", "//": "*", "/": "*", "%": "+", "&": "|", "|": "&", "^": "|"}
SWAPS |= {"<<": ">>", ">>": "<<"}
DEAD_FIELDS = {"annotation", "returns", "decorator_list"}
DEAD = ast.Raise | ast.Assert | ast.Import | ast.ImportFrom | ast.JoinedStr | ast.ExceptHandler
TEXTS = ast.Constant | ast.JoinedStr | ast.List | ast.Tuple
UNTESTED = {"TYPE_CHECKING", "JIT", "__name__", "__slots__", "__all__"}

Mutant = dict[str, Any]


def nodes_of(node: ast.AST) -> Iterator[ast.AST]:
    """Walk through what runs: no annotations, decorators, error messages, or type checking."""
    yield node
    for name, value in ast.iter_fields(node):
        if name not in DEAD_FIELDS:
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST) and not isinstance(child, DEAD):
                    names = {getattr(one, "id", "") for one in ast.iter_child_nodes(child)}
                    yield from nodes_of(child) if not names & UNTESTED else ()


def faults_in(path: Path) -> Iterator[Mutant]:
    """Give all faults of a module; ``at`` counts bytes."""
    source = path.read_bytes()
    starts = [0, *(found.end() for found in re.finditer(b"\n", source))]

    def fault(kind: str, start: int, end: int, new: str) -> Mutant:
        line = source.count(b"\n", 0, start) + 1
        old = source[start:end].decode()
        return {
            "file": name_of(path),
            "line": line,
            "kind": kind,
            "at": start,
            "old": old,
            "new": new,
        }

    for node in nodes_of(ast.parse(source)):
        if not isinstance(node, ast.expr | ast.stmt):
            continue

        def begin(node: Any) -> int:
            return starts[node.lineno - 1] + node.col_offset

        def end(node: Any) -> int:
            return starts[node.end_lineno - 1] + node.end_col_offset

        def swap(kind: str, left: ast.expr, right: ast.expr) -> Iterator[Mutant]:
            between = source[end(left) : begin(right)].decode()
            if (old := between.strip("() \\\n")) in SWAPS:
                at = end(left) + between.index(old)
                yield fault(kind, at, at + len(old), SWAPS[old])

        match node:
            case ast.Compare(left=left, comparators=[right, *_]):
                yield from swap("comparison", left, right)
            case ast.BinOp(left=left, right=right):
                if not isinstance(left, TEXTS) or isinstance(getattr(left, "value", ""), int):
                    yield from swap("arithmetic", left, right)
            case ast.BoolOp(values=[left, right, *_]):
                yield from swap("and/or", left, right)
            case ast.Constant(value=value) if type(value) is int:
                yield fault("constant", begin(node), end(node), str(value + 1))
            case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test):
                negated = f"(not ({source[begin(test) : end(test)].decode()}))"
                yield fault("condition", begin(test), end(test), negated)
            case ast.Expr(value=ast.Call()) | ast.AugAssign() | ast.Continue() | ast.Break():
                yield fault("statement", begin(node), end(node), "pass")
            case ast.Assign(targets=[ast.Subscript() | ast.Attribute()]):
                yield fault("statement", begin(node), end(node), "pass")


def draw(n: int, seed: int) -> Iterator[Mutant]:
    """Draw equally many faults from each folder and, as far as there are any, of each kind."""
    rng = random.Random(seed)
    for folder in FOLDERS:
        kinds: dict[str, list[Mutant]] = defaultdict(list)
        for path in files_below(folder):
            if not any(part in name_of(path) for part in UNDRAWN):
                for fault in faults_in(path):
                    kinds[fault["kind"]].append(fault)
        for i in range(n // len(FOLDERS)):
            faults = kinds[sorted(kinds)[i % len(kinds)]]
            yield {**faults.pop(rng.randrange(len(faults))), "runs": {}}


class Copy:
    """A copy of the repo, with the tests of another commit or its own."""

    def __init__(self, root: Path, tests: str, long: bool) -> None:
        self.root, self.quick = root, "not anew" if long else "not long"
        for name in subprocess.check_output(["git", "ls-files"], cwd=ROOT, text=True).splitlines():
            if not (tests and name.startswith(OF_TESTS)):
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, root / name)
        if tests:
            asked = ["git", "archive", tests, *OF_TESTS]
            archive = subprocess.check_output(asked, cwd=ROOT)
            subprocess.run(["tar", "-x", "-C", root], input=archive, check=True)
            for name in ("tests/quick.py", "tests/imports.py"):  # which choose the tests
                shutil.copy2(ROOT / name, root / name)
        self.env = {**os.environ, "PYTHONPATH": str(root)}
        self.env.pop("PYTHONDONTWRITEBYTECODE", None)

    def affected(self, files: list[str]) -> dict[str, list[str]]:
        """Return the tests that each file can affect, the nearest first."""
        code = """if True:
            import json, sys
            from tests.quick import ROOT, affected, name_of
            print(json.dumps({f: [*map(name_of, affected([ROOT / f]))] for f in sys.argv[1:]}))"""
        asked = [sys.executable, "-c", code, *files]
        return json.loads(subprocess.check_output(asked, cwd=self.root, env=self.env))

    def write(self, mutant: Mutant, *, with_fault: bool) -> None:
        """Put the fault into its file, or the file as it was."""
        source, path = (ROOT / mutant["file"]).read_bytes(), self.root / mutant["file"]
        old, at = mutant["old"].encode(), mutant["at"]
        if source[at : at + len(old)] != old:
            raise ValueError(f"{mutant['file']}:{mutant['line']} has changed since it was drawn")
        changed = source[:at] + mutant["new"].encode() + source[at + len(old) :]
        path.write_bytes(changed if with_fault else source)
        Path(cache_from_source(str(path))).unlink(missing_ok=True)

    def failing(self, tests: list[str], marks: str, jit: bool, end: float) -> str | None:
        """Return the first test that fails, nothing if all pass, ``"time"`` if time is up."""
        options = ["-x", "-m", marks, "-p", "no:cacheprovider", f"-ofaulthandler_timeout={SECONDS}"]
        options += ["-o", "faulthandler_exit_on_timeout=true", *tests]
        command = [sys.executable, "-m", "pytest", *options]
        env = self.env if jit else {**self.env, "NUMBA_DISABLE_JIT": "1"}
        with TemporaryFile("w+") as out:
            run = subprocess.Popen(
                command, cwd=self.root, env=env, stdout=out, stderr=out, start_new_session=True
            )
            try:
                status = run.wait(end - time.time())
            except subprocess.TimeoutExpired:
                return "time"
            finally:
                with suppress(ProcessLookupError):
                    os.killpg(run.pid, signal.SIGKILL)
            out.seek(0)
            text = out.read()
        if status in (0, 5):  # 5: nothing was chosen
            return None
        found = re.findall(r"^(?:FAILED|ERROR) (tests/.+?)(?: - .*)?$", text, re.M)
        slow = re.findall(r'File ".*/(tests/\S+\.py)", line \d+ in (test_\w+)', text)
        return found[0] if found else "::".join(slow[0]) if slow else f"pytest: {text[-300:]}"

    def killer(self, mutant: Mutant, tests: list[str], untrue: set[str], end: float) -> str | None:
        """Return the test that fails with the fault and passes without; else as ``failing``."""
        path = Path(mutant["file"])
        room = path.parts[2] if "sets" in path.parts else "?"
        jit = "engine" not in path.parts and not (room != "?" and path.stem in KERNELS)
        tests = [test for test in tests if test not in untrue]
        parts = [(tests[:NEAR], self.quick), (tests[NEAR:], self.quick)]
        if not jit:
            is_marked = {t: "interpreted" in (self.root / t).read_text("utf-8") for t in tests}
            own = [test for test in tests if room in Path(test).name and "rules" in test]
            rest = [test for test in tests if is_marked[test] and test not in own]
            parts = [(own, self.quick), (rest, f"interpreted and {self.quick}")]
        deselected = [f"--deselect={name}" for name in untrue if "::" in name]
        for part, marks in parts:
            self.write(mutant, with_fault=True)
            found = self.failing([*part, *deselected], marks, jit, end) if part else None
            if found is not None:
                self.write(mutant, with_fault=False)
                is_test = found.startswith("tests/")
                if is_test and self.failing([found], self.quick, jit, time.time() + LIMIT):
                    untrue.add(found)
                    return self.killer(mutant, tests, untrue, end)
                return found
        return None


def main(file: Path, /, n: int = 40, seed: int = 54, tests: str = "", long: bool = False) -> None:
    """Run the tests against each mutant that the file has no result for.

    Parameters
    ----------
    file
        YAML file with the mutants and all results; drawn if it is missing.
    n
        How many mutants to draw.
    seed
        Seed of the draw.
    tests
        Commit whose tests to run, against those mutants alone that have survived so far.
    long
        Run the long tests too, against those mutants alone that have survived so far.
    """
    mutants = yaml.safe_load(file.read_text()) if file.exists() else [*draw(n, seed)]
    name = (tests or "now") + (", long" if long else "")
    survived = [m for m in mutants if not any(run["killed"] for run in m["runs"].values())]
    left = [m for m in (survived if tests or long else mutants) if name not in m["runs"]]
    untrue: set[str] = set()
    with TemporaryDirectory() as folder:
        copy = Copy(Path(folder), tests, long)
        affected = copy.affected(sorted({mutant["file"] for mutant in left}))
        for mutant in left:
            start = time.time()
            by = copy.killer(mutant, affected[mutant["file"]], untrue, start + LIMIT)
            copy.write(mutant, with_fault=False)
            seconds = round(time.time() - start)
            mutant["runs"][name] = {
                "killed": by not in (None, "time"),
                "by": by,
                "seconds": seconds,
            }
            file.write_text(yaml.safe_dump(mutants, sort_keys=False))
            print(
                f"{mutant['file']}:{mutant['line']} {mutant['kind']}: {by}, {seconds} s", flush=True
            )
    killed = sum(name in m["runs"] and m["runs"][name]["killed"] for m in mutants)
    print(f"{killed} killed by the tests of {name}; fail without a fault: {sorted(untrue)}")


if __name__ == "__main__":
    tyro.cli(main)
