"""The results page: what it trains, evaluates, stores and shows, tested on runs of a few games."""

import csv
import json
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy

import pytest
import results
import yaml
from carc_env.agents import curve, known_results
from carc_env.agents.figures import COLOURS, colours_of
from carc_env.agents.known_results import told

pytestmark = pytest.mark.once

TRAINING = {
    "name": "value",
    "about": "tables",
    "reward": "the margin",
    "command": "carc-env train value value-base --round-games 4",
    "total": "total-games",
    "decisions_per_step": 24,
    "tasks": {"base-selfplay-v1": {192: 2}},
}


@pytest.fixture
def planned(tmp_path, monkeypatch):
    """Let the script read a plan and write to the test's folder; return a writer of plans."""
    for name in ("PAGE", "DATA", "KEPT", "PICTURES", "RUNS"):
        monkeypatch.setattr(results, name, tmp_path / name.lower())
    monkeypatch.setattr(known_results, "FOLDER", tmp_path / "kept")
    (tmp_path / "pictures").mkdir()
    marks = "<!-- figures of results.py -->\n<!-- end of figures -->\n"
    (tmp_path / "page").write_text(f"# Results\n\n{marks}")
    monkeypatch.setattr(results, "EVAL_GAMES", 4)
    monkeypatch.setattr(results, "PLAN", tmp_path / "plan.yaml")
    return lambda *trainings: (tmp_path / "plan.yaml").write_text(
        yaml.safe_dump([*map(deepcopy, trainings)])
    )


def rows(path):
    with path.open() as file:
        return list(csv.DictReader(file))


@pytest.mark.long
def test_what_is_missing_is_trained_and_evaluated_once_and_a_page_made_of_it(
    planned, tmp_path, capsys, monkeypatch
):
    planned(TRAINING)
    assert results.main(["--missing"]) == 0
    assert capsys.readouterr().out.count("base-selfplay-v1 value 192") == 2
    assert results.main(["--decks", "2", "--workers", "2"]) == 0
    one, other = rows(tmp_path / "kept/runs.csv")
    assert (one["seed"], other["seed"]) == ("0", "1") and one["decks"] == "2"
    curve = rows(tmp_path / "kept/base-selfplay-v1.csv")
    assert [row["decisions"] for row in curve if row["seed"] == "0"] == ["0", "96", "192"]
    page = (tmp_path / "page").read_text()
    assert "| value (2 decks only) | 192 | 2 |" in page
    assert "| `carc-env train value value-base --round-games 4` |" in page
    assert (tmp_path / "pictures/results-base-selfplay-v1.png").stat().st_size > 1000
    assert (tmp_path / "pictures/tasks.png").stat().st_size > 1000
    monkeypatch.setattr(results.subprocess, "run", pytest.fail)
    assert results.main([]) == 0


def test_a_run_that_fails_is_told_and_kept_out_of_the_tables(planned, tmp_path, capsys):
    planned(TRAINING | {"command": "carc-env train value no-such-settings"})
    assert results.main([]) == 1
    said = capsys.readouterr().out
    assert "no-such-settings" in said and "failed: see" in said
    assert not (tmp_path / "kept/runs.csv").exists()
    for log in (tmp_path / "runs/logs").iterdir():
        assert "no-such-settings" in log.read_text()


def test_a_run_that_goes_on_from_another_trains_that_one_first(planned, tmp_path):
    after = {"name": "again", "after": "base-selfplay-v1/value", "command": "ppo.py --init {after}"}
    planned(TRAINING, TRAINING | after)
    _, job, *_ = results.jobs_of(results.plan())
    assert job.training.name == "again" and job.after.training.name == "value"
    assert (job.after.budget, job.after.seed) == (192, job.seed)
    ((_, *command),) = job.after.learning()
    assert command[:5] == ["-m", "carc_env", "train", "value", "value-base"]
    assert str(job.after.folder) in command
    ((_, *command),) = job.learning()
    latest = str(job.after.folder / "latest.ckpt")
    assert command[:4] == ["-m", "carc_env.agents.recipes.ppo", "--init", latest]
    job.after.folder.mkdir(parents=True)
    (job.after.folder / "latest.ckpt").touch()
    ((_, *command),) = job.after.learning()
    assert command == ["-m", "carc_env", "train", "value", str(job.after.folder / "latest.ckpt")]


def test_both_versions_of_a_task_share_their_runs(planned, tmp_path):
    planned(TRAINING | {"tasks": {f"base-selfplay-v{n}": {192: 1} for n in (1, 2)}})
    one, two = results.jobs_of(results.plan())
    assert two.folder == one.folder and [*two.learning()] == [*one.learning()]
    assert two.evaluated != one.evaluated
    command = two.evaluation()
    assert command[4:6] == ["evaluate", "base-selfplay-v2"]
    folder = tmp_path / "runs/base-selfplay-v2/value/192/0/evaluation"
    assert command[-2:] == ["--folder", str(folder)]
    assert command[command.index("--weights") :][:4] == ["--weights", "none", "--data", "none"]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"commit": "0123456789ab with changes"}, "of committed code only"),
        ({"commit": "unknown"}, "of committed code only"),
        ({"carc_env": "0.1.0"}, "takes rows of carc_env 0"),
    ],
)
def test_a_table_with_ratings_takes_rows_of_committed_code_of_one_version(changes, said):
    origin = {"commit": "0123456789ab", "carc_env": results.__version__}
    rated, plain = results.TASKS["base-selfplay-v2"], results.TASKS["base-selfplay-v1"]
    results.check_origin(rated, origin, results.__version__)
    results.check_origin(plain, origin | changes, results.__version__)
    with pytest.raises(ValueError, match=said):
        results.check_origin(rated, origin | changes, results.__version__)


