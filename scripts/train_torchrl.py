"""PPO with TorchRL: its wrappers, collector and losses around the Gymnasium environment.

    python scripts/train_torchrl.py --frames 20000
    python scripts/train_torchrl.py --frames 40000 --load runs/torchrl.ckpt        go on with it

The shortest way into TorchRL, not the quickest way to a strong agent: one game at a time, a small
network over tokens. Ctrl-C or SIGTERM ends the training after the update in progress and saves.
Needs the extra ``train``.
"""

import signal
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # no traceback while modules are loaded

import tyro
from carc_env.agents.cpu import prepare_cpu
from carc_env.agents.interrupt import Interruption, end_quietly

if __name__ == "__main__":
    prepare_cpu()  # before torch is imported

import torch
from carc_env.agents.learned import Learned, check_target
from tensordict import TensorDict
from tensordict.nn import TensorDictModule
from torch import Tensor, nn
from torchrl.envs import ActionMask, GymWrapper, TransformedEnv
from torchrl.modules import MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

from carc_env.envs.single_agent import CarcassonneEnv
from carc_env.rules import Rules


@dataclass
class Settings:
    """Settings of the recipe."""

    frames: int = 20_000
    """Decisions of the learner, those before ``load`` included."""
    opponent: str = "random"
    """Who plays the other seat: an agent by name, see docs/arena.md."""
    view: int = 20
    """Cells along each side of the board."""
    batch: int = 1_000
    """Decisions between two updates."""
    epochs: int = 4
    """Passes over them."""
    hidden: int = 128
    """Width of the network."""
    seed: int = 0
    """Of the games and of the network."""
    load: Path | None = None
    """Go on from this checkpoint: parameters, optimiser and frames, new games."""
    save: Path = Path("runs/torchrl.ckpt")
    """Write a checkpoint to this file at the end."""
    overwrite: bool = False
    """Replace the file at ``save`` although it is another one than ``load``."""


class Body(nn.Module):
    """Sums up what the tiles show, each by itself, beside the globals."""

    def __init__(self, env: Any, hidden: int, n_out: int) -> None:
        super().__init__()
        seen = env.observation_spec
        self.tile = nn.Linear(seen["tokens"].shape[-1], hidden)
        self.head = nn.Sequential(
            nn.Linear(hidden + seen["globals"].shape[-1], hidden),
            nn.ReLU(),
            nn.Linear(hidden, n_out),
        )

    def forward(self, tokens: Tensor, numbers: Tensor) -> Tensor:
        """Outputs, shape (..., n_out), for tokens (..., tiles, columns) and globals."""
        tiles = torch.relu(self.tile(tokens.float() / 16)).mean(-2)
        return self.head(torch.cat((tiles, numbers), -1))


def make_env(settings: Settings) -> Any:
    """The environment with the mask in the observation, where TorchRL's transform finds it."""
    game = CarcassonneEnv(
        Rules(view=settings.view),
        settings.opponent,
        reward="margin",
        encoding="tokens",
        observe_mask=True,
    )
    env = TransformedEnv(GymWrapper(game, categorical_action_encoding=True), ActionMask())
    env.set_seed(settings.seed)
    return env


class Policy(nn.Module):
    """Logits of all actions, and the mask as the distribution wants it."""

    def __init__(self, env: Any, hidden: int) -> None:
        super().__init__()
        self.body = Body(env, hidden, env.action_spec.n)

    def forward(self, tokens: Tensor, numbers: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Logits and mask, both of shape (..., n_actions)."""
        return self.body(tokens, numbers), mask.bool()


def make_agents(env: Any, hidden: int) -> tuple[ProbabilisticActor, ValueOperator]:
    """The actor, which draws legal actions alone, and the critic."""
    seen = ["tokens", "globals"]
    policy = TensorDictModule(
        Policy(env, hidden), in_keys=[*seen, "action_mask"], out_keys=["logits", "mask"]
    )
    actor = ProbabilisticActor(
        policy,
        in_keys=["logits", "mask"],
        distribution_class=MaskedCategorical,
        return_log_prob=True,
    )
    return actor, ValueOperator(Body(env, hidden, 1), in_keys=seen)


def learn(data: TensorDict, loss: ClipPPOLoss, optimizer: torch.optim.Optimizer, n: int) -> None:
    """Go through the decisions so many times, in random order."""
    for _ in range(n):
        for part in data[torch.randperm(len(data))].split(250):
            found = loss(part)
            total = found["loss_objective"] + found["loss_critic"] + found["loss_entropy"]
            optimizer.zero_grad()
            total.backward()
            nn.utils.clip_grad_norm_(loss.parameters(), 0.5)
            optimizer.step()


def train(settings: Settings) -> int:
    """Play and learn in turns; tell the mean margin of the games that ended.

    Returns 0, or the exit status for the signal that ended it.

    Raises
    ------
    ValueError, OSError
        A checkpoint is refused, or cannot be read or written.
    """
    check_target(settings.save, settings.load, overwrite=settings.overwrite)
    torch.manual_seed(settings.seed)
    env = make_env(settings)
    actor, critic = make_agents(env, settings.hidden)
    advantage = GAE(gamma=0.99, lmbda=0.95, value_network=critic)
    loss = ClipPPOLoss(actor, critic, entropy_coeff=0.005)
    optimizer = torch.optim.Adam(loss.parameters(), 1e-3)
    fixed = {"rules": Rules(view=settings.view).to_dict(), "hidden": settings.hidden}
    learned = Learned("train_torchrl.py", fixed, nn.ModuleList([actor, critic]), optimizer)
    if settings.load is not None:
        learned.load(settings.load)
        env.set_seed(learned.seed_of_games(settings.seed))
    with Interruption() as stop:
        while learned.steps < settings.frames and not stop.wanted:
            with torch.no_grad():
                data = env.rollout(settings.batch, actor, break_when_any_done=False)
                margins = data["next", "reward"].sum() / max(1, int(data["next", "done"].sum()))
                data["next", "reward"] = data["next", "reward"] * 0.1
                advantage(data)
            learn(data, loss, optimizer, settings.epochs)
            learned.steps += len(data)
            print(f"{learned.steps:>9,} decisions, about {margins:+.1f} points a game", flush=True)
        learned.save(settings.save)
    env.close()
    print(f"Saved; go on with: --load {settings.save} --save {settings.save} --frames MORE")
    return stop.status


def main() -> int:
    """Run the command line; returns the exit status."""
    try:
        return train(tyro.cli(Settings, description=__doc__))
    except (ValueError, OSError) as error:
        print(f"error: {error}")
        return 1


if __name__ == "__main__":
    end_quietly()
    sys.exit(main())
