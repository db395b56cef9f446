"""The import graph of all modules in the repository."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

ADAPTERS = tuple(
    f"carc_env.envs.{name}"
    for name in ("open_spiel", "text.openenv", "text.textarena", "text.verifiers")
)
"""Modules whose classes derive from a library that is not installed here."""
FOLDERS = ("carc_env", "agents", "scripts", "tests")
INSTALLED = {"carc_env.agents": "agents"}
"""Import name -> folder, for packages whose import name differs from their folder."""


def files_below(*folders: str) -> list[Path]:
    """List the modules in the given folders, including subfolders."""
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


def name_of(path: Path) -> str:
    """Return the path of a file relative to the root of the repository."""
    return path.relative_to(ROOT).as_posix()


@cache
def tree_of(path: Path) -> ast.Module:
    """Parse a module."""
    return ast.parse(path.read_text(encoding="utf-8"), name_of(path))


def imports_of(path: Path) -> Iterator[str]:
    """Yield the full dotted names of all imports in a module, including those in functions."""
    package = path.relative_to(ROOT).with_suffix("").parts[:-1]
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            origin = ".".join((*above, *(node.module or "").split("."))).strip(".")
            yield from (f"{origin}.{alias.name}" for alias in node.names)


@cache
def _module(name: str) -> Path | None:
    """Find the module that defines a dotted name, following re-exports of packages."""
    for alias, folder in INSTALLED.items():
        if name == alias or name.startswith(f"{alias}."):
            name = folder + name.removeprefix(alias)
    parts = name.split(".")
    for n in range(len(parts), 0, -1):
        path = ROOT.joinpath(*parts[:n])
        if path.with_suffix(".py").is_file():
            return path.with_suffix(".py")
        if (package := path / "__init__.py").is_file():
            passed_on = [one for one in imports_of(package) if one.endswith(f".{parts[-1]}")]
            return _module(passed_on[0]) if n < len(parts) and passed_on else package
    script = ROOT / "scripts" / f"{name}.py"
    return script if script.is_file() else None


def importers() -> dict[Path, set[Path]]:
    """Return the importers of each module; ``carc_env.sets`` counts as importing all its files."""
    found = defaultdict(set)
    rooms = ROOT / "carc_env" / "sets"
    for path in files_below(*FOLDERS):
        for target in map(_module, imports_of(path)):
            if target is not None:
                found[target].add(path)
        if rooms in path.parents:
            found[path].add(rooms / "__init__.py")
    return found


def distances(changed: Iterable[Path]) -> dict[Path, int]:
    """Return the number of imports from each module that a change can affect to the change."""
    above, found = importers(), dict.fromkeys(changed, 0)
    for path in (queue := [*found]):  # the queue grows meanwhile
        for importer in above[path]:
            if importer not in found:
                found[importer] = found[path] + 1
                queue.append(importer)
    return found
