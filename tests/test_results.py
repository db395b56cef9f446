"""The page of results, from runs of a few games."""

from pathlib import Path

import pytest
import results
import yaml
from carc_env.agents.commands import train_value
from carc_env.agents.curve import read_csv
from carc_env.agents.value_learner import ValueConfig

pytestmark = pytest.mark.once

SMALL = ValueConfig(
    total_games=8,
    round_games=4,
    threads=1,
    eval_every=4,
    eval_games=4,
    eval_against=("random", "greedy"),
)


def trained(folder: Path, **changes: object) -> Path:
    learner, status = train_value.train(SMALL.replace(folder=str(folder), **changes))
    assert status == 0 and learner.is_done
    return folder


def test_runs_that_differ_by_their_seeds_are_a_row(tmp_path):
    folders = [trained(tmp_path / f"run-{seed}", seed=seed) for seed in (1, 2)]
    folders.append(trained(tmp_path / "other", learning_rate=0.25))
    times = [read_csv(folder / "times.csv") for folder in folders]
    assert [[row["steps"] for row in rows] for rows in times] == [[0, 4, 8]] * 3
    assert all(rows[0]["seconds"] < rows[1]["seconds"] < rows[2]["seconds"] for rows in times)
    for folder in folders:  # what the command line would have written
        origin = yaml.safe_load((folder / "origin.yaml").read_text())
        origin["command"] = f"python scripts/train_value.py some.yaml --folder {folder} --ray"
        (folder / "origin.yaml").write_text(yaml.safe_dump(origin))
    few = {"page": str(tmp_path / "page"), "picture": str(tmp_path / "picture.png"), "games": 4}
    (tmp_path / "few.yaml").write_text(yaml.safe_dump(few))
    assert results.main(tuple(folders), tmp_path / "few.yaml") == 0
    page = (tmp_path / "page").read_text()
    assert page.count("| train_value.py 1 |") == page.count("| train_value.py 2 |") == 3
    assert "| train_value.py 1 | 1, 2 | 8 |" in page
    assert "| `python scripts/train_value.py some.yaml --ray` |" in page
    assert "](picture.png)" in page and str(tmp_path) not in page
    assert (tmp_path / "picture.png").stat().st_size > 1000


def test_time_to_beat_is_that_of_the_first_evaluation_without_doubt():
    runs = [results.Run.__new__(results.Run) for _ in range(2)]
    for k, run in enumerate(runs):
        run.config = {"eval_games": 200}
        run.curve = [
            {"steps": 0, "greedy win_rate": 0.5075, "value win_rate": 0.9},
            {"steps": 4, "greedy win_rate": 0.6 * k},
            {"steps": 8, "greedy win_rate": 0.58},
        ]
        run.seconds = {0: 1.0, 4: 20.0, 8: 40.0}
    assert results.time_to_beat(runs, "greedy") == "30 s (20-40), 6 (4-8) steps"
    assert results.time_to_beat(runs, "random") == "-"
    assert results.time_to_beat(runs, "value") == "from the start"
    runs[0].curve[-1]["greedy win_rate"] = 0.56  # 49.1 to 62.7%
    assert results.time_to_beat(runs, "greedy") == "20 s, 4 steps; 1 of 2 runs"
    runs[1].curve = runs[0].curve
    assert results.time_to_beat(runs, "greedy") == "never"


def test_a_run_that_is_not_at_its_end_is_refused(tmp_path, capsys):
    folder = trained(tmp_path / "run")
    config = yaml.safe_load((folder / "config.yaml").read_text())
    (folder / "config.yaml").write_text(yaml.safe_dump({**config, "total_games": 12}))
    assert results.main((folder,)) == 1
    assert "is not at its end" in capsys.readouterr().out
    (folder / "times.csv").unlink()
    assert results.main((folder,)) == 1
    assert "it has no times.csv" in capsys.readouterr().out


def test_the_settings_of_the_repository_are_those_of_the_page():
    found = results.Results.read(Path(results.__file__).parent.parent / results.SETTINGS)
    assert found.page == "docs/results.md" and found.against == ("random", "greedy", "value")


def test_the_page_says_what_the_script_means():
    root = Path(results.__file__).parent.parent
    found = results.Results.read(root / results.SETTINGS)
    page = (root / found.page).read_text(encoding="utf-8")
    assert page.startswith(results.INTRODUCTION.format(games=found.games))
