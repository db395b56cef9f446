"""A set can be removed: without its folder and its entries in the lists, the rest is unchanged."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.imports import ADAPTERS

ROOT = Path(__file__).parents[1]

IMPORT_ALL = f"""
import importlib, pkgutil, sys
import carc_env
for info in pkgutil.walk_packages(carc_env.__path__, "carc_env."):
    if "__main__" not in info.name and info.name not in {ADAPTERS!r}:
        importlib.import_module(info.name)
assert "carc_env.sets." + sys.argv[1] not in sys.modules
game = carc_env.Game(carc_env.Rules(), seed=1)
for _ in range(20):
    game.step(game.random_action())
assert not game.problems()
game.step(game.greedy_action())
assert carc_env.parse_position(str(game)) == game.position()
print(carc_env.__file__)
"""


OTHERS = "labyrinth", "abbot", "mayor", "traders.goods", "princess_dragon.fairy"


@pytest.mark.once
@pytest.mark.parametrize(
    "name", ["shrines", *(pytest.param(name, marks=pytest.mark.long) for name in OTHERS)]
)
def test_without_a_set_all_else_imports_and_plays(name: str, tmp_path: Path) -> None:
    ours = shutil.ignore_patterns("__pycache__", "agents", "*.so")
    shutil.copytree(ROOT / "carc_env", tmp_path / "carc_env", ignore=ours)
    sets = tmp_path / "carc_env/sets"
    shutil.rmtree(sets.joinpath(*name.split(".")))
    listed = (sets / "__init__.py").read_text(encoding="utf-8")
    line = f'    "{name}",\n'
    assert line in listed
    (sets / "__init__.py").write_text(listed.replace(line, ""), encoding="utf-8")
    run = subprocess.run(
        [sys.executable, "-c", IMPORT_ALL, name],
        cwd=tmp_path,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    assert Path(run.stdout.strip()).is_relative_to(tmp_path)
