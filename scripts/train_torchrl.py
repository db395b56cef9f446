"""PPO with TorchRL: its wrappers, collector and losses around the Gymnasium environment.

    python scripts/train_torchrl.py --frames 20000

The shortest way into TorchRL, not the quickest way to a strong agent: one game at a time, a small
network over tokens. Needs the extra ``train``.
"""

from dataclasses import dataclass
from typing import Any, Literal

import tyro

from agents.cpu import prepare_cpu

prepare_cpu()  # before torch is imported

import torch  # noqa: E402
from tensordict import TensorDict  # noqa: E402
from tensordict.nn import TensorDictModule  # noqa: E402
from torch import Tensor, nn  # noqa: E402
from torchrl.envs import ActionMask, GymWrapper, TransformedEnv  # noqa: E402
from torchrl.modules import MaskedCategorical, ProbabilisticActor, ValueOperator  # noqa: E402
from torchrl.objectives import ClipPPOLoss  # noqa: E402
from torchrl.objectives.value import GAE  # noqa: E402

from carc_env.rules import Rules  # noqa: E402
from carc_env.single_agent import CarcassonneEnv  # noqa: E402


@dataclass
class Settings:
    """Settings of the recipe."""

    frames: int = 20_000
    """Decisions of the learner."""
    opponent: Literal["random", "greedy"] = "random"
    """Who plays the other seat."""
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


def main(settings: Settings) -> None:
    """Play and learn in turns; tell the mean margin of the games that ended."""
    torch.manual_seed(settings.seed)
    env = make_env(settings)
    actor, critic = make_agents(env, settings.hidden)
    advantage = GAE(gamma=0.99, lmbda=0.95, value_network=critic)
    loss = ClipPPOLoss(actor, critic, entropy_coeff=0.005)
    optimizer = torch.optim.Adam(loss.parameters(), 1e-3)
    played = 0
    while played < settings.frames:
        with torch.no_grad():
            data = env.rollout(settings.batch, actor, break_when_any_done=False)
            margins = data["next", "reward"].sum() / max(1, int(data["next", "done"].sum()))
            data["next", "reward"] = data["next", "reward"] * 0.1
            advantage(data)
        learn(data, loss, optimizer, settings.epochs)
        played += len(data)
        print(f"{played:>9,} decisions, about {margins:+.1f} points a game", flush=True)
    env.close()


if __name__ == "__main__":
    main(tyro.cli(Settings, description=__doc__))
