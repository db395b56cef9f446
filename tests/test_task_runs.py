"""Runs of ``carc-env train value`` for a task, whose name sets the rules."""

import pytest
from carc_env.agents.value_config import ValueConfig, with_game
from carc_env.agents.value_learner import ValueLearner

from carc_env import Rules


def test_a_task_sets_the_rules():
    config, rest = with_game(ValueConfig(), ["--task", "base-selfplay-v1", "--seed", "3"])
    assert config.rules == Rules(view=20) and config.task == "base-selfplay-v1"
    assert rest == ["--seed", "3"]
    config.check_task()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--task", "base-gredy-v1"], "did you mean 'base-greedy-v1'"),
        (["--task", "base-greedy-v1", "--rules", "all"], "not allowed with argument"),
    ],
)
def test_an_unknown_task_and_rules_beside_a_task_are_refused(arguments, said):
    with pytest.raises(ValueError, match=said):
        with_game(ValueConfig(), arguments)


@pytest.mark.parametrize(
    ("task", "changes", "said"),
    [
        ("base-selfplay-v1", {"rules": Rules(view=22)}, r"other rules than .*view: 20 -> 22"),
        ("base-greedy-v1", {}, "the opponents are 'greedy', but a value learns by self-play"),
        ("mix-players-v1", {}, "draws the rules of each game"),
    ],
)
def test_a_run_with_another_game_than_its_task_does_not_begin(task, changes, said):
    config, _ = with_game(ValueConfig(), ["--task", task])
    with pytest.raises(ValueError, match=said):
        ValueLearner(config.replace(**changes))
