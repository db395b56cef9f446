"""Trainings that are run for a task: its name says rules and opponents."""

import pytest
from carc_env.agents.config import TrainConfig
from carc_env.agents.run import Run
from carc_env.agents.settings import with_game
from carc_env.agents.value_config import ValueConfig

from carc_env import Rules
from carc_env.tasks import task


def test_a_task_sets_rules_and_opponents():
    config, rest = with_game(TrainConfig(), ["--task", "abbey-mayor-greedy-v1", "--seed", "3"])
    assert config.rules == task("abbey-mayor-greedy-v1").rules and config.opponents == ("greedy",)
    assert config.task == "abbey-mayor-greedy-v1" and rest == ["--seed", "3"]
    value, _ = with_game(ValueConfig(), ["--task", "base-selfplay-v1"])
    assert value.rules == Rules(view=20) and not hasattr(value, "opponents")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--task", "base-gredy-v1"], "did you mean 'base-greedy-v1'"),
        (["--task", "base-greedy-v1", "--rules", "all"], "not allowed with argument"),
    ],
)
def test_a_task_that_is_none_and_rules_beside_one_are_refused(arguments, said):
    with pytest.raises(ValueError, match=said):
        with_game(TrainConfig(), arguments)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"rules": Rules(view=22)}, r"other rules than the run .*view: 20 -> 22"),
        ({"opponents": ("random",)}, "'greedy', but in this run random"),
    ],
)
def test_a_run_that_plays_something_else_than_its_task_says_does_not_begin(changes, said):
    config, _ = with_game(TrainConfig(), ["--task", "base-greedy-v1"])
    Run(config, config.rules)
    config = config.replace(**changes)
    with pytest.raises(ValueError, match=said):
        Run(config, config.rules)


def test_a_training_by_self_play_is_none_for_a_task_against_somebody():
    config, _ = with_game(ValueConfig(), ["--task", "base-greedy-v1"])
    with pytest.raises(ValueError, match="in this run self"):
        Run(config, config.rules)
