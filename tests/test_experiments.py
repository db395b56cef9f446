"""Each experiment runs with a few games, and its settings are valid."""

import subprocess
import sys
from pathlib import Path

import pytest
import yaml

pytest.importorskip("torch", reason="training needs torch: install carc_env[train]")
pytestmark = pytest.mark.once

ROOT = Path(__file__).parent.parent
EXPERIMENTS = sorted((ROOT / "scripts/experiments").glob("*.py"))
FEW = {
    **{"games": 4, "decks": 2, "agents": ["random", "greedy"], "rules": ["base", "{n_players: 3}"]},
    **{"budgets": [4], "seeds": [0]},
}
"""In place of what the configuration says."""
QUICK = "first_seat"
"""The experiment that runs most quickly; the others are long."""


@pytest.mark.parametrize(
    "script",
    [
        pytest.param(script, marks=[pytest.mark.long] * (script.stem != QUICK))
        for script in EXPERIMENTS
    ],
    ids=lambda path: path.stem,
)
def test_an_experiment_prints_a_table(script: Path, tmp_path: Path) -> None:
    name = script.stem.replace("_", "-")
    settings = yaml.safe_load((ROOT / f"configs/experiments/{name}.yaml").read_text())
    few = {
        key: FEW[key] if type(FEW.get(key)) is type(old) else old for key, old in settings.items()
    }
    few |= {"picture": str(tmp_path / "curves.png")} if "picture" in few else {}
    (tmp_path / "few.yaml").write_text(yaml.safe_dump(few))
    command = [sys.executable, str(script), str(tmp_path / "few.yaml")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert ("picture" in few) == (tmp_path / "curves.png").exists()
    head, line, *rows = done.stdout.strip().splitlines()
    assert set(line) <= set("|-: ") and len(rows) >= 1
    assert all(row.count("|") == head.count("|") for row in rows)
    assert len(script.read_text().splitlines()) < 100
    page = (ROOT / "docs/reference/experiments.md").read_text(encoding="utf-8")
    assert f"scripts/experiments/{script.name} configs/experiments/{name}.yaml" in page
    assert f"`{script.name}`" in (ROOT / "docs/experiments/README.md").read_text(encoding="utf-8")
