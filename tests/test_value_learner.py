"""Learning a value: threads, stopping and resuming do not change a run."""

import itertools
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import yaml
from carc_env.agents import run_folder
from carc_env.agents.arena import play_match
from carc_env.agents.checkpoint import CheckpointError, read_checkpoint, write_checkpoint
from carc_env.agents.commands import train_value
from carc_env.agents.curve import read_csv
from carc_env.agents.named_settings import settings_file, settings_of_the_package
from carc_env.agents.value_config import ValueConfig
from carc_env.agents.value_learner import ValueLearner

from carc_env import Rules, Table
from carc_env.envs.naming import make_agent
from carc_env.game.records import replace_file
from carc_env.search.weights import unpack, weights_for
from tests.resuming import RUN_FILES, check_resuming, files_in, finished
from tests.scripts import run_here

pytestmark = pytest.mark.once

COMMAND = (sys.executable, "-m", "carc_env", "train", "value")
SMALL = ValueConfig(total_games=12, round_games=4, eval_every=8, eval_games=2, threads=1)


@pytest.mark.parametrize(
    ("rules", "units"),
    [
        (Rules(), 0),
        (Rules(), 8),
        pytest.param(Rules.preset("all", n_players=3), 0, marks=pytest.mark.long),
    ],
)
def test_a_run_is_the_same_with_any_number_of_threads_and_when_gone_on_with(rules, units, tmp_path):
    config = SMALL.replace(rules=rules, eval_games=rules.n_players, hidden_units=units)
    if units:
        config = config.replace(memory_games=6, learning_rate=0.002, evaluation="insight")
    whole = finished(ValueLearner(config), tmp_path / "a.ckpt", n_rows=2)
    assert whole.games == 12 and np.abs(whole.weights).max() > 0
    threaded = finished(ValueLearner(config.replace(threads=3)))
    for other in (threaded, check_resuming(whole, tmp_path / "a.ckpt")):
        assert np.array_equal(other.weights, whole.weights)
        assert other.curve == whole.curve
    for row in (whole.curve[0], whole.curve[-1]):
        assert "greedy win_rate" in row
    assert "error" in whole.curve[1]
    assert not np.array_equal(finished(ValueLearner(config.replace(seed=1))).weights, whole.weights)


@pytest.mark.long
def test_a_few_hundred_games_teach_it_to_beat_what_it_began_as():
    learner = ValueLearner(SMALL.replace(total_games=400, round_games=20, eval_every=1000))
    before = learner.player()
    match = play_match([finished(learner).player(), before], ["a", "b"], SMALL.rules, 60)
    assert match.standings[0].win_rate.value > 0.6


@pytest.mark.long
def test_a_network_learns_more_from_as_many_games():
    few = SMALL.replace(total_games=400, round_games=20, eval_every=1000, evaluation="insight")
    network = few.replace(hidden_units=16, learning_rate=0.002, td_lambda=0.6)
    players = [finished(ValueLearner(config)).player() for config in (network, few)]
    match = play_match(players, ["network", "alone"], SMALL.rules, 200)
    assert match.standings[0].win_rate.low > 0.5


def test_a_run_may_begin_with_other_weights(tmp_path):
    rules = Rules.preset("shrines")
    learner = ValueLearner(SMALL.replace(rules=rules, init="shipped"))
    assert np.array_equal(learner.weights, weights_for(rules).values)
    learner.weights[:] = 1
    assert weights_for(rules).values.min() < 1  # the shared weights are unchanged
    (tmp_path / "value.npz").write_bytes(learner.packed())
    again = ValueLearner(SMALL.replace(init=str(tmp_path / "value.npz")))
    assert (again.weights == 1).all()
    with pytest.raises(FileNotFoundError):
        ValueLearner(SMALL.replace(init=str(tmp_path / "none.npz")))
    for one in (learner, again):
        one.close()


