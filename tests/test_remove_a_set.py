"""A set can go: without its folder and its lines in the lists, the rest is as it was."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

IMPORT_ALL = """
import importlib, pkgutil
import carc_env
from carc_env.systems import SYSTEMS
for info in pkgutil.walk_packages(carc_env.__path__, "carc_env."):
    if "__main__" not in info.name:
        importlib.import_module(info.name)
assert "shrines" not in [system.name for system in SYSTEMS]
table = carc_env.Table(carc_env.Rules.preset("all"), seed=1)
for _ in range(20):
    table.step(table.random_action())
assert not table.problems()
print(carc_env.__file__)
"""


@pytest.mark.once
def test_without_shrines_all_else_imports_and_plays(tmp_path: Path) -> None:
    ours = shutil.ignore_patterns("__pycache__", "agents", "*.so")
    shutil.copytree(ROOT / "carc_env", tmp_path / "carc_env", ignore=ours)
    sets = tmp_path / "carc_env/sets"
    shutil.rmtree(sets / "shrines")
    listed = (sets / "__init__.py").read_text(encoding="utf-8")
    assert listed.count('    "shrines",\n') == len(("SETS", "BOXES"))
    (sets / "__init__.py").write_text(listed.replace('    "shrines",\n', ""), encoding="utf-8")
    run = subprocess.run(
        [sys.executable, "-c", IMPORT_ALL],
        cwd=tmp_path,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    assert Path(run.stdout.strip()).is_relative_to(tmp_path)
