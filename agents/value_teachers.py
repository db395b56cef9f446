"""How the value function's weights learn from games: separately, or through a small network."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from carc_env.search.factored import rows_of_entries, write_gradients, write_weights
from carc_env.search.features import MAX_ENTRIES, N_WEIGHTS
from carc_env.search.learning import learn

from .checkpoint import Arrays
from .value_config import ValueConfig

Floats = npt.NDArray[np.float32]
BATCH = 256
"""Positions per gradient step."""
FIRST_ROW = 0.25
"""Initial spread of the network's rows. Tables begin with weight 0, so tables that occur in no game
keep their prior weights."""
MOMENTUM, MEMORY, TINY = 0.9, 0.99, 1e-6
"""Adam's parameters."""
LAST_RATE = 0.05
"""The final learning rate as a fraction of the initial one."""
AVERAGED = 500
"""Approximate number of steps over which weights are averaged; early on, the last tenth."""


class Trajectory(NamedTuple):
    """A game from the learners' perspective; row t describes the t-th step."""

    entries: npt.NDArray[np.int32]
    """(n_steps, most entries): the entries for the state after the step."""
    ends: npt.NDArray[np.int32]
    """(n_steps,): the number of entries."""
    leads: npt.NDArray[np.float32]
    """(n_steps,): the deciding seat's lead in points."""
    seats: npt.NDArray[np.int32]
    """(n_steps,): the deciding seat."""
    final: npt.NDArray[np.float32]
    """(MAX_PLAYERS,): each seat's final lead in points."""


class Teacher(Protocol):
    """Updates weights from games played with them."""

    weights: Floats
    """The weights for the next games."""

    @property
    def learned(self) -> Floats:
        """The weights that are kept and used in evaluations."""

    def learn(self, games: Sequence[Trajectory], done: float) -> float:
        """Learn from games; return the root mean square error of the values.

        ``done`` is the fraction of the run that is complete after these games.
        """

    def state(self) -> Arrays:
        """Return the complete state."""

    def restore(self, arrays: Arrays) -> None:
        """Restore the result of :meth:`state`.

        Raises
        ------
        KeyError, ValueError
            An array is missing or has another shape.
        """


def _check_shapes(arrays: Arrays, of: Arrays) -> None:
    """Raise an error if arrays are missing or have unexpected shapes."""
    for name, own in of.items():
        if arrays[name].shape != own.shape or arrays[name].dtype != own.dtype:
            raise ValueError(f"{name} has another size")


class Separate:
    """Every weight learns separately by temporal differences, with its own learning rate.

    Parameters
    ----------
    weights : ndarray of float32, shape (N_WEIGHTS,)
        The initial weights.
    config : ValueConfig
        The learning settings.
    """

    def __init__(self, weights: Floats, config: ValueConfig) -> None:
        self.weights, self._config = weights, config
        self._sums, self._sizes = np.zeros((2, N_WEIGHTS), np.float32)

    @property
    def learned(self) -> Floats:
        """The current weights."""
        return self.weights

    def learn(self, games: Sequence[Trajectory], done: float) -> float:
        """Learn from the games one by one."""
        arrays = (self.weights, self._sums, self._sizes)
        rates = self._config.learning_rate, self._config.td_lambda
        errors = sum(learn(len(game.ends), *game, *arrays, *rates) for game in games)
        return float(np.sqrt(errors / max(1, sum(len(game.ends) for game in games))))

    def state(self) -> Arrays:
        """Return the weights and the sums that determine their rates."""
        return {"weights": self.weights, "sums": self._sums, "sizes": self._sizes}

    def restore(self, arrays: Arrays) -> None:
        """Restore the result of :meth:`state`."""
        _check_shapes(arrays, self.state())
        self.weights, self._sums, self._sizes = (
            arrays[name] for name in ("weights", "sums", "sizes")
        )


class Positions(NamedTuple):
    """The remembered positions of a game."""

    entries: npt.NDArray[np.int32]
    """Entries of all positions, concatenated."""
    ends: npt.NDArray[np.int32]
    """Number of entries in each position."""
    leads: Floats
    targets: Floats
    """Target lead for each position (lambda-return)."""


REMEMBERED = {"entries": np.uint32, "ends": np.uint32, "leads": np.float32, "targets": np.float32}
"""Dtypes of remembered arrays in checkpoints."""