def test_weights_of_a_run_play(tmp_path):
    learner = finished(ValueLearner(SMALL))
    (tmp_path / "value.npz").write_bytes(learner.packed())
    found = unpack("value.npz", learner.packed())
    assert found.about["games"] == 12 and found.rules == SMALL.rules
    table = Table(seed=3)
    player = make_agent(f"value:weights={tmp_path / 'value.npz'}")
    for _ in range(20):
        action = player.act(table)
        assert action in table.legal_actions()
        table.step(action)
    with pytest.raises(ValueError, match=r"agent 'value:weights=nowhere.npz': .*No such file"):
        make_agent("value:weights=nowhere.npz")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"td_lambda": 2.0}, "td_lambda should be less than or equal to 1, got 2.0"),
        ({"greedy_share": -0.1}, "greedy_share should be greater than or equal to 0"),
        ({"threads": -1}, "threads should be greater than or equal to 0"),
        ({"hidden_units": -1}, "hidden_units should be greater than or equal to 0"),
        ({"learning_rate": 0.0}, "learning_rate should be greater than 0"),
        ({"rules": Rules(n_players=3)}, "eval_games must be a multiple of rules.n_players = 3"),
        ({"total_games": 0}, "total_games should be greater than 0"),
        ({"eval_games": 7}, "eval_games must be a multiple of rules.n_players = 2, got 7"),
        ({"eval_against": "random"}, "eval_against should be a valid tuple, got 'random'"),
        ({"eval_against": [1]}, r"eval_against should be a valid tuple, got \[1\]"),
        ({"evaluation": "points"}, "evaluation should be 'value' or 'insight', got 'points'"),
    ],
)
def test_settings_that_are_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        SMALL.replace(**changes)


def test_settings_are_written_and_read(tmp_path):
    config = SMALL.replace(rules=Rules.preset("traders"), stop_at_win_rate=0.9)
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(config.to_dict()))
    assert ValueConfig.read(tmp_path / "config.yaml") == config


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("learning_rat: 1", "setting must be one of 'folder', .*; did you mean 'learning_rate'"),
        ("rules: {views: 3}", "switch must be one of .*; got 'views'; did you mean 'view'"),
        ("rules: 3", "rules must be the name of a preset or a mapping of switches, got 3"),
        ("rules: bridge", "preset must be one of .*; did you mean 'bridges'"),
        ("rules:", "rules must be the name of a preset or a mapping of switches, got None"),
        ("- 1", "the settings must be a mapping"),
        ("a: [", "settings: not valid YAML: while parsing"),
        ("{1: 2}", "setting must be one of .*; got 1"),
        ("seed: 1\nseed: 2", "settings: not valid YAML: 'seed' is given twice"),
        ("folder: !!timestamp x", "tags are not allowed"),
        ("a: " + "[" * 5000, "nested more than 8 deep"),
        ("a: &a [x, x]\nb: [*a, *a]", "anchors and aliases are not allowed"),
        ("learning_rate: .nan", "learning_rate should be .*, got nan"),
        (f"learning_rate: 1{'0' * 400}", "learning_rate should be a (finite|valid) number, got 10"),
        ("round_games: many", "round_games should be a valid integer, got 'many'"),
        ("learning_rate: yes", "learning_rate should be a valid number, got True"),
    ],
)
def test_settings_that_are_wrong_are_named(tmp_path, text, said):
    (tmp_path / "c.yaml").write_text(text)
    with pytest.raises(ValueError, match=rf"c\.yaml: .*{said}"):
        ValueConfig.read(tmp_path / "c.yaml")


def test_all_settings_of_the_package_are_valid():
    found = settings_of_the_package()
    assert {*found} >= {"value-demo", "value-base"}
    folders = {"value-demo": "runs/demo-value"}
    for name, path in found.items():
        config = ValueConfig.read(path)
        assert config.folder == folders.get(name, f"runs/{name}")
        assert ValueConfig.from_dict(yaml.safe_load(yaml.safe_dump(config.to_dict()))) == config
        assert config.init in ("", "shipped"), "a file that only a clone has"


def test_settings_are_found_by_name_and_by_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert ValueConfig.read(settings_file(Path("value-base"))).folder == "runs/value-base"
    Path("value-demo").write_text("folder: runs/mine")
    assert settings_file(Path("value-demo")) == Path("value-demo")
    for source in ("value-bas", "configs/value-bas.yaml"):
        with pytest.raises(ValueError, match=r"neither a file .*; did you mean 'value-base'"):
            settings_file(Path(source))


def test_the_help_names_the_settings():
    done = run_here("train_value", "--help")
    names = "value-base, value-demo, value-everything, value-insight."
    assert " ".join(done.stdout.split()).endswith(f"that come with the package: {names}")
    assert run_here("train_value", "value-demo", "--help").returncode == done.returncode == 0


def test_rules_are_a_preset_or_yaml(tmp_path):
    three = "{preset: all, n_players: 3}"
    for given, said in (
        (["--rules", "bridge"], "did you mean 'bridges'?"),
        (["--rules", three, "--eval-games", "7"], "a multiple of rules.n_players"),
    ):
        done = run_here("train_value", "value-demo", *given)
        assert done.returncode != 0 and said in done.stdout and "Traceback" not in done.stdout
    config = train_value.settings_of(
        Path("value-demo"), ["--rules", three, "--rules.view", "26", "--eval-games", "3"]
    )
    assert config.rules == Rules.preset("all", n_players=3, view=26)


