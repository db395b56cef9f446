"""The script that learns, measures and ships weights for presets, in runs of a few games."""

from math import prod

import pytest
import ship_weights

from carc_env import Rules
from carc_env.search.features import OFFSETS, TABLES
from carc_env.search.weights import unpack, weights_for

pytestmark = pytest.mark.once
PLAN = "- {presets: [river-2], games: 32, matches: 12, greedy_share: 0.5}\n"


@pytest.fixture
def planned(tmp_path, monkeypatch):
    """Let the script read a plan and write to the test's folder; return a writer of plans."""
    for name in ("KEPT", "RUNS"):
        monkeypatch.setattr(ship_weights, name, tmp_path / name.lower())
        (tmp_path / name.lower()).mkdir()
    monkeypatch.setattr(ship_weights, "PLAN", tmp_path / "plan.yaml")
    monkeypatch.setattr(ship_weights, "shipped", Shipped(tmp_path / "kept"))
    return lambda text: (tmp_path / "plan.yaml").write_text(text)


class Shipped:
    """Weights that were shipped into the test's folder; the real ones are never written."""

    def __init__(self, folder):
        self.folder = folder

    def __call__(self):
        return {file.stem: unpack(file.name, file.read_bytes()) for file in self.folder.iterdir()}

    def cache_clear(self):
        pass


@pytest.mark.long
def test_weights_that_are_missing_are_learned_measured_and_shipped_once(
    planned, tmp_path, capsys, monkeypatch
):
    planned(PLAN)
    assert ship_weights.main(["--missing"]) == 0
    assert capsys.readouterr().out.split() == ["river-2-2", "river-2-3", "river-2-4"]
    assert ship_weights.main(["--only", "river-2-3"]) == 0
    (file,) = (tmp_path / "kept").iterdir()
    found = unpack(file.name, file.read_bytes())
    assert file.stem == "river-2-3" and found.rules.n_players == 3
    shares = {"greedy_share": 0.5} if found.about["games"] else {}
    assert {"from", "games", "before", "greedy", "matches", *shares} == {*found.about}
    assert shares.items() <= found.about.items()
    assert found.about["games"] in (0, 32) and found.about["from"][0] == "base-3"
    share, low, high = found.about["greedy"]
    assert 0 <= low <= share <= high <= 1
    monkeypatch.setattr(ship_weights.subprocess, "run", pytest.fail)
    assert ship_weights.main(["--only", "river-2-3"]) == 0


def test_tables_that_training_never_touched_are_left_out():
    before = weights_for(Rules.preset("tower"))
    learned = before.values.copy()
    learned[OFFSETS["city"]] += 1
    kept = ship_weights.without_idle(learned, learned, before)
    cities, floors = (
        slice(OFFSETS[name], OFFSETS[name] + prod(TABLES[name])) for name in ("city", "floors")
    )
    assert (kept[cities] == learned[cities]).all()
    assert (learned[floors] != 0).any() and (kept[floors] == 0).all()


def test_a_training_that_fails_ships_nothing(planned, tmp_path, capsys, monkeypatch):
    planned(PLAN)
    monkeypatch.setattr(ship_weights, "SHIPPED", "no-such-file.npz")
    assert ship_weights.main(["--only", "river-2-2"]) == 1
    assert "river-2-2 failed: see" in capsys.readouterr().out.replace("\n", " ")
    assert not list((tmp_path / "kept").iterdir())


@pytest.mark.parametrize(
    ("plan", "only", "said"),
    [
        ("- {presets: [moon], games: 1}\n", "moon-2", "there is no preset moon"),
        ("- {presets: [base], games: 0}\n", "base-2", "greater than or equal to 1"),
        (PLAN, "river-2-7", "has no river-2-7"),
    ],
)
def test_a_plan_that_means_nothing_is_refused(planned, capsys, plan, only, said):
    planned(plan)
    assert ship_weights.main(["--only", only]) == 1
    assert said in " ".join(capsys.readouterr().out.split())
