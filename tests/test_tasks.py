"""Tasks: names, ids and decks; what they show is frozen, and every change is detected."""

import re
from dataclasses import replace

import freeze_tasks
import gymnasium
import pytest

from carc_env import Rules
from carc_env.envs.aec import CarcassonneAEC
from carc_env.envs.text.tasks import TEXT_TASKS
from carc_env.freezing import differences, frozen_of
from carc_env.game.game import Game
from carc_env.search.solving import Solver
from carc_env.seeds import Stream, seed_of
from carc_env.tasks import TASKS, frozen_tasks, task

pytestmark = pytest.mark.once

LARGE = (
    *("all-greedy-v1", "endgames-all-v1", "traders-transfer-v1"),
    *("all-greedy-v2", "traders-transfer-v2"),
    *("mix-combinations-v1", "mix-new-sets-v1", "mix-variants-v1"),
)
NAMES = [pytest.param(name, marks=pytest.mark.long) if name in LARGE else name for name in TASKS]
SHORT = task("short-greedy-v1")


# Environments.


@pytest.mark.parametrize("name", TASKS)
def test_the_id_of_a_task_makes_its_games(name):
    asked = task(name)
    assert asked == task(asked.id) and re.fullmatch(r"[a-z-]+-v\d+", name)
    envs = gymnasium.make_vec(asked.id, num_envs=2)
    assert envs.unwrapped.rules == asked.env_rules
    assert envs.unwrapped.is_self_play == (asked.opponents == "self")
    made = asked.env()
    assert isinstance(made, CarcassonneAEC) and made.rules == asked.env_rules
    if asked.opponents != "self":
        env = gymnasium.make(asked.id).unwrapped
        assert (env.rules, env.fixed_seat) == (asked.rules, None)
        assert len(env.opponents) == asked.rules.n_players - 1
    envs.close()


def test_a_training_chooses_rewards_and_encoding_but_not_the_game():
    env = gymnasium.make(SHORT.id, reward="projected", encoding="tokens")
    assert "tokens" in env.observation_space.spaces
    for option in ({"rules": Rules()}, {"opponents": "random"}, {"seat": 1}):
        with pytest.raises(ValueError, match=f"{next(iter(option))} cannot be chosen"):
            gymnasium.make(SHORT.id, **option)
        with pytest.raises(ValueError, match="it is part of the task"):
            gymnasium.make_vec(SHORT.id, **option)


def test_self_play_has_no_single_environment_and_says_what_to_take():
    with pytest.raises(ValueError, match=r"use gymnasium\.make_vec\('carc_env/base-selfplay-v1'"):
        gymnasium.make("carc_env/base-selfplay-v1")


def test_an_unknown_task_is_told_the_one_that_was_meant():
    with pytest.raises(ValueError, match="did you mean 'base-greedy-v1'"):
        task("base-gredy-v1")


def test_a_transfer_begins_with_a_task_that_has_its_budgets():
    starts = {name: task(one.start) for name, one in TASKS.items() if one.start}
    assert starts
    for name, start in starts.items():
        assert {*task(name).budgets} <= {*start.budgets}


# Decks.


def test_no_deck_of_a_task_is_one_of_another_task_or_of_anything_else():
    judged = [{one.deck_seed(k) for k in range(one.n_decks)} for one in TASKS.values()]
    others = {
        seed_of(stream, one.number, k)
        for stream in set(Stream) - {Stream.TASKS}
        for one in TASKS.values()
        for k in range(one.n_decks)
    }
    everything = set.union(*judged, others)
    assert len(everything) == sum(map(len, judged)) + len(others)


def test_a_deck_is_the_one_of_its_seed():
    assert SHORT.deck(3) == Game(SHORT.rules, seed=SHORT.deck_seed(3)).draw
    assert len({SHORT.deck(k) for k in range(50)}) == 50


# Endgames.


def test_endgames_are_worth_the_same_in_the_view_of_their_task():
    """Only endgames that could reach the border of the view are solved again."""
    asked = task("endgames-base-v1")
    n_near = 0
    for endgame in asked.solved().endgames:
        position = endgame.parsed()
        sides = [[getattr(tile, axis) for tile in position.tiles] for axis in "xy"]
        width = max(max(side) - min(side) + 1 for side in sides)
        if width + len(position.bag) + 1 <= asked.rules.view:
            continue
        n_near += 1
        game = endgame.game()
        found = Solver().solve(game, max_nodes=10**7)
        values = dict(zip(found.actions.tolist(), found.leads[:, game.decider], strict=True))
        assert [values[a] for a in game.legal_actions()] == pytest.approx(endgame.values.tolist())
    assert n_near


def test_endgames_of_other_rules_or_in_too_small_a_view_are_refused():
    solved = task("endgames-base-v1").solved()
    with pytest.raises(ValueError, match=r"solved under other rules: n_players: 2 -> 3"):
        solved.under(Rules(view=20, n_players=3))
    with pytest.raises(ValueError):
        solved.under(Rules(view=12))


# What is frozen.


def test_every_task_is_frozen():
    listed = {**TASKS, **TEXT_TASKS}
    assert [*frozen_tasks()] == [*listed]
    assert len({one.fingerprint for one in listed.values()}) == len(listed)


@pytest.mark.parametrize("name", NAMES)
def test_a_task_is_what_it_was(name):
    """If this fails, give the changed task a new name, because results exist for the old task."""
    assert differences(task(name), frozen_tasks()[name]) == []


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"rules": SHORT.rules.replace(deck_size=13)}, "deck_size: 12 -> 13"),
        ({"rules": SHORT.rules.replace(small_city_points=2)}, "hashes: rival greedy"),
        ({"number": 99}, "hashes: decks"),
        ({"reward": "margin"}, "settings: reward: 'outcome' -> 'margin'"),
        ({"rivals": ("random", "greedy")}, "hashes: rival value"),
        ({"endgames": "base-2", "rules": Rules(view=20)}, "settings: endgames"),
        ({"budgets": (1_000_000,)}, "settings: budgets"),
        ({"tests": {"12": SHORT.rules}}, "it asks for more than before"),
    ],
)
def test_a_change_of_a_task_is_told(changes, said):
    told = differences(replace(SHORT, **changes), frozen_tasks()[SHORT.name])
    assert any(said in one for one in told)


def test_a_switch_that_is_added_later_changes_no_task():
    frozen = frozen_of(SHORT)
    before = {**frozen, "switches": {**frozen["switches"]}}
    del before["switches"]["count"]
    assert differences(SHORT, before) == []


def test_the_script_freezes_what_is_new_and_nothing_twice(tmp_path, monkeypatch, capsys):
    file = tmp_path / "tasks.json"
    monkeypatch.setattr(freeze_tasks, "FILE", file)
    monkeypatch.setattr(freeze_tasks, "TASKS", {SHORT.name: SHORT})
    monkeypatch.setattr(freeze_tasks, "TEXT_TASKS", {})
    monkeypatch.setattr(freeze_tasks, "frozen_tasks", dict)
    assert freeze_tasks.main() == 0
    assert SHORT.fingerprint in file.read_text()
    written = file.stat().st_mtime_ns
    changed = replace(SHORT, number=99)
    monkeypatch.setattr(freeze_tasks, "TASKS", {SHORT.name: changed})
    monkeypatch.setattr(freeze_tasks, "frozen_tasks", frozen_tasks)
    monkeypatch.setattr(freeze_tasks, "TEXT_TASKS", TEXT_TASKS)
    assert freeze_tasks.main() == 1
    assert "has changed, make a new version of it: settings: number" in capsys.readouterr().out
    assert file.stat().st_mtime_ns == written
