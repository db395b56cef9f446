"""The recipe for TorchRL: legal actions alone, and short runs that go on and play."""

import itertools
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torchrl", reason="install carc_env[train]")

import torch
import train_torchrl
from carc_env.agents import make_agent, read_checkpoint
from carc_env.agents.config import NetworkConfig
from train_torchrl import Learner, Settings

from carc_env.envs.single_agent import CarcassonneEnv
from carc_env.rules import Rules
from carc_env.seeds import Stream, seed_of, seeds_of
from tests.resuming import WITH_TENSORBOARD, check_resuming, files_in, finished

pytestmark = pytest.mark.once

SCRIPT = Path(train_torchrl.__file__)
SMALL = Settings(
    rules=Rules(view=12),
    network=NetworkConfig(channels=4, hidden=16),
    total_steps=192,
    n_envs=2,
    n_steps=32,
    batch_size=32,
    n_epochs=1,
    opponents=("random", "greedy"),
    eval_every=128,
    eval_games=2,
    eval_against=("random",),
    threads=1,
)


def test_torchrl_takes_legal_actions_only():
    env = train_torchrl.make_env(SMALL, "random")
    env.set_seed(0)
    steps = env.rollout(150, break_when_any_done=False)
    chosen = steps["action_mask"].gather(1, steps["action"].unsqueeze(1))
    assert chosen.all() and steps["next", "done"].any()
    assert len(set(steps["action"].tolist())) > 20
    env.close()


def test_games_of_an_update_have_the_seeds_of_a_vector_environment(monkeypatch):
    """Of a seed of 64 bits that no other update has, and no other run."""
    reset, seeds = CarcassonneEnv.reset, []

    def watched(env, *, seed=None, options=None):
        seeds.extend([] if seed is None else [seed])
        return reset(env, seed=seed, options=options)

    monkeypatch.setattr(CarcassonneEnv, "reset", watched)
    updates = []
    for config in (SMALL, SMALL.replace(seed=1)):
        learner = Learner(config)
        for _ in range(2):
            updates.append(seed_of(Stream.TRAINING, config.seed, learner.steps))
            learner.learn()
        learner.close()
    assert seeds == [seed for one in updates for seed in seeds_of(one, SMALL.n_envs)]
    assert len({*seeds}) == len(seeds)


def test_a_run_that_goes_on_is_the_same_run(tmp_path, one_thread):
    straight = finished(Learner(SMALL), tmp_path / "half.ckpt", n_rows=3)
    check_resuming(straight, tmp_path / "half.ckpt")
    evaluated = [row["steps"] for row in straight.curve if "random win_rate" in row]
    assert evaluated == [0, 128, 192]
    first, last = (read_checkpoint(tmp_path / f"{n}.ckpt")[1] for n in ("half", "resumed"))
    assert any((first[name] != last[name]).any() for name in first if name.startswith("network"))


def test_the_same_weights_play_as_learn():
    """What the actor finds most probable is what the agent of the checkpoint does."""
    learner = Learner(SMALL)
    env = train_torchrl.make_env(SMALL, "random")
    env.set_seed(2)
    with torch.no_grad():
        seen = learner.actor(env.reset())
        board, numbers = seen["board"][None], seen["globals"][None]
        logits = learner.network(board, numbers)[0][0].masked_fill(~seen["mask"], -np.inf)
    table = env.base_env._env.unwrapped.table
    assert learner.agent.act(table) == int(logits.argmax())
    learner.close()
    env.close()


OPTIONS = (
    "--rules.view 12 --network.channels 4 --network.hidden 16 --n-envs 2 --n-steps 32 "
    "--batch-size 32 --n-epochs 1 --eval-games 2 --eval-against random --threads 1"
).split()


@pytest.mark.long
def test_the_recipe_runs_and_its_checkpoint_plays(tmp_path):
    run = subprocess.run(
        [sys.executable, "-W", "error", SCRIPT, "--total-steps", "128", *OPTIONS],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stdout.count("against random: wins") == 2 and "Done at step 128" in run.stdout
    folder = tmp_path / "runs" / "torchrl"
    assert files_in(folder) == WITH_TENSORBOARD
    assert make_agent(folder / "best.ckpt").rules == Rules(view=12)


def test_a_signal_ends_the_recipe_and_what_it_learned_goes_on(
    tmp_path, monkeypatch, capsys, one_thread
):
    learn, calls = Learner.learn, itertools.count(1)

    def learn_and_interrupt(learner):
        if next(calls) == 2:
            signal.raise_signal(signal.SIGTERM)
        return learn(learner)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Learner, "learn", learn_and_interrupt)
    assert train_torchrl.main(["--total-steps", "192", *OPTIONS]) == 128 + signal.SIGTERM
    assert "Interrupted at step 128" in capsys.readouterr().out
    assert train_torchrl.main(["runs/torchrl/latest.ckpt"]) == 0
    told = capsys.readouterr().out
    assert "Continuing at step 128" in told and "Done at step 192" in told
    assert train_torchrl.main(["--total-steps", "192", *OPTIONS]) == 1
    assert "runs/torchrl already contains a run" in capsys.readouterr().out