def test_checkpoints_of_others_are_refused(tmp_path):
    learner = ValueLearner(SMALL)
    learner.save(tmp_path / "a.ckpt")
    learner.close()
    with pytest.raises(CheckpointError, match="rules cannot change when a run resumes"):
        ValueLearner.resume(tmp_path / "a.ckpt", SMALL.replace(rules=Rules(abbot=False)))
    meta, arrays = read_checkpoint(tmp_path / "a.ckpt")
    smaller = {name: array[:-1] for name, array in arrays.items()}
    write_checkpoint(tmp_path / "smaller.ckpt", meta, smaller)
    with pytest.raises(CheckpointError, match="its state does not fit"):
        ValueLearner.resume(tmp_path / "smaller.ckpt")
    write_checkpoint(tmp_path / "older.ckpt", {**meta, "decks": 0}, arrays)
    with pytest.raises(CheckpointError, match="its run has decks of version 0"):
        ValueLearner.resume(tmp_path / "older.ckpt")
    earlier = {**meta, "config": {**meta["config"], "wandb": ""}}
    write_checkpoint(tmp_path / "earlier.ckpt", earlier, arrays)
    ValueLearner.resume(tmp_path / "earlier.ckpt").close()
    strange = {**meta, "config": {**meta["config"], "depth": 3}}
    write_checkpoint(tmp_path / "strange.ckpt", strange, arrays)
    with pytest.raises(CheckpointError, match=r"its settings are not valid here: .*'depth'"):
        ValueLearner.resume(tmp_path / "strange.ckpt")
    write_checkpoint(tmp_path / "b.ckpt", {"config": {}}, {})
    with pytest.raises(CheckpointError, match=r"it holds a network, not a value"):
        ValueLearner.resume(tmp_path / "b.ckpt")
    write_checkpoint(tmp_path / "c.ckpt", {"kind": "value", "features": 0}, {})
    with pytest.raises(CheckpointError, match=r"features of version 0"):
        ValueLearner.resume(tmp_path / "c.ckpt")


def script(*arguments, **options):
    command = [*COMMAND, *map(str, arguments)]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options
    )


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_the_script_ends_in_order_and_goes_on(tmp_path):
    (tmp_path / "small.yaml").write_text("{round_games: 4, eval_every: 100000, eval_games: 2}")
    folder = tmp_path / "run"
    run = script(tmp_path / "small.yaml", "--folder", folder, "--total-games", 100_000)
    deadline = time.monotonic() + 600
    while not (folder / "config.yaml").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    os.kill(run.pid, signal.SIGINT)
    said = run.communicate(timeout=600)[0]
    assert run.returncode == 128 + signal.SIGINT, said
    assert "Interrupted at game" in said and "to continue" in said
    games = ValueLearner.resume(folder / "latest.ckpt").games
    run = script(folder / "latest.ckpt", "--total-games", games + 4, "--eval-every", 10**6)
    said = run.communicate(timeout=600)[0]
    assert run.returncode == 0, said
    assert f"Continuing at game {games:,}" in said and f"Done at game {games + 4:,}" in said
    assert (RUN_FILES - {"best.ckpt"}) | {"value.npz"} <= files_in(folder)
    run = script(tmp_path / "small.yaml", "--folder", folder)
    assert "already contains a run" in run.communicate(timeout=600)[0] and run.returncode == 1


class Killed(BaseException):
    """Simulates the end of a process."""


@pytest.mark.long
def test_a_run_that_is_killed_at_any_write_goes_on_and_lacks_no_file(tmp_path, monkeypatch):
    """It resumes as ``scripts/results.py`` does: from the latest checkpoint or the beginning."""
    monkeypatch.setattr(run_folder, "draw_png", lambda path, _: replace_file(path, b"a picture"))
    monkeypatch.setattr(train_value, "commit", lambda: "unknown")
    replace = os.replace
    for k in itertools.count(1):
        folder, n_writes = tmp_path / f"{k}", itertools.count(1)
        config = SMALL.replace(total_games=4, eval_every=2, folder=str(folder))

        def replace_or_die(one, other, n_writes=n_writes, k=k):
            if next(n_writes) == k:
                raise Killed
            replace(one, other)

        with monkeypatch.context() as patch:
            patch.setattr(os, "replace", replace_or_die)
            try:
                train_value.train(config)
                break
            except Killed:
                pass
        latest = folder / run_folder.LATEST
        learner, _ = train_value.train(config, latest if latest.exists() else None)
        assert {*run_folder.FILES} <= {path.name for path in folder.iterdir()}, k
        times = {row["steps"] for row in read_csv(folder / run_folder.TIMES)}
        assert times == {row["steps"] for row in learner.curve if len(row) > 2}, k
    assert k > 12
