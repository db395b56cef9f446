"""What the recipes have in common: a network, an optimiser, and games that go on."""

from __future__ import annotations

import os
from typing import Any, TypeVar

import torch
from torch import nn
from torch.optim import Optimizer

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
    """A run of a recipe; :meth:`learn` is its own.

    Parameters
    ----------
    config : PPOConfig
        All settings.
    network : Module
        All that is learned.
    optimizer : Optimizer
        An Adam over it.
    agent : Agent
        Who plays with what has been learned so far.
    """

    FIXED = ("rules", "network", "n_envs", "opponents")

    def __init__(self, config: C, network: nn.Module, optimizer: Optimizer, agent: Agent) -> None:
        super().__init__(config, config.rules)
        self.network, self.optimizer, self.agent = network, optimizer, agent

    def save_games(self) -> tuple[dict[str, Any], Arrays]:
        """Plain values and arrays that decide which games follow."""
        return {}, {}

    def restore_games(self, meta: dict[str, Any], arrays: Arrays) -> None:
        """Go to what :meth:`save_games` returned."""

    def evaluated(self) -> Agent:
        """Who is evaluated: it plays with what has been learned so far."""
        return self.agent

    def state(self) -> tuple[dict[str, Any], Arrays]:
        """What was learned, the games and all random numbers."""
        games, more = self.save_games()
        numbers, random = random_numbers()
        arrays = network_arrays(self.network) | adam_arrays(self.optimizer) | random | more
        return {"games": games, "numpy": numbers}, arrays

    def restore(self, path: str | os.PathLike[str], meta: dict[str, Any], arrays: Arrays) -> None:
        """Go to what :meth:`state` returned."""
        load_network(path, self.network, arrays)
        restore_adam(self.optimizer, arrays)
        super().restore(path, meta, arrays)
        self.restore_games(meta["games"], arrays)
        restore_random(meta["numpy"], arrays)


def prepare_torch(config: PPOConfig) -> None:
    """Set torch's threads and random numbers by the settings; distributions are not checked."""
    torch.manual_seed(config.seed)
    torch.set_num_threads(config.threads)
    torch.distributions.Distribution.set_default_validate_args(False)  # it takes a quarter
