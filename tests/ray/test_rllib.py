"""Training with RLlib: what it sees of the game, workers that die, runs that go on."""

import csv
import importlib
import os
import signal
import subprocess
import sys
import time
from itertools import product
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import pytest
from carc_env.agents import (
    CheckpointError,
    cluster,
    make_agent,
    play_match,
    read_checkpoint,
    write_checkpoint,
)
from carc_env.agents.arena import TABLES_AT_ONCE
from carc_env.agents.config import NetworkConfig

from carc_env import Rules
from carc_env.envs.rewards import Projected

reason = "Ray is not installed; `make test-ray` runs these tests"
ray = pytest.importorskip("ray", reason=reason)
torch = pytest.importorskip("torch", reason=reason)

from carc_env.agents.rllib import MODULE, RllibConfig, RllibLearner, SelfPlayEnv, ppo_config  # noqa: E402
from ray.rllib.env.env_context import EnvContext  # noqa: E402

pytestmark = pytest.mark.once

SCRIPTS = Path(__file__).parents[2] / "scripts"
SMALL = RllibConfig(
    rules=Rules(view=16),
    network=NetworkConfig(channels=4, hidden=16),
    n_envs=8,
    n_steps=32,
    batch_size=64,
    n_epochs=2,
    eval_every=512,
    eval_games=4,
)
ROUND = SMALL.n_envs * SMALL.n_steps
PATIENCE = 600.0
"""Seconds for a new worker to take the place of a dead one."""


# The environment.


def make_env(reward: str, n_players: int = 2) -> SelfPlayEnv:
    rules = Rules(n_players=n_players, view=16)
    scheme = Projected(0.3) if reward == "projected" else reward
    config = {"rules": rules, "reward": scheme, "reward_scale": 0.5, "seed": 0, "steps": 0}
    return SelfPlayEnv(config)


def final_value(reward: str, scores: list[int], seat: int) -> float:
    """What the rewards of a game add up to, unscaled."""
    own, rival = scores[seat], max(s for k, s in enumerate(scores) if k != seat)
    weight = {"score_delta": 0.0, "margin": 1.0, "projected": 0.3}[reward]
    return own - weight * rival


@pytest.mark.parametrize("reward", ["score_delta", "margin", "projected"])
@pytest.mark.parametrize("n_players", [2, 3])
def test_rewards_of_a_game_add_up(reward: str, n_players: int) -> None:
    env = make_env(reward, n_players)
    seen, _ = env.reset(seed=5)
    sums = dict.fromkeys(env.agents, 0.0)
    start = {
        agent: final_value(reward, list(env.env.table.standings), seat)
        for seat, agent in enumerate(env.agents)
    }
    over: dict[str, bool] = {"__all__": False}
    deciders = set()
    while not over["__all__"]:
        ((agent, observation),) = seen.items()
        deciders.add(agent)
        assert agent == env.env.agent_selection
        assert env.observation_spaces[agent].contains(observation)
        action = int(np.flatnonzero(observation["action_mask"])[0])
        seen, rewards, over, _, infos = env.step({agent: action})
        for name, points in rewards.items():
            sums[name] += points
        assert {*rewards} == deciders  # RLlib drops what others get
    assert list(seen) == env.agents
    assert not any(observation["action_mask"].any() for observation in seen.values())
    scores = [infos[agent]["score"] for agent in env.agents]
    assert tuple(scores) == env.env.table.scores
    for seat, agent in enumerate(env.agents):
        before = start[agent] if reward == "projected" else 0.0
        assert sums[agent] == pytest.approx(0.5 * (final_value(reward, scores, seat) - before))


def test_no_two_workers_and_no_two_runs_share_a_deck() -> None:
    """RLlib gives worker w and its game i the seed s + w + i."""
    config = {"rules": Rules(view=12), "reward": "outcome", "reward_scale": 1.0, "steps": 0}
    decks = []
    for run, worker in product((0, 1), (1, 2)):
        env = SelfPlayEnv(EnvContext({**config, "seed": run}, worker_index=worker))
        for number in (7 + worker, 8 + worker):
            env.reset(seed=number)
            decks.append(env.env.table.save_state())
    assert len({*decks}) == 8


# Training.


class Run(NamedTuple):
    """A run of two updates."""

    checkpoint: Path
    episodes: list[Any]
    """Whole games, played after the last update."""


