"""PPO with TorchRL: its wrappers, rollouts and losses with the Gymnasium environment.

    python scripts/train_torchrl.py --total-steps 20000
    python scripts/train_torchrl.py runs/torchrl/latest.ckpt --total-steps 40000   continue it
    carc-env evaluate runs/torchrl/latest.ckpt random                     see how it plays
    python scripts/train_torchrl.py --help                                         all settings

This is the easiest way to start with TorchRL, not the fastest way to a strong agent: it plays one
game at a time. The folder of the run receives ``latest.ckpt``, ``best.ckpt``, ``config.yaml``,
``curve.csv``, ``curve.png`` and logs for TensorBoard. Ctrl-C or SIGTERM ends the run after the
update in progress, with a checkpoint from which it continues exactly. Requires the ``train`` extra.
"""

from __future__ import annotations

import signal
import sys
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # no traceback while modules are being imported

from carc_env.agents.commands import training
from carc_env.agents.config import NetworkConfig, PPOConfig
from carc_env.agents.cpu import prepare_cpu
from carc_env.agents.curve import Row
from carc_env.agents.interrupt import end_quietly

from carc_env.extras import check_installed

if __name__ == "__main__":
    prepare_cpu()  # before torch is imported
    check_installed("torchrl")

import gymnasium
import numpy as np
import torch
from carc_env.agents.network_agent import NetworkAgent
from carc_env.agents.networks import Network
from carc_env.agents.recipe import Recipe, prepare_torch
from tensordict import TensorDict
from tensordict.nn import TensorDictModule
from torch import Tensor, nn
from torchrl.envs import ActionMask, GymWrapper, SerialEnv, TransformedEnv
from torchrl.modules import MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

from carc_env.envs.single_agent import CarcassonneEnv
from carc_env.seeds import Stream, seed_of

LOSSES = {
    "policy_loss": "loss_objective",
    "value_loss": "loss_critic",
    "entropy": "entropy",
    "kl": "kl_approx",
}
"""Results of TorchRL's loss that are recorded in the curve."""


@dataclass(frozen=True)
class Settings(PPOConfig):
    """All settings; inherited ones are in ``agents/config.py``."""

    folder: str = "runs/torchrl"
    """Folder for checkpoints, the learning curve and logs."""
    network: NetworkConfig = field(default_factory=NetworkConfig)
    """Kind and size of the network."""
    total_steps: int = 20_000
    """The learner's decisions over all games, including those before a checkpoint."""
    n_envs: int = 4
    """Games per update, played one at a time; each update begins new games."""
    n_steps: int = 256
    """Decisions per game between updates; a two-player game has about 64."""
    batch_size: int = 256
    """Decisions per gradient step."""
    checkpoint_every: int = 5_000
    """Steps between checkpoints."""
    eval_every: int = 10_000
    """Steps between evaluations; there is also one before the first and after the last step."""

    MARK: ClassVar[dict[str, Any]] = {"recipe": "train_torchrl.py"}
    NO_MARK: ClassVar[str] = "not a checkpoint of train_torchrl.py"


