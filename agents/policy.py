"""The network as a policy for sb3-contrib's MaskablePPO, and its learner."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.distributions import MaskableDistribution
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.vec_env import VecEnv
from torch import Tensor

from carc_env.rules import Rules

from .config import NetworkConfig, Precision, TrainConfig
from .networks import Network

Observations = dict[str, Tensor]
Masks = npt.NDArray[np.bool_] | Tensor | None


class BoardPolicy(MaskableActorCriticPolicy):
    """Actor and critic in one :class:`Network`, which gets observations unchanged, as uint8.

    Parameters
    ----------
    rules : Rules
        The rules of the environment.
    network : NetworkConfig, optional
        Kind and size of the network. Default: a "light" one.
    precision : {"float32", "bfloat16"}
        Precision of the network's computations.
    """

    network: Network

    def __init__(
        self,
        *args: Any,
        rules: Rules,
        network: NetworkConfig | None = None,
        precision: Precision = "float32",
        **kwargs: Any,
    ) -> None:
        self._rules, self._precision = rules, precision
        self._network_config = network or NetworkConfig()
        super().__init__(*args, **kwargs)

    def _build(self, lr_schedule: Any) -> None:
        self.network = Network(self._rules, self._network_config, self._precision)
        self.optimizer = self.optimizer_class(
            self.network.parameters(), **{"lr": lr_schedule(1), **self.optimizer_kwargs}
        )

    def _judge(self, obs: Observations, masks: Masks) -> tuple[MaskableDistribution, Tensor]:
        logits, values = self.network(obs["board"], obs["globals"])
        distribution = self.action_dist.proba_distribution(action_logits=logits)
        if masks is not None:
            distribution.apply_masking(masks)
        return distribution, values

    def forward(  # type: ignore[override]
        self, obs: Observations, deterministic: bool = False, action_masks: Masks = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return actions, values and log-probabilities."""
        distribution, values = self._judge(obs, action_masks)
        actions = distribution.get_actions(deterministic=deterministic)
        return actions, values, distribution.log_prob(actions)

    def evaluate_actions(  # type: ignore[override]
        self, obs: Observations, actions: Tensor, action_masks: Masks = None
    ) -> tuple[Tensor, Tensor, Tensor | None]:
        """Return values, log-probabilities of the actions, and entropies."""
        distribution, values = self._judge(obs, action_masks)
        return values, distribution.log_prob(actions), distribution.entropy()

    def get_distribution(  # type: ignore[override]
        self, obs: Observations, action_masks: Masks = None
    ) -> MaskableDistribution:
        """Return the distribution over actions."""
        return self._judge(obs, action_masks)[0]

    def predict_values(self, obs: Observations) -> Tensor:  # type: ignore[override]
        """Return only the values."""
        return self._judge(obs, None)[1]


def maskable_ppo(config: TrainConfig, env: VecEnv, device: torch.device) -> MaskablePPO:
    """Return sb3-contrib's learner with our settings and network."""
    first, last = config.learning_rate, config.final_learning_rate
    ppo = MaskablePPO(
        BoardPolicy,
        env,
        learning_rate=lambda remaining: last + (first - last) * remaining,
        n_steps=config.n_steps,
        batch_size=config.batch_size,
        n_epochs=config.n_epochs,
        gamma=config.gamma,
        gae_lambda=config.gae_lambda,
        clip_range=config.clip_range,
        ent_coef=config.entropy_weight,
        vf_coef=config.value_weight,
        max_grad_norm=config.max_grad_norm,
        policy_kwargs={
            "rules": config.rules,
            "network": config.network,
            "precision": config.precision,
        },
        seed=config.seed,
        device=device,
    )
    ppo.set_logger(Logger(None, []))  # the curve reports it
    return ppo