@pytest.fixture(scope="module")
def begun(local_ray: None, tmp_path_factory: pytest.TempPathFactory) -> Run:
    path = tmp_path_factory.mktemp("run") / "latest.ckpt"
    learner = RllibLearner(SMALL)
    assert {*learner.update()} == {"steps"} | {
        f"random {what}" for what in ("win_rate", "score", "rival_score")
    }
    learner.update()
    learner.update()
    learner.save(path)
    sampled = on_workers(learner, lambda worker: worker.sample(num_episodes=1))
    learner.close()
    return Run(path, [episode for of_worker in sampled for episode in of_worker])


def on_workers(learner: RllibLearner, what: Any) -> list[Any]:
    """What a function of a worker gives on each of them."""
    group = learner.algorithm.env_runner_group
    found: list[Any] = group.foreach_env_runner(what, local_env_runner=False)
    return found


def process_ids(learner: RllibLearner) -> list[int]:
    return on_workers(learner, lambda _: os.getpid())


def weights_of(module: Any) -> list[Any]:
    return [parameter.detach().numpy() for parameter in module.parameters()]


def assert_workers_play_what_is_learned(learner: RllibLearner) -> None:
    learned = weights_of(learner.agent.network)
    played = on_workers(learner, lambda worker: weights_of(worker.module[MODULE]))
    assert len(played) == 2
    for weights in played:
        for one, other in zip(weights, learned, strict=True):
            np.testing.assert_array_equal(one, other)


def update_until_all_live(learner: RllibLearner) -> None:
    deadline = time.monotonic() + PATIENCE
    while len(process_ids(learner)) < 2:
        assert time.monotonic() < deadline
        learner.update()


def test_games_reach_the_learner_whole(begun: Run) -> None:
    """Also what a player earns while others decide."""
    assert len(begun.episodes) >= 2
    for episode in begun.episodes:
        agents = sorted(episode.agent_episodes)
        scores = [episode.get_infos(-1, agent)[agent]["score"] for agent in agents]
        assert sum(len(episode.agent_episodes[agent]) for agent in agents) == episode.env_t
        for seat, agent in enumerate(agents):
            played = episode.agent_episodes[agent]
            earned = 0.1 * final_value("projected", scores, seat)
            assert played.get_return() == pytest.approx(earned)
            for step, action in enumerate(played.get_actions()):
                assert played.get_observations(step)["action_mask"][action] == 1


def test_training_goes_on_where_workers_die(local_ray: None) -> None:
    learner = RllibLearner(SMALL)
    learner.update()
    learner.update()
    first, second = process_ids(learner)
    os.kill(first, signal.SIGKILL)
    before = weights_of(learner.agent.network)
    row = learner.update()
    assert row["steps"] >= 2 * ROUND  # the round is full all the same
    assert row["random score"] > 0
    after = weights_of(learner.agent.network)
    assert any((one != other).any() for one, other in zip(before, after, strict=True))
    update_until_all_live(learner)
    assert first not in process_ids(learner)
    assert_workers_play_what_is_learned(learner)
    for pid in process_ids(learner):
        os.kill(pid, signal.SIGKILL)
    learner.update()
    update_until_all_live(learner)
    assert_workers_play_what_is_learned(learner)
    assert not {first, second} & {*process_ids(learner)}
    steps = [int(row["steps"]) for row in learner.curve]
    assert min(np.diff(steps)) >= ROUND
    learner.close()


# Checkpoints.


def test_a_run_goes_on(begun: Run, tmp_path: Path) -> None:
    learner = RllibLearner.resume(begun.checkpoint)
    assert learner.config == SMALL
    assert len(learner.curve) == 3
    assert learner.steps == learner.curve[-1]["steps"] >= 2 * ROUND
    assert_workers_play_what_is_learned(learner)
    learner.save(tmp_path / "again.ckpt")
    assert (tmp_path / "again.ckpt").read_bytes() == begun.checkpoint.read_bytes()
    before = learner.steps
    learner.update()
    assert learner.steps >= before + ROUND
    learner.close()


def test_a_checkpoint_plays_on_the_cluster_as_here(begun: Run) -> None:
    names, rules = ["learner", "random"], Rules(view=16)
    agents = [make_agent(begun.checkpoint, rules), make_agent("random")]
    torch.set_num_threads(1)
    here = play_match(agents, names, rules, 2 * TABLES_AT_ONCE, seed=4)
    there = cluster.play_match(agents, names, rules, 2 * TABLES_AT_ONCE, seed=4)
    assert there.to_dict() == here.to_dict()
    assert here.standings[0].score.value > here.standings[1].score.value


