"""``scripts/td.py``: short, made to be copied, and right about what it computes incrementally."""

import ast
import sys
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs torch: install carc_env[train]")

import td  # noqa: E402

from carc_env import AfterstateEncoder, Rules, Table  # noqa: E402

SOURCE = Path(td.__file__).read_text(encoding="utf-8")


@pytest.mark.once
def test_it_is_made_to_be_copied():
    """At most 300 lines, which import nothing but carc_env, torch, numpy and the library."""
    assert len(SOURCE.splitlines()) <= 300
    imported = {
        name.partition(".")[0]
        for node in ast.walk(ast.parse(SOURCE))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in ([node.module] if isinstance(node, ast.ImportFrom) else [node.names[0].name])
    }
    assert imported - sys.stdlib_module_names == {"carc_env", "numpy", "torch"}


def test_what_differs_gives_the_values_of_whole_afterstates():
    torch.manual_seed(1)
    encoder = AfterstateEncoder(Rules())
    net = td.Net(encoder, has_features=1).eval()
    torch.nn.init.normal_(net.head.weight)
    tables, states = Table.side_by_side("base", range(4))
    for _ in range(30):
        for table in tables:
            table.step(table.greedy_action())
    found = encoder.changes(states, range(4))
    games, actions = found.decision_of.copy(), found.actions[found.action_of]
    values, draws = net(found.tensors())
    whole_values, whole_draws = net(encoder.whole(states, games, actions).tensors())
    torch.testing.assert_close(values, whole_values, rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(draws, whole_draws, rtol=1e-4, atol=1e-4)
    assert values.std() > 0.01


def test_a_run_learns_and_continues(tmp_path, monkeypatch):
    short = ["--games", "8", "--replay", "256", "--eval-decks", "1", "--batch", "32"]

    def run(decisions):
        arguments = ["td.py", "--folder", str(tmp_path), "--decisions", str(decisions), *short]
        monkeypatch.setattr(sys, "argv", arguments)
        td.main()
        return torch.load(tmp_path / "td.pt")

    first, more = run(1_600), run(3_200)
    assert first["decisions"] == 1_600 and more["decisions"] == 3_200
    assert first["loss"] > 0 and 0 <= more["greedy"] <= 1
    assert len((tmp_path / "log.jsonl").read_text(encoding="utf-8").splitlines()) == 2
    weights = first["net"]["tile.weight"]
    assert np.isfinite(weights.numpy()).all() and (weights != more["net"]["tile.weight"]).any()
