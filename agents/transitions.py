"""A seat's decisions and what followed, and transitions between them as tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from carc_env.layout.encodings import Arrays

if TYPE_CHECKING:
    from torch import Tensor


class Seen(NamedTuple):
    """An observation, and its legal actions."""

    arrays: Arrays
    """The encoding's arrays by name; the mask is among them if the encoding includes it."""
    mask: npt.NDArray[np.int8]
    """The legal actions; at the end of a game, only action 0 is legal."""


class Step(NamedTuple):
    """A seat's decision and what followed until its next decision, or until the end."""

    seat: int
    before: Seen
    action: int
    reward: float
    """What the seat earned; the first reward includes what it earned before its first decision."""
    after: Seen
    is_last: bool


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
        import torch

        return cls(
            *_stacked([step.before for step in steps]),
            torch.tensor([step.action for step in steps]),
            torch.tensor([step.reward for step in steps]),
            *_stacked([step.after for step in steps]),
            torch.tensor([step.is_last for step in steps]),
        )


def _stacked(seen: Sequence[Seen]) -> tuple[dict[str, Tensor], Tensor]:
    """Return observations without their masks, and the masks."""
    import torch

    names = [name for name in seen[0].arrays if name != "action_mask"]
    arrays = {name: np.stack([one.arrays[name] for one in seen]) for name in names}
    masks = np.stack([one.mask for one in seen]).view(np.bool_)
    return {name: torch.from_numpy(rows) for name, rows in arrays.items()}, torch.from_numpy(masks)
