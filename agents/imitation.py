"""Gradient steps towards target probabilities of actions, and margins."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import torch
from torch.nn import functional

from .dataset import Decisions
from .network_agent import MARGIN_UNIT
from .networks import Cells, Lens, Network


class Weights(Protocol):
    """The settings that a gradient step needs."""

    @property
    def value_weight(self) -> float:
        """Weight of the value loss."""

    @property
    def max_grad_norm(self) -> float:
        """Longer gradients are clipped to this norm."""


def learn_from(
    batch: Decisions,
    shares: np.ndarray[Any, np.dtype[np.float32]],
    network: Network,
    adam: torch.optim.Optimizer,
    config: Weights,
    lens: Lens,
) -> tuple[float, float, float]:
    """Take a gradient step towards target probabilities of actions, and margins.

    Parameters
    ----------
    batch : Decisions
        The decisions to learn from.
    shares : ndarray of float32
        Target probability of each legal action, in the order of ``batch.legal``.
    network, adam
        The network and its optimiser.
    config : Weights
        The loss weight and the gradient limit.
    lens : Lens
        The lens for the rules of the batch.

    Returns
    -------
    tuple of float
        Sums over the batch: cross entropy above its minimum, number of decisions whose most
        probable action matches the target's, squared error of the value in points.
    """
    device = next(network.parameters()).device
    found, places = shown_cells(batch, lens.board_shape)
    shown, where, numbers = (
        torch.from_numpy(array).to(device) for array in (found, places, batch.globals)
    )
    cells = Cells.of(where, batch.n, lens.board_shape[0])
    logits, values = network.answer(shown, cells, numbers, lens)
    values = values[:, 0]
    rows, legal, wanted = (
        torch.from_numpy(array).to(device)
        for array in (
            np.repeat(np.arange(batch.n), batch.n_legal),
            batch.legal.astype(np.int64),
            shares,
        )
    )
    chosen = torch.full_like(logits, -torch.inf).index_put((rows, legal), logits[rows, legal])
    logs = torch.log_softmax(chosen, 1)[rows, legal]
    surprise = -(wanted * logs)
    least = -torch.special.xlogy(wanted, wanted)
    error = values - torch.from_numpy(batch.margins).to(device) / MARGIN_UNIT
    policy_loss = surprise.sum() / batch.n
    loss = policy_loss + config.value_weight * functional.mse_loss(error, 0 * error)
    adam.zero_grad()
    loss.backward()  # type: ignore[no-untyped-call]
    torch.nn.utils.clip_grad_norm_(network.parameters(), config.max_grad_norm)
    adam.step()
    with torch.no_grad():
        first = chosen.argmax(1)
        best = torch.zeros_like(logits).index_put((rows, legal), wanted).argmax(1)
        agreed = (first == best).sum()
        in_points = (error * MARGIN_UNIT).square().sum()
        return float(surprise.sum() - least.sum()), float(agreed), float(in_points)


def shares_of(batch: Decisions, temperature: float) -> np.ndarray[Any, np.dtype[np.float32]]:
    """Return each legal action's probability, computed from its value; 0 if it has no value.

    The result is float32, in the order of ``batch.legal``; it sums to 1 for each decision.
    """
    starts = np.cumsum(batch.n_legal, dtype=np.int64) - batch.n_legal
    values = np.where(np.isnan(batch.values), -np.inf, batch.values)
    best = np.repeat(np.maximum.reduceat(values, starts), batch.n_legal)
    weights = np.exp((values - best) / temperature)
    sums = np.repeat(np.add.reduceat(weights, starts), batch.n_legal)
    shares: np.ndarray[Any, np.dtype[np.float32]] = (weights / sums).astype(np.float32)
    return shares


def shown_cells(
    batch: Decisions, shape: tuple[int, int, int]
) -> tuple[np.ndarray[Any, np.dtype[np.uint8]], np.ndarray[Any, np.dtype[np.int64]]]:
    """Return a batch's nonzero cells: their planes, uint8 (N, planes), and places (N,).

    ``shape`` is the board shape, (view, view, planes). Places are indices among all cells of all
    boards.
    """
    width, _, n_planes = shape
    boards = np.repeat(np.arange(batch.n, dtype=np.int64), batch.n_active)
    places = boards * width * width + batch.indices // n_planes
    found, row = np.unique(places, return_inverse=True)
    shown = np.zeros((len(found), n_planes), np.uint8)
    shown[row, batch.indices % n_planes] = batch.weights
    return shown, found