def test_other_rules_and_networks_are_refused(begun: Run) -> None:
    for changes, message in (
        ({"rules": Rules(view=18)}, "rules cannot change .*: view: 16 -> 18$"),
        ({"network": NetworkConfig()}, "network cannot change"),
    ):
        with pytest.raises(CheckpointError, match=message):
            RllibLearner.resume(begun.checkpoint, RllibConfig(**{**SMALL.__dict__, **changes}))


def test_checkpoints_that_lack_something_are_refused(begun: Run, tmp_path: Path) -> None:
    meta, arrays = read_checkpoint(begun.checkpoint)
    path = tmp_path / "bad.ckpt"
    for without, message in (
        ("adam/0/exp_avg", "training state is not valid: KeyError"),
        ("network/tile_head.weight", "parameters do not match the network"),
    ):
        write_checkpoint(path, meta, {k: v for k, v in arrays.items() if k != without})
        with pytest.raises(CheckpointError, match=message):
            RllibLearner.resume(path)
    write_checkpoint(path, meta, {**arrays, "adam/0/exp_avg": arrays["adam/0/exp_avg"][:1]})
    with pytest.raises(CheckpointError, match="averages of parameter 0 have another shape"):
        RllibLearner.resume(path)
    write_checkpoint(path, {**meta, "decks": 0}, arrays)
    with pytest.raises(CheckpointError, match="its run has decks of version 0"):
        RllibLearner.resume(path)
    write_checkpoint(path, {**meta, "curve": [{"steps": "many"}]}, arrays)
    with pytest.raises(CheckpointError, match="training state is not valid: TypeError"):
        RllibLearner.resume(path)
    for name, bad, message in (
        ("recipe", None, r"not a checkpoint of train_rllib\.py"),
        ("config", {**meta["config"], "lr": 1.0}, "settings are not valid here: setting must be"),
    ):
        write_checkpoint(path, {**meta, name: bad}, arrays)
        with pytest.raises(CheckpointError, match=message):
            RllibLearner.resume(path)


# Settings.


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"reward": "points"}, "reward should be"),
        ({"workers": 0}, "workers should be greater than 0"),
        ({"workers": 3}, "n_envs must be a multiple of workers = 3, got 8"),
        ({"batch_size": 512}, r"batch_size must not be more than n_envs \* n_steps = 256"),
        ({"eval_games": 7}, "eval_games must be a multiple of rules.n_players = 2"),
        ({"opponents": ("random",)}, "opponents must be only self, got random"),
    ],
)
def test_settings_that_are_wrong_are_named(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        RllibConfig(**{**SMALL.__dict__, **changes})


def test_a_run_that_goes_on_plays_other_games() -> None:
    seeds = [ppo_config(SMALL, iteration).seed for iteration in (0, 0, 1)]
    assert seeds[0] == seeds[1] != seeds[2]


# The script.


TINY = (
    "--network.channels 4 --network.hidden 16 --n-envs 8 --n-steps 32 --batch-size 64 "
    "--eval-every 512 --eval-games 2 --checkpoint-every 256"
).split()


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPTS / "train_rllib.py"), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)


def test_the_script_begins_and_goes_on(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    done = run("--rules", "{view: 16}", "--folder", folder, *TINY, "--total-steps", 512)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("against random: wins") == 2
    assert "Done at step 5" in done.stdout
    assert {path.name for path in folder.iterdir()} >= {
        *("latest.ckpt", "best.ckpt", "config.yaml", "curve.csv", "curve.png"),
        *("times.csv", "origin.yaml"),
    }
    done = run(folder / "latest.ckpt", "--total-steps", 600)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Continuing at step 5" in done.stdout
    with (folder / "curve.csv").open() as file:
        steps = [int(row["steps"]) for row in csv.DictReader(file)]
    assert len(steps) == 4 and min(np.diff(steps)) >= ROUND


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """scripts/train_rllib.py in this process, for what ends before there is a Ray."""
    monkeypatch.syspath_prepend(SCRIPTS)
    return importlib.import_module("train_rllib")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--address", "nowhere"], "error: the address of a cluster is host:port"),
        (["other.ckpt"], "error: other.ckpt: not a checkpoint: line 1 is not"),
        (["none.ckpt"], "No such file"),
        ([], "already contains a run: continue it by passing"),
    ],
)
def test_the_script_explains_what_is_wrong(
    script: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("other.ckpt").write_text("something else")
    if not arguments:
        Path("runs/rllib").mkdir(parents=True)
        Path("runs/rllib/latest.ckpt").touch()
    assert script.main(arguments) == 1
    assert message in capsys.readouterr().out


def test_the_script_names_settings_that_are_wrong(
    script: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        script.main(["--workers", "0"])
    assert "workers should be greater than 0" in capsys.readouterr().err
