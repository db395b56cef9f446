"""Imitation learning: a network learns a teacher's moves and the final margins from a data set.

The policy's target is a softmax over the teacher's values: a move that is ``temperature`` points
worse is 1/e times as likely. The value's target is the final margin. A run depends only on its
settings and its data: batches are numbered, so a resumed run reads what the uninterrupted run would
have read.
"""

from __future__ import annotations

import os
from math import cos, pi, sqrt
from typing import Any, Protocol

import numpy as np
import torch
from torch.nn import functional

from carc_env.files import user_path

from .checkpoint import Arrays, CheckpointError
from .config import ImitationConfig
from .curve import Row
from .dataset import Decisions, datasets_in, in_turn
from .device import device_called
from .learned import adam_arrays, network_arrays, restore_adam
from .network_agent import MARGIN_UNIT, NetworkAgent, load_network, read_setting
from .networks import Cells, Lens, Network
from .run import Run

BATCHES = 20
"""Batches per update."""


class ImitationLearner(Run[ImitationConfig]):
    """An imitation run; :meth:`update` learns from several batches.

    Parameters
    ----------
    config : ImitationConfig
        All settings.

    Raises
    ------
    ValueError
        The data is refused.
    """

    SETTINGS = ImitationConfig
    FIXED = ("network", "batch_size")

    def __init__(self, config: ImitationConfig) -> None:
        self._data = datasets_in([user_path(folder) for folder in config.data])
        self.all_rules = [part.rules for part in self._data]
        tests = {f" (rules {k})": rules for k, rules in enumerate(self.all_rules[1:], start=2)}
        super().__init__(config, self.all_rules[0], tests={"": self.all_rules[0], **tests})
        device = device_called(config.device)
        torch.set_num_threads(config.threads)
        torch.manual_seed(config.seed)
        self._batches = in_turn(self._data, config.batch_size, config.seed)
        self.network = Network(self.all_rules, config.network, config.precision).to(device)
        self._adam = torch.optim.Adam(self.network.parameters(), lr=config.learning_rate)
        self._lenses = [self.network.lens(rules) for rules in self.all_rules]
        self.agent = NetworkAgent(self.network, self.rules)

    def evaluated(self) -> NetworkAgent:
        """Return the current network."""
        return self.agent

    def learn(self) -> Row:
        """Learn from several batches.

        Returns
        -------
        dict
            ``loss``, how far the policy's cross entropy is above its minimum; ``agreement``, how
            often the policy's first choice is the teacher's; ``error``, the value's root mean
            square error, in points.
        """
        before = self.steps
        sums = np.zeros(3)
        for _ in range(BATCHES):
            which, batch = next(self._batches)
            sums += self._learn(batch, self._lenses[which])
            self.steps += batch.n
            if self.steps >= self.config.total_steps:
                break
        loss, agreement, error = (sums / (self.steps - before)).tolist()
        return {"loss": loss, "agreement": agreement, "error": sqrt(error)}

    def _learn(self, batch: Decisions, lens: Lens) -> tuple[float, float, float]:
        """Take a gradient step; return :meth:`update`'s results, summed over the batch."""
        config = self.config
        done = min(1.0, self.steps / config.total_steps)
        fall = (1.0 + cos(pi * done)) / 2
        rate = config.final_learning_rate + fall * (
            config.learning_rate - config.final_learning_rate
        )
        self._adam.param_groups[0]["lr"] = rate
        shares = shares_of(batch, config.temperature)
        return learn_from(batch, shares, self.network, self._adam, config, lens)

    # Saving and restoring the run.

    def state(self) -> tuple[dict[str, Any], Arrays]:
        """Return the learned state and the rules."""
        plain = {"rules": [rules.to_dict() for rules in self.all_rules]}
        return plain, network_arrays(self.network) | adam_arrays(self._adam)

    def restore(self, path: str | os.PathLike[str], meta: dict[str, Any], arrays: Arrays) -> None:
        """Restore the result of :meth:`state`, and continue at the same batch.

        Raises
        ------
        CheckpointError
            The data has other rules.
        """
        rules, _ = read_setting(path, meta)
        if list(rules) != self.all_rules:
            change = rules[0].differences(self.rules) or "which of them, and their order"
            raise CheckpointError(path, f"the data has other rules: {change}")
        super().restore(path, meta, arrays)
        config = self.config
        first = self.steps // config.batch_size
        self._batches = in_turn(self._data, config.batch_size, config.seed, first)
        load_network(path, self.network, arrays)
        restore_adam(self._adam, arrays)


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
