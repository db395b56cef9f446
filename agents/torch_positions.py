"""A data set's decisions as batches of tensors."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor
from torch.utils.data import IterableDataset, get_worker_info

from .positions import Positions


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
