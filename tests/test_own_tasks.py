"""Custom tasks: described in YAML, frozen into a file, and used by its path."""

import json

import gymnasium
import numpy as np
import pytest
import yaml
from carc_env.agents.commands.task import main
from carc_env.agents.task_results import read_result

from carc_env import Rules, own_tasks, tasks
from carc_env.tasks import TASKS, task

pytestmark = pytest.mark.once

SETTINGS = {
    "name": "my-lab/small-v1",
    "title": "A small game",
    "rules": {"deck_size": 10, "view": 12},
    "opponents": "greedy",
    "rivals": ["greedy", "value"],
    "held_out": ["thrifty"],
    "anchors": {"greedy": 1000, "value": 1500},
    "n_decks": 3,
}


@pytest.fixture
def frozen(tmp_path, monkeypatch):
    """Return a function that freezes a changed task, in a process that knows no custom tasks."""
    monkeypatch.setattr(tasks, "_OWN", {})

    def freeze(**changes):
        path = tmp_path / "my.yaml"
        path.write_text(yaml.safe_dump(SETTINGS | changes))
        assert main(["freeze", str(path)]) == 0
        return path.with_suffix(".json")

    yield freeze
    for name in [name for name in gymnasium.registry if name.startswith("my-lab/")]:
        del gymnasium.registry[name]


def test_a_task_is_frozen_and_played_by_its_file(frozen, tmp_path, capsys):
    path = frozen()
    own = task(path)
    assert task("my-lab/small-v1") is task(str(path)) is own
    assert own.rules == Rules(deck_size=10, view=12) and own.number >= own_tasks.FIRST_NUMBER
    assert own.fingerprint in path.read_text()
    env = gymnasium.make(own.id)
    assert env.reset(seed=1)[1]["seat"] in (0, 1)
    folder = tmp_path / "result"
    given = ["evaluate", str(path), "greedy", "--workers", "1", "--folder", str(folder)]
    assert main(given) == 0
    assert main(["show", str(path)]) == 0
    tasks._OWN.clear()
    found = read_result(folder / "result.json")  # the result contains the task
    assert found.is_whole and [*found.scores] == ["greedy", "value", "thrifty"]
    assert main(["check", str(path), str(folder / "result.json")]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "the task is what it was" in told and "the evaluation is whole" in told
    assert "Held-out opponents of `my-lab/small-v1`" in told


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"name": "small-v1"}, "must be OWNER/NAME-vNUMBER"),
        ({"name": "carc-env/small-v1"}, "the owner not carc_env"),
        ({"name": "base-greedy-v1"}, "must be OWNER/NAME-vNUMBER"),
        ({"rules": "rivr"}, "did you mean 'river'"),
        ({"rules": {"deck_size": 0}}, "deck_size"),
        (
            {"rules": {"one_of": {"rule": ["base"]}}},
            "argument of one_of must be one of 'rules', 'weights'",
        ),
        ({"rules": {"one_of": ["base"]}}, "one name with its arguments"),
        ({"rules": {"subset": {"parts": ["inns"]}}}, "did you mean 'subsets'"),
        ({"rules": {"switches": {"deck_size": [9, 12]}}}, "argument of switches"),
        ({"rules": {"one_of": {"rules": ["base"], "layout": ["base"]}}}, "argument of one_of"),
        ({"rules": "my_rules:Own"}, "cannot be frozen, because a task contains no code"),
        (
            {"rules": {"subsets": {"parts": ["inns"], "n_parts": [2, 1]}}},
            "n_parts must be a number",
        ),
        ({"rules": {"subsets": {"parts": ["inns"], "n_parts": 2}}}, "of the 1 expansions"),
        ({"rules": {"subsets": {"parts": ["inns"], "without": ["inns"]}}}, "a list of expansions"),
        ({"opponents": "my_bots:Bold"}, "agents of carc_env, got 'my_bots:Bold'"),
        ({"rivals": ["gredy"]}, "agents of carc_env, got 'gredy'"),
        ({"rivals": ["search:sim=3"]}, "did you mean 'sims'"),
        ({"held_out": ["value"]}, "must be different opponents"),
        ({"anchors": {"random": 3}}, "anchors must be among the rivals"),
        ({"n_decks": 0}, "n_decks must be 1 to"),
        ({"n_decks": "many"}, "n_decks must be a int"),
        ({"budgets": []}, "budgets must be numbers of decisions"),
        ({"reward": "money"}, "reward"),
        ({"deck": 3}, "did you mean 'n_decks'"),
    ],
)
def test_a_task_that_cannot_be_is_refused(changes, said):
    with pytest.raises(ValueError, match=said):
        own_tasks.task_of(SETTINGS | changes)


def test_rules_can_be_a_distribution_with_test_rules(frozen):
    path = frozen(
        **{"name": "my-lab/mix-v1", "held_out": [], "anchors": {}},
        rules={"one_of": {"rules": [{"deck_size": 10}, {"deck_size": 12}]}},
        tests={"inns": {"preset": "inns", "deck_size": 14}},
    )
    mixed, alone = task(path), task(f"{path}/inns")
    assert alone.rules == mixed.test_rules[0] and [*alone.tests] == ["inns"]
    assert [rules.sets for rules in mixed.test_rules] == [("base", "inns")]
    assert mixed.test_rules[0].layout == mixed.env_rules.layout


def test_tests_can_be_combinations_of_expansions():
    parts = {"parts": ["inns", "traders", "river"], "without": [["inns", "river"]], "n_parts": 2}
    mixed = own_tasks.task_of(
        {
            **{"name": "my-lab/pairs-v1", "rivals": ["greedy"], "n_decks": 4},
            "rules": {"subsets": {**parts, "base": {"view": 28}}},
            "tests": {"both": ["inns", "river"]},
        }
    )
    assert mixed.tests["both"] == Rules.preset("inns", sets=("base", "river1", "inns"), view=28)
    rng = np.random.default_rng(0)
    drawn = {mixed.rules.sample(rng).sets for _ in range(50)}
    assert drawn == {("base", "inns", "traders"), ("base", "river1", "traders")}


def test_files_that_were_edited_and_second_tasks_of_a_name_are_refused(frozen, tmp_path, capsys):
    path = frozen()
    values = json.loads(path.read_text())
    edited = {**values, "task": values["task"] | {"n_decks": 2}}
    (tmp_path / "edited.json").write_text(json.dumps(edited))
    with pytest.raises(ValueError, match="its fingerprint does not follow"):
        task(tmp_path / "edited.json")
    (tmp_path / "my.yaml").write_text(yaml.safe_dump(SETTINGS | {"n_decks": 2}))
    assert main(["freeze", str(tmp_path / "my.yaml")]) == 1
    assert "A published task never changes" in " ".join(capsys.readouterr().out.split())
    other = own_tasks.freeze(tmp_path / "my.yaml")
    with pytest.raises(ValueError, match=r"two tasks are called my-lab/small-v1"):
        own_tasks.known("other.json", other)


def test_decks_are_those_of_no_other_task():
    own = own_tasks.task_of(SETTINGS)
    assert own.number not in {one.number for one in TASKS.values()}
    assert own.number != own_tasks.task_of(SETTINGS | {"name": "my-lab/small-v2"}).number
