"""What a recipe has learned, as a checkpoint: parameters, Adam's averages, and how far it came.

The recipes go on with all that they learned, but with new games; ``agents/learner.py`` keeps the
games in progress too.
"""

from __future__ import annotations

import glob
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.optim import Optimizer

from carc_env.game.records import leftovers

from .checkpoint import SUFFIX, Arrays, CheckpointError, read_checkpoint, write_checkpoint
from .network_agent import NETWORK, load_network

AVERAGES = ("exp_avg", "exp_avg_sq")
"""What Adam keeps for each parameter, beside a count of steps."""


@dataclass
class Learned:
    """A network in training.

    Parameters
    ----------
    recipe : str
        The script; a file of another one is refused.
    fixed : dict
        Settings, as plain values, that the parameters depend on; a file with others is refused.
    network : Module
        All that is learned.
    optimizer : Optimizer
        An Adam over it.
    steps : int
        Decisions that were learned from so far.
    """

    recipe: str
    fixed: dict[str, Any]
    network: nn.Module
    optimizer: Optimizer
    steps: int = 0

    def save(self, path: Path) -> None:
        """Write a checkpoint with all of it and the state of torch's random numbers."""
        meta = {"recipe": self.recipe, **self.fixed, "steps": self.steps}
        arrays = network_arrays(self.network) | adam_arrays(self.optimizer)
        write_checkpoint(path, meta, arrays | {"torch": torch.get_rng_state().numpy()})

    def load(self, path: Path) -> None:
        """Go to what :meth:`save` wrote.

        Raises
        ------
        CheckpointError
            The file is refused: damaged, of another recipe or of other settings.
        """
        meta, arrays = read_checkpoint(path)
        if meta.get("recipe") != self.recipe:
            raise CheckpointError(path, f"not a checkpoint of {self.recipe}")
        for name, value in self.fixed.items():
            if meta.get(name) != value:
                raise CheckpointError(
                    path, f"{name} cannot change: it was {meta.get(name)}, it is {value} now"
                )
        load_network(path, self.network, arrays)
        try:
            restore_adam(self.optimizer, arrays)
            torch.set_rng_state(torch.from_numpy(arrays["torch"]))
            self.steps = int(meta["steps"])
        except (KeyError, TypeError, ValueError, RuntimeError) as error:
            raise CheckpointError(path, f"its training state is not valid: {error!r}") from error

    def seed_of_games(self, seed: int) -> int:
        """The seed itself, or when learning goes on one for games that were not seen yet."""
        if self.steps == 0:
            return seed
        return int(np.random.SeedSequence((seed, self.steps)).generate_state(1)[0])


def check_target(save: Path, load: Path | None, *, overwrite: bool) -> None:
    """Make sure that a recipe may write its checkpoint; make the folder.

    Raises
    ------
    ValueError
        The name has another ending, or the file is there and not the one that is gone on with.
    """
    if save.suffix != SUFFIX:
        raise ValueError(f"--save: the name of a checkpoint ends in {SUFFIX}, got {save}")
    if save.exists() and not overwrite and (load is None or load.resolve() != save.resolve()):
        raise ValueError(
            f"{save} is there already: go on with it by --load {save} --save {save}, choose "
            "another --save, or pass --overwrite"
        )
    save.parent.mkdir(parents=True, exist_ok=True)
    for left in leftovers(save.parent, glob.escape(save.name)):
        left.unlink()


def network_arrays(network: nn.Module) -> Arrays:
    """Parameters by name, under the prefix that :func:`load_network` looks for."""
    return {NETWORK + name: tensor.cpu().numpy() for name, tensor in network.state_dict().items()}


def adam_arrays(optimizer: Optimizer) -> Arrays:
    """Adam's averages of each parameter, by number, and its step count."""
    arrays: Arrays = {}
    for k, entry in optimizer.state_dict()["state"].items():
        arrays |= {f"adam/{k}/{name}": entry[name].cpu().numpy() for name in AVERAGES}
        arrays[f"adam/{k}/step"] = np.array(float(entry["step"]))
    return arrays


def restore_adam(optimizer: Optimizer, arrays: Arrays) -> None:
    """Put into Adam what :func:`adam_arrays` returned.

    Raises
    ------
    KeyError, ValueError
        An average is missing or has another shape.
    """
    state: dict[int, Any] = {}
    for k, parameter in enumerate(optimizer.param_groups[0]["params"]):
        if f"adam/{k}/step" not in arrays:
            continue  # saved before the first update
        state[k] = {name: torch.from_numpy(arrays[f"adam/{k}/{name}"]) for name in AVERAGES}
        if any(average.shape != parameter.shape for average in state[k].values()):
            raise ValueError(f"the averages of parameter {k} have another shape")
        state[k]["step"] = torch.tensor(float(arrays[f"adam/{k}/step"]))
    optimizer.load_state_dict({**optimizer.state_dict(), "state": state})
