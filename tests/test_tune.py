"""Tuning: the same number of settings per method, drawn from published ranges, all stored."""

import json
import shlex
from collections import defaultdict
from importlib import import_module
from threading import Lock
from types import SimpleNamespace

import pytest
import results
import tune
from carc_env.agents.run_folder import write_origin

pytestmark = pytest.mark.once


@pytest.fixture
def trial(tmp_path, monkeypatch):
    """Return a function that makes a trial with its files and rows in the test's folder."""
    for name in ("KEPT", "RUNS"):
        monkeypatch.setattr(results, name, tmp_path / name.lower())
    return lambda decisions=tune.BUDGET: tune.trials(decisions)[0]


def ended(trial, commit):
    """Write the files of a complete run."""
    trial.folder.mkdir(parents=True)
    write_origin(trial.folder, trial.training.command, commit, "a machine")
    row = {"decisions": trial.budget, "processor_seconds": 2.5, "greedy": 0.5, "value": 0.125}
    (trial.folder / "log.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")


def test_each_training_has_as_many_settings_which_its_recipe_knows():
    pytest.importorskip("torch", reason="training needs torch: install carc_env[train]")
    trials = tune.trials()
    for name in {trial.training.name for trial in trials}:
        own = [trial for trial in trials if trial.training.name == name]
        assert {trial.task.name for trial in own} == {"short-greedy-v1", "base-selfplay-v1"}
        assert len(own) == 26 and len({trial.settings for trial in own}) == 13
        assert len({tuple(trial.settings.split()[::2]) for trial in own}) == 1
        for trial in own:
            recipe = import_module(f"carc_env.agents.recipes.{trial.recipe}")
            for option, value in zip(*[iter(shlex.split(trial.settings))] * 2, strict=True):
                type(getattr(recipe.Settings, option[2:].replace("-", "_")))(value)
    assert [trial.settings for trial in trials] == [trial.settings for trial in tune.trials()]


def test_numbers_of_a_range_are_in_it():
    text = {"name": "x", "tasks": {}, "settings": {"lr": {"from": 0.001, "to": 0.1}, "n": [1, 2]}}
    drawn = [" ".join(tune.Tuning(**text).drawn(number)).split() for number in range(1, 201)]
    rates = sorted(float(words[1]) for words in drawn)
    assert 0.001 <= rates[0] < 0.0013 and 0.075 < rates[-1] <= 0.1 and 0.007 < rates[100] < 0.015
    assert {words[3] for words in drawn} == {"1", "2"}


def test_a_run_is_kept_with_its_settings_once(trial, monkeypatch, capsys):
    one = trial()
    ended(one, "0123456789ab")
    assert not [*one.learning()] and one.evaluation() == []
    assert results.run([one], 1) == 0
    (row,) = results.read_rows(results.KEPT / tune.TUNED)
    assert row["training"] == "ppo" and row["setting"] == "00" and row["settings"] == one.settings
    assert (row["greedy win_rate"], row["value win_rate"]) == ("0.5000", "0.1250")
    assert (row["commit"], row["processor_seconds"]) == ("0123456789ab", "2.5")
    capsys.readouterr()
    assert tune.main(["--missing", "--methods", "ppo", "--settings", "0", "1"]) == 0
    assert capsys.readouterr().out.count("ppo 200000") == 3


def test_stopped_runs_leave_nothing(trial, tmp_path):
    one, stop = trial(), SimpleNamespace(wanted=True, status=0)
    assert results.carry_out(one, stop, defaultdict(Lock)) == "" and not [*tmp_path.iterdir()]


def test_changed_code_is_refused_unless_it_is_a_trial(trial, monkeypatch):
    monkeypatch.setattr(tune, "commit", lambda: "0123456789ab with changes")
    with pytest.raises(ValueError, match="with changes"):
        trial().learning()
    assert next(trial(2_000).learning()) and trial(2_000).stored[0].parent == results.RUNS
    monkeypatch.setattr(tune, "commit", lambda: "0123456789ab")
    command = next(trial().learning())
    write_origin(trial().folder, "", "ba9876543210", "a machine")
    with pytest.raises(ValueError, match="ba9876543210"):
        trial().learning()
    asked = dict(zip(command[-26::2], command[-25::2], strict=True))
    assert (asked["--decisions"], asked["--eval-every"]) == ("200000", "200000")
    assert asked["--eval-games"] == "400" and asked["--task"] == "short-greedy-v1"
