"""The decisions of a data set for ``torch.utils.data.DataLoader``."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor
from torch.utils.data import IterableDataset, get_worker_info

from .positions import Positions


class TorchPositions(IterableDataset[dict[str, Tensor]]):
    """Batches of tensors: give it to a ``DataLoader`` with ``batch_size=None``.

    The workers of a loader share the files; each mixes its own part.

    Parameters
    ----------
    positions : Positions
        The decisions, their batches and their encoding.

    Attributes
    ----------
    epoch : int
        The next epoch. Raise it before each one: it determines the order.
    """

    def __init__(self, positions: Positions) -> None:
        self.positions = positions
        self.epoch = 0

    def __iter__(self) -> Iterator[dict[str, Tensor]]:
        worker = get_worker_info()
        share = (0, 1) if worker is None else (worker.id, worker.num_workers)
        for batch in self.positions.epoch(self.epoch, share):
            yield {name: torch.from_numpy(rows) for name, rows in batch.items()}