class Numbered(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Game i of many: takes a seed for all of them, as a vector environment does."""

    def __init__(self, env: CarcassonneEnv, number: int) -> None:
        super().__init__(env)
        self.number = number

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        """Begin a new game; a seed restarts this environment's own sequence of games."""
        own = None if seed is None else seed_of(Stream.VECTOR, seed, self.number)
        return super().reset(seed=own, options=options)


def make_env(settings: Settings, opponent: str, number: int = 0) -> Any:
    """Return an environment with the mask in the observation, where TorchRL expects it."""
    game = CarcassonneEnv(
        settings.rules, opponent, reward=settings.scheme, encoding="planes", observe_mask=True
    )
    numbered = Numbered(game, number)
    return TransformedEnv(GymWrapper(numbered, categorical_action_encoding=True), ActionMask())


def rows_of(*seen: Tensor) -> list[Tensor]:
    """Flatten observations of any number of games and steps into a batch."""
    return [part.reshape(-1, part.shape[-1]) for part in seen]


class Actor(nn.Module):
    """Computes the logits of all actions, and the mask in the form the distribution needs."""

    def __init__(self, network: Network) -> None:
        super().__init__()
        self.network = network

    def forward(self, board: Tensor, numbers: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Return logits and mask, both of shape (..., n_actions)."""
        logits, _ = self.network(*rows_of(board, numbers))
        return logits.view(mask.shape), mask.bool()


class Critic(nn.Module):
    """Computes the same network's value for a position."""

    def __init__(self, network: Network) -> None:
        super().__init__()
        self.network = network

    def forward(self, board: Tensor, numbers: Tensor) -> Tensor:
        """Return values of shape (..., 1)."""
        _, values = self.network(*rows_of(board, numbers))
        return values.view(*numbers.shape[:-1], 1)


def make_agents(network: Network) -> tuple[ProbabilisticActor, ValueOperator]:
    """Return the actor, which draws only legal actions, and the critic."""
    seen = ["board", "globals"]
    policy = TensorDictModule(
        Actor(network), in_keys=[*seen, "action_mask"], out_keys=["logits", "mask"]
    )
    actor = ProbabilisticActor(
        policy,
        in_keys=["logits", "mask"],
        distribution_class=MaskedCategorical,
        return_log_prob=True,
    )
    return actor, ValueOperator(Critic(network), in_keys=seen)


class Learner(Recipe[Settings]):
    """A run: alternates between playing and learning."""

    SETTINGS = Settings

    def __init__(self, config: Settings) -> None:
        prepare_torch(config)
        rivals = [config.opponents[i % len(config.opponents)] for i in range(config.n_envs)]
        makers = [partial(make_env, config, one, i) for i, one in enumerate(rivals)]
        self.env = SerialEnv(config.n_envs, makers)
        network = Network(config.rules, config.network, config.precision)
        self.actor, critic = make_agents(network)
        self.advantage = GAE(
            gamma=config.gamma,
            lmbda=config.gae_lambda,
            value_network=critic,
            deactivate_vmap=True,  # the number of nonzero cells varies
        )
        self.loss = ClipPPOLoss(
            self.actor,
            critic,
            clip_epsilon=config.clip_range,
            entropy_coeff=config.entropy_weight,
            critic_coeff=config.value_weight,
            normalize_advantage=True,
        )
        optimizer = torch.optim.Adam(network.parameters(), config.learning_rate)
        super().__init__(config, network, optimizer, NetworkAgent(network, config.rules))

    def learn(self) -> Row:
        """Play ``n_steps`` decisions in each of several new games and learn from them."""
        config = self.config
        self.env.set_seed(seed_of(Stream.TRAINING, config.seed, self.steps), static_seed=True)
        with torch.no_grad():
            data = self.env.rollout(config.n_steps, self.actor, break_when_any_done=False)
            data["next", "reward"] = data["next", "reward"] * config.reward_scale
            self.advantage(data)
        data = data.reshape(-1)
        self.steps += len(data)
        told = [
            self.improve(data[rows])
            for _ in range(config.n_epochs)
            for rows in torch.randperm(len(data)).split(config.batch_size)
        ]
        return {name: float(np.mean([one[name] for one in told])) for name in LOSSES}

    def improve(self, part: TensorDict) -> Row:
        """Take a gradient step."""
        found = self.loss(part)
        total = found["loss_objective"] + found["loss_critic"] + found["loss_entropy"]
        self.optimizer.zero_grad()
        total.backward()
        nn.utils.clip_grad_norm_(self.network.parameters(), self.config.max_grad_norm)
        self.optimizer.step()
        return {name: float(found[theirs].detach()) for name, theirs in LOSSES.items()}

    def close(self) -> None:
        """Close the games."""
        self.env.close(raise_if_closed=False)  # nothing is open before the first update


SCRIPT = training.recipe(Learner)
train = partial(training.train, SCRIPT)
main = partial(training.carry_out, SCRIPT, __doc__)

if __name__ == "__main__":
    end_quietly()
    sys.exit(main(sys.argv[1:]))
