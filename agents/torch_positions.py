"""A data set's decisions and transitions as tensors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import IterableDataset, get_worker_info

from .positions import Positions, Seen, Step


class Transitions(NamedTuple):
    """Transitions from decisions of a seat to its next ones, with one row per transition."""

    observations: dict[str, Tensor]
    """The encoding's arrays by name."""
    masks: Tensor
    """bool (n, actions): the legal actions."""
    actions: Tensor
    """int64 (n,)"""
    rewards: Tensor
    """float32 (n,): what the seat earned until its next decision."""
    next_observations: dict[str, Tensor]
    next_masks: Tensor
    """bool (n, actions): after a game ends, only action 0 is legal."""
    dones: Tensor
    """bool (n,): whether the game ended."""

    @classmethod
    def of(cls, steps: Sequence[Step]) -> Transitions:
        """Return tensors for some steps."""
        return cls(
            *_stacked([step.before for step in steps]),
            torch.tensor([step.action for step in steps]),
            torch.tensor([step.reward for step in steps]),
            *_stacked([step.after for step in steps]),
            torch.tensor([step.is_last for step in steps]),
        )


def _stacked(seen: Sequence[Seen]) -> tuple[dict[str, Tensor], Tensor]:
    """Return observations without their masks, and the masks."""
    names = [name for name in seen[0].arrays if name != "action_mask"]
    arrays = {name: np.stack([one.arrays[name] for one in seen]) for name in names}
    masks = np.stack([one.mask for one in seen]).view(np.bool_)
    return {name: torch.from_numpy(rows) for name, rows in arrays.items()}, torch.from_numpy(masks)


class TorchPositions(IterableDataset[dict[str, Tensor]]):
    """Yields batches of tensors; pass it to a ``DataLoader`` with ``batch_size=None``.

    The loader's workers divide the files among them; each shuffles its own part.

    Parameters
    ----------
    positions : Positions
        The decisions, with their batch size and encoding.

    Attributes
    ----------
    epoch : int
        Number of the next epoch, which determines the order. Increase it before each epoch.
    """

    def __init__(self, positions: Positions) -> None:
        self.positions = positions
        self.epoch = 0

    def __iter__(self) -> Iterator[dict[str, Tensor]]:
        worker = get_worker_info()
        share = (0, 1) if worker is None else (worker.id, worker.num_workers)
        for batch in self.positions.epoch(self.epoch, share):
            yield {name: torch.from_numpy(rows) for name, rows in batch.items()}
