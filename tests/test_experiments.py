"""Each experiment runs with a few games, and its page names it."""

from pathlib import Path

import pytest
from experiments import EXPERIMENTS

pytestmark = pytest.mark.once

ROOT = Path(__file__).parent.parent
FEW = {
    "first-seat": {"rules": ("base", "{n_players: 3}"), "games": 4},
    "abbot": {"games": 4},
    "luck": {"agents": ("random", "greedy"), "equals": "weakened:noise=2", "decks": 2},
    "sample-efficiency": {"budgets": (4,), "seeds": (0,), "games": 4},
}
ROWS = {"first-seat": 5, "abbot": 10, "luck": 2, "sample-efficiency": 2}


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_an_experiment_returns_a_table(name: str) -> None:
    head, *rows = EXPERIMENTS[name](**FEW[name])
    assert len(rows) == ROWS[name] and {len(row) for row in rows} == {len(head)}
    page = (ROOT / "docs/reference/experiments.md").read_text(encoding="utf-8")
    assert f"`python scripts/experiments.py {name}`" in page