def test_a_recipe_is_trained_and_its_log_read(planned):
    tasks = {"base-selfplay-v1": {1_000: 1}}
    one = TRAINING | {"name": "td", "command": "td.py --games 8"}
    planned(one | {"decisions_per_step": 1, "tasks": tasks})
    (job,) = results.jobs_of(results.plan())
    ((_, *command),) = job.learning()
    assert command[:4] == ["-m", "carc_env.agents.recipes.td", "--games", "8"]
    asked = dict(zip(command[4::2], command[5::2], strict=True))
    assert asked["--task"] == "base-selfplay-v1" and asked["--decisions"] == "1000"
    assert job.agent == f"carc_env.agents.recipes.td:Agent?path={job.folder / 'td.pt'}"
    row = {"decisions": 1_000, "processor_seconds": 2.5, "loss": 1.0, "greedy": 0.5, "value": 0.1}
    (job.folder / "log.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    assert job.is_trained and not [*job.learning()]
    (found,) = job.curve()
    assert (found["processor_seconds"], found["greedy win_rate"]) == ("2.5", "0.5")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"tasks": {"base-v9": {1: 1}}}, "a task of your own is a .json or .yaml file"),
        ({"tasks": {"base-selfplay-v1": {1: 0}}}, "greater than"),
        ({"after": "base-selfplay-v1/nobody"}, "nobody"),
    ],
)
def test_a_plan_that_means_nothing_is_refused(planned, capsys, changes, said):
    planned(TRAINING | changes)
    assert results.main([]) == 1
    assert said in capsys.readouterr().out


def test_the_middle_of_the_runs_is_told_with_an_interval():
    runs = [{"x": str(value)} for value in (0.0, 0.5, 0.5, 0.5, 1.0)]
    assert told(runs, "x", 100, 1).startswith("50.0 (")
    assert told(runs[:1], "x", 100, 1) == "0.0"
    assert told(runs, "y", 1, 1) == "-"


def test_the_page_of_the_repository_is_what_its_tables_say():
    kept = results.read_rows(results.KEPT / results.ALL_RUNS)
    page = results.PAGE.read_text(encoding="utf-8")
    assert page == results.page_of(page, results.plan(), kept)
    assert results.DATA.read_text(encoding="utf-8") == results.data_of(results.plan(), kept)


def test_each_budget_of_a_training_is_a_line_of_the_same_colour(tmp_path, monkeypatch):
    figures = []
    monkeypatch.setattr(curve, "_finish", lambda figure, path, **_: figures.append(figure))
    row = {"task": "base-selfplay-v1", "greedy win_rate": "0.5", "value win_rate": "0.25"}
    rows = [
        {**row, "training": name, "budget": budget, "seed": seed, "decisions": at}
        for name, budget in (("value", "10"), ("ppo", "10"), ("value", "15"))
        for seed in "01"
        for at in ("0", budget if name == "value" else f"{int(budget) + int(seed)}")
    ]
    results.draw(results.TASKS["base-selfplay-v1"], rows)
    for axes in figures[0].axes:
        lines = {(line.get_color(), *line.get_xdata()) for line in axes.lines}
        value, ppo = COLOURS["value"], COLOURS["ppo"]
        assert lines == {(value, 0, 10), (ppo, 0, 10.5), (value, 0, 15)}
        assert axes.get_legend_handles_labels()[1] == ["value", "ppo"]


@pytest.mark.parametrize(("first", "shown"), [(0, [100, 200]), (50, [50, 100, 200])])
def test_a_logarithmic_axis_shows_all_but_step_0(tmp_path, monkeypatch, first, shown):
    figures = []
    monkeypatch.setattr(curve, "_finish", lambda figure, path, **_: figures.append(figure))
    runs = [
        [{"steps": at, "value win_rate": 0.5} for at in (first, *rest)]
        for rest in ((6,), (100, 200))
    ]
    curve.draw_runs(tmp_path / "runs.png", [("ppo", runs[:1]), ("td", runs[1:])], ["value"])
    (axes,) = figures[0].axes
    assert axes.get_xscale() == "log"
    assert [*axes.lines[1].get_xdata()] == shown


def test_two_at_once_lose_no_row(tmp_path):
    """Reading, changing and writing a file is one step, whatever other processes do."""
    path = tmp_path / "runs.csv"
    keys = [dict(zip(results.KEY, (f"{k}", "value", "1", "0"), strict=True)) for k in range(12)]
    with ThreadPoolExecutor(6) as pool:
        done = [pool.submit(results.keep, path, [key], key) for key in keys]
    assert [one.result() for one in done] == [None] * 12
    assert sorted(int(row["task"]) for row in rows(path)) == [*range(12)]


def test_every_training_has_a_colour_of_its_own():
    names = [training.name for training in results.plan() if not training.kind]
    assert [name for name in names if name.removesuffix("-shipped") not in COLOURS] == []
    alone = {name: colour for name, colour in COLOURS.items() if name != "ppo-after-base"}
    assert len({*alone.values()}) == len(alone)
    found = colours_of(["search:sims=5", "mine", "value-shipped", "yours"])
    assert [*found.values()] == [COLOURS["search"], "C0", COLOURS["value"], "C1"]
