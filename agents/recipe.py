"""The common parts of training recipes: a network, an optimiser, and games in progress."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, TypeVar

import torch
from torch import nn
from torch.optim import Optimizer

from carc_env.envs.distributions import RulesDistribution
from carc_env.rules import Rules

from .arena import Agent
from .checkpoint import Arrays
from .config import PPOConfig
from .learned import (
    adam_arrays,
    network_arrays,
    random_numbers,
    restore_adam,
    restore_random,
)
from .network_agent import load_network
from .run import Run

C = TypeVar("C", bound=PPOConfig)


class Recipe(Run[C]):
    """A training run of a recipe; subclasses define :meth:`learn`.

    Parameters
    ----------
    config : PPOConfig
        All settings.
    network : Module
        All learned parameters.
    optimizer : Optimizer
        An Adam optimiser over the network's parameters.
    agent : Agent
        An agent that plays with the current network.
    distribution, tests
        As for :class:`.run.Run`.
    """

    FIXED = ("rules", "network", "n_envs", "opponents")

    def __init__(
        self,
        config: C,
        network: nn.Module,
        optimizer: Optimizer,
        agent: Agent,
        distribution: RulesDistribution | None = None,
        tests: Mapping[str, Rules] | None = None,
    ) -> None:
        super().__init__(config, config.rules, distribution, tests)
        self.network, self.optimizer, self.agent = network, optimizer, agent

    def save_games(self) -> tuple[dict[str, Any], Arrays]:
        """Return plain values and arrays that determine the next games."""
        return {}, {}

    def restore_games(self, meta: dict[str, Any], arrays: Arrays) -> None:
        """Restore the result of :meth:`save_games`."""

    def evaluated(self) -> Agent:
        """Return the agent to evaluate, which plays with the current network."""
        return self.agent

    def state(self) -> tuple[dict[str, Any], Arrays]:
        """Return the learned state, the games and all random number states."""
        games, more = self.save_games()
        numbers, random = random_numbers()
        arrays = network_arrays(self.network) | adam_arrays(self.optimizer) | random | more
        return {"games": games, "numpy": numbers}, arrays

    def restore(self, path: str | os.PathLike[str], meta: dict[str, Any], arrays: Arrays) -> None:
        """Restore the result of :meth:`state`."""
        load_network(path, self.network, arrays)
        restore_adam(self.optimizer, arrays)
        super().restore(path, meta, arrays)
        self.restore_games(meta["games"], arrays)
        restore_random(meta["numpy"], arrays)


def prepare_torch(config: PPOConfig) -> None:
    """Set torch's threads and seed from the settings; turn off validation in distributions."""
    torch.manual_seed(config.seed)
    torch.set_num_threads(config.threads)
    torch.distributions.Distribution.set_default_validate_args(
        False
    )  # validation takes a quarter of the time
