"""Environments save records of the games that are played in them."""

import importlib
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

import gymnasium
import numpy as np
import pytest

import carc_env
from carc_env import carcassonne_v1, read_record
from carc_env.envs.single_agent import CarcassonneEnv
from carc_env.envs.vector import CarcassonneVectorEnv
from carc_env.game.archive import Archive
from carc_env.game.game import Game
from carc_env.game.table import Table

RULES = {"preset": "bridges", "n_players": 3}


def records_in(folder: Path) -> list[Game]:
    return [read_record(path) for path in sorted(folder.glob("*.carc"))]


def test_the_aec_environment_records_every_finished_game(tmp_path: Path) -> None:
    env = carcassonne_v1.env(rules=RULES, records=tmp_path / "games")
    scores = []
    for seed in (1, 2):
        env.reset(seed=seed)
        while env.agents:
            seen, _, terminated, truncated, _ = env.last()
            done = terminated or truncated
            action = None if done else int(np.flatnonzero(seen["action_mask"])[-1])
            env.step(action)
        scores.append(env.unwrapped.table.scores)
    assert [game.scores for game in records_in(tmp_path / "games")] == scores


def test_the_single_environment_records_opponents_too(tmp_path: Path) -> None:
    env = CarcassonneEnv(rules=RULES, opponents="greedy", seat=1, records=tmp_path)
    _, info = env.reset(seed=5)
    ended = False
    while not ended:
        action = int(np.flatnonzero(info["action_mask"])[0])
        _, _, ended, _, info = env.step(action)
    (game,) = records_in(tmp_path)
    assert game.scores == info["scores"]
    assert {move.seat for move in game.moves} == {0, 1, 2}


@pytest.mark.parametrize("opponents", ["random", "greedy", "self"])
def test_records_of_many_games_are_what_was_played_without(opponents: str, tmp_path: Path) -> None:
    played = []
    for records in (None, tmp_path):
        envs = CarcassonneVectorEnv(
            3, rules=RULES, opponents=opponents, autoreset_mode="SameStep", records=records
        )
        _, info = envs.reset(seed=3)
        finals: list[tuple[int, ...]] = []
        while len(finals) < 4:
            actions = info["action_mask"].argmax(axis=1)
            _, _, ended, _, info = envs.step(actions)
            for i in np.flatnonzero(ended):
                finals.append(tuple(info["final_info"]["scores"][i].tolist()))
        envs.close()
        played.append(sorted(finals))
    assert played[0] == played[1]
    assert sorted(game.scores for game in records_in(tmp_path)) == played[1]


def test_games_made_by_gymnasium_take_a_folder(tmp_path: Path) -> None:
    assert carc_env.__version__
    env = gymnasium.make("carc_env/Carcassonne-v1", records=str(tmp_path / "new"))
    env.close()
    assert (tmp_path / "new").is_dir()


def test_what_begins_in_the_middle_has_no_record(tmp_path: Path) -> None:
    game = Game(seed=1)
    game.apply(game.greedy_action())
    middle = Game.from_position(game.position())
    archive = Archive(tmp_path)
    assert archive.keep(middle) is None
    assert archive.keep(game) == next(tmp_path.iterdir())


def test_a_table_knows_no_moves(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="stores its moves"):
        Archive(tmp_path).keep(Table(seed=1))


NO_NAME = 'records needs the name of a folder, got "": pass "." for the current one'


@pytest.mark.parametrize(
    "make", [carcassonne_v1.env, CarcassonneEnv, partial(CarcassonneVectorEnv, 2)]
)
def test_a_folder_without_a_name_is_refused(make: Callable[..., object]) -> None:
    with pytest.raises(ValueError, match=re.escape(NO_NAME)):
        make(records="")


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("tournament", ["greedy", "random", "--decks", "1", "--folder", "run"]),
        ("evaluate", ["greedy", "random", "--games", "2"]),
        ("play", ["--text", "--players", "greedy", "greedy"]),
    ],
)
def test_no_command_writes_records_into_the_current_folder_by_mistake(
    command: str,
    words: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    main = importlib.import_module(f"carc_env.agents.commands.{command}").main
    assert main([*words, "--records", ""]) == 1
    assert f"error: {NO_NAME}" in "".join(capfd.readouterr())
    assert not [*tmp_path.rglob("*.carc")]
