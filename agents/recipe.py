"""What the recipes have in common: when a learner is evaluated, what is saved, how it goes on."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, ClassVar, Generic, Self, TypeVar

import torch
from torch import nn
from torch.optim import Optimizer

from carc_env.envs.naming import make_agent
from carc_env.rules import Rules
from carc_env.seeds import DECKS

from .arena import Agent
from .checkpoint import Arrays, CheckpointError, check_decks, read_checkpoint, write_checkpoint
from .config import PPOConfig
from .curve import Row, passed
from .evaluation import evaluate
from .learned import adam_arrays, network_arrays, random_numbers, restore_adam, restore_random
from .network_agent import load_network

C = TypeVar("C", bound=PPOConfig)


class Recipe(Generic[C]):
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

    NAME: ClassVar[str]
    """Of the script."""
    SETTINGS: ClassVar[type[Any]]
    """The class of its settings."""
    FIXED: ClassVar[tuple[str, ...]] = ("rules", "network", "n_envs", "opponents")
    """Settings that a resumed run cannot change: what is in the file has their shape."""

    def __init__(self, config: C, network: nn.Module, optimizer: Optimizer, agent: Agent) -> None:
        self.config, self.network, self.optimizer, self.agent = config, network, optimizer, agent
        self.steps = 0
        self.curve: list[Row] = []
        self._rivals = {spec: make_agent(spec, config.rules) for spec in config.eval_against}

    def learn(self) -> Row:
        """Play and learn once, and count ``steps``; what there is to tell about it, by name."""
        raise NotImplementedError

    def save_games(self) -> tuple[dict[str, Any], Arrays]:
        """Plain values and arrays that decide which games follow."""
        return {}, {}

    def restore_games(self, meta: dict[str, Any], arrays: Arrays) -> None:
        """Go to what :meth:`save_games` returned."""

    def close(self) -> None:
        """End what runs beside it."""

    @property
    def is_done(self) -> bool:
        """Whether all steps are done, or the last evaluation gave ``stop_at_win_rate``."""
        return self.config.is_done(self.curve)

    @property
    def n_parameters(self) -> int:
        """Numbers that are learned."""
        return sum(parameter.numel() for parameter in self.network.parameters())

    def update(self) -> Row:
        """Play and learn once, evaluate when it is due; at first evaluate alone.

        Returns
        -------
        dict
            The new row of ``curve``: ``steps``, what :meth:`learn` tells, and with an evaluation
            what :func:`.evaluation.evaluate` gives.
        """
        row: Row = {"steps": 0}
        before = self.steps
        if self.curve:
            told = self.learn()
            row = {"steps": self.steps, **told}
        is_last = self.steps >= self.config.total_steps
        if not self.curve or is_last or passed(self.config.eval_every, before, self.steps):
            config = self.config
            row |= evaluate(
                self.agent, self._rivals, config.rules, config.eval_games, config.records
            )
        self.curve.append(row)
        return row

    # The run as a file.

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a checkpoint with all that decides the next update."""
        config = self.config.to_dict()
        games, more = self.save_games()
        numbers, random = random_numbers()
        meta = {
            "recipe": self.NAME,
            "rules": self.config.rules.to_dict(),
            "config": config,
            "steps": self.steps,
            "curve": self.curve,
            "decks": DECKS,
            "games": games,
            "numpy": numbers,
        }
        if "network" in config:
            meta["network"] = config["network"]
        arrays = network_arrays(self.network) | adam_arrays(self.optimizer) | random | more
        write_checkpoint(path, meta, arrays)

    @classmethod
    def saved(cls, path: Path, meta: dict[str, Any]) -> C:
        """The settings in a checkpoint.

        Raises
        ------
        CheckpointError
            It is of another script, or its settings are not valid in this version.
        """
        if meta.get("recipe") != cls.NAME:
            raise CheckpointError(path, f"not a checkpoint of {cls.NAME}")
        check_decks(path, meta)
        try:
            config: C = cls.SETTINGS.from_dict(meta["config"])
        except (KeyError, TypeError, ValueError) as error:
            raise CheckpointError(path, f"its settings are not valid here: {error}") from error
        return config

    @classmethod
    def begin(cls, config: C, checkpoint: Path | None = None) -> Self:
        """Begin, or go on where :meth:`save` was called.

        Raises
        ------
        CheckpointError
            The file is refused, or the settings change what a resumed run cannot change.
        """
        if checkpoint is None:
            return cls(config)  # type: ignore[call-arg]  # a recipe makes the rest by itself
        meta, arrays = read_checkpoint(checkpoint)
        saved = cls.saved(checkpoint, meta)
        for name in cls.FIXED:
            was, now = getattr(saved, name), getattr(config, name)
            if was != now:
                change = was.differences(now) if isinstance(was, Rules) else f"{was} -> {now}"
                raise CheckpointError(
                    checkpoint, f"{name} cannot change when a run goes on: {change}"
                )
        learner = cls(config)  # type: ignore[call-arg]
        try:
            load_network(checkpoint, learner.network, arrays)
            restore_adam(learner.optimizer, arrays)
            learner.steps = int(meta["steps"])
            learner.curve = [dict(row) for row in meta["curve"]]
            learner.restore_games(meta["games"], arrays)
            restore_random(meta["numpy"], arrays)
        except (KeyError, TypeError, ValueError, IndexError, RuntimeError) as error:
            learner.close()
            if isinstance(error, CheckpointError):
                raise
            reason = f"its training state is not valid: {error!r}"
            raise CheckpointError(checkpoint, reason) from error
        return learner


def prepare_torch(config: PPOConfig) -> None:
    """Set torch's threads and random numbers by the settings; distributions are not checked."""
    torch.manual_seed(config.seed)
    torch.set_num_threads(config.threads)
    torch.distributions.Distribution.set_default_validate_args(False)  # it takes a quarter
