"""The recipe for TorchRL: legal actions alone, and a short run."""

import pytest

pytest.importorskip("torchrl", reason="install carc_env[train]")

import torch
import train_torchrl

from carc_env.game.table import Table

pytestmark = pytest.mark.once


def test_torchrl_takes_legal_actions_only():
    env = train_torchrl.make_env(0)
    steps = env.rollout(150, break_when_any_done=False)
    chosen = steps["action_mask"].gather(1, steps["action"].unsqueeze(1))
    assert chosen.all() and steps["next", "done"].any()
    assert len(set(steps["action"].tolist())) > 20
    env.close()


def test_the_same_weights_play_as_learn():
    """The agent sees a table as the environment shows it."""
    env, table = train_torchrl.make_env(2), None
    seen = env.reset()
    table = env.base_env._env.unwrapped.table
    assert isinstance(table, Table)
    network = train_torchrl.Network(64, seen["globals"].shape[-1], env.action_spec.space.n)
    logits, mask = network(seen["board"], seen["globals"], seen["action_mask"])
    best = logits.masked_fill(~mask, -torch.inf).argmax()
    assert train_torchrl.Agent(network).act(table) == int(best)
    env.close()


def test_the_recipe_runs(one_thread, capsys):
    rate = train_torchrl.main(["--decisions", "128", "--batch", "64"])
    told = capsys.readouterr().out
    assert 0 <= rate <= 1 and told.count("decisions") == 2 and "games won against random" in told