class Factored:
    """A network computes the weights (:mod:`carc_env.search.factored`) and is trained with Adam.

    After a round, it learns once from every position in the recent games. The weights that are kept
    are an average over its recent steps.

    Parameters
    ----------
    known : ndarray of float32, shape (N_WEIGHTS,)
        Prior weights, to which the output for an entry is added.
    config : ValueConfig
        The learning settings.
    """

    def __init__(self, known: Floats, config: ValueConfig) -> None:
        self._known, self._config = known, config
        self._rows, self._tables, n_rows = rows_of_entries()
        n_tables, units = int(self._tables.max()) + 1, config.hidden_units
        rng = np.random.default_rng([config.seed, 0])
        inner = rng.normal(0.0, FIRST_ROW, (n_rows, units))
        self._now = np.concatenate([inner, np.zeros((n_tables, units))]).astype(np.float32)
        self._mean = self._now.copy()
        self._first, self._second = np.zeros((2, *self._now.shape), np.float32)
        self._n_rows, self._n_steps = n_rows, 0
        self._room = np.zeros((MAX_ENTRIES, units), np.float32)
        self._games: deque[Positions] = deque(maxlen=config.memory_games)
        self.weights = self._weights_of(self._now)

    @property
    def learned(self) -> Floats:
        """The weights computed by the averaged network."""
        return self._weights_of(self._mean)

    def learn(self, games: Sequence[Trajectory], done: float) -> float:
        """Remember the games, then learn from all remembered games."""
        self._games.extend(self._positions(game) for game in games)
        entries, ends, leads, targets = map(np.concatenate, zip(*self._games, strict=True))
        begins = np.concatenate([[0], np.cumsum(ends)])
        rate = self._config.learning_rate * (1.0 - (1.0 - LAST_RATE) * min(done, 1.0))
        rng = np.random.default_rng([self._config.seed, self._n_steps + 1])
        order = rng.permutation(len(leads))
        gradient, squares = np.zeros_like(self._now), 0.0
        for first in range(0, len(order), BATCH):
            batch = order[first : first + BATCH]
            squares += write_gradients(
                *(self._rows, self._tables, *self._parts(self._now), self._known),
                *(entries, begins, leads, targets, batch, self._room, *self._parts(gradient)),
            )
            self._step(gradient, rate)
        self.weights = self._weights_of(self._now)
        return float(np.sqrt(squares / max(1, len(order))))

    def _step(self, gradient: Floats, rate: float) -> None:
        """Take an Adam step."""
        self._n_steps += 1
        self._first += (1.0 - MOMENTUM) * (gradient - self._first)
        self._second += (1.0 - MEMORY) * (gradient * gradient - self._second)
        first = self._first / (1.0 - MOMENTUM**self._n_steps)
        second = self._second / (1.0 - MEMORY**self._n_steps)
        self._now -= np.float32(rate) * first / (np.sqrt(second) + np.float32(TINY))
        share = max(1.0 / AVERAGED, 10.0 / (self._n_steps + 9))
        self._mean += np.float32(share) * (self._now - self._mean)

    def _positions(self, game: Trajectory) -> Positions:
        """Return a game's positions with their targets."""
        rows = [game.entries[k, :n] for k, n in enumerate(game.ends)]
        targets = np.zeros(len(rows), np.float32)
        goal, trace = game.final.astype(np.float64), self._config.td_lambda
        for k in reversed(range(len(rows))):
            seat = game.seats[k]
            targets[k] = goal[seat]
            found = game.leads[k] + self.weights[rows[k]].sum(dtype=np.float64)
            goal[seat] = (1.0 - trace) * found + trace * goal[seat]
        entries = np.concatenate(rows) if rows else np.zeros(0, np.int32)
        return Positions(entries, game.ends, game.leads, targets)

    def _parts(self, parameters: Floats) -> tuple[Floats, Floats]:
        """Return the network's rows and each table's unit weights."""
        return parameters[: self._n_rows], parameters[self._n_rows :]

    def _weights_of(self, parameters: Floats) -> Floats:
        weights = np.zeros(N_WEIGHTS, np.float32)
        rows = (self._rows, self._tables, *self._parts(parameters))
        write_weights(*rows, self._known, self._room, weights)
        return weights

    def state(self) -> Arrays:
        """Return the network, Adam's state and the remembered games."""
        found: Arrays = {
            **{"known": self._known, "now": self._now, "mean": self._mean},
            **{"first": self._first, "second": self._second, "steps": np.array([self._n_steps])},
            "lengths": np.array([len(game.ends) for game in self._games], np.int64),
        }
        for name, kind in REMEMBERED.items():
            parts = [getattr(game, name) for game in self._games]
            found[f"game_{name}"] = np.concatenate([np.zeros(0, kind), *parts]).astype(kind)
        return found

    def restore(self, arrays: Arrays) -> None:
        """Restore the result of :meth:`state`."""
        names = ("known", "now", "mean", "first", "second")
        own = self.state()
        _check_shapes(arrays, {name: own[name] for name in (*names, "steps")})
        self._known, self._now, self._mean, self._first, self._second = (
            arrays[name].copy() for name in names
        )
        self._n_steps = int(arrays["steps"][0])
        self._games.clear()
        entries, ends, leads, targets = (arrays[f"game_{name}"] for name in REMEMBERED)
        entries, ends = entries.astype(np.int32), ends.astype(np.int32)
        at, end = np.concatenate([[0], np.cumsum(ends)]), 0
        for n in arrays["lengths"].tolist():
            here = slice(end, end + n)
            own_entries = entries[at[end] : at[end + n]]
            self._games.append(Positions(own_entries, ends[here], leads[here], targets[here]))
            end += n
        self.weights = self._weights_of(self._now)
