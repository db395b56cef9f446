"""Evaluations: how good a state is for a seat, as one compiled function that any search can call.

Searches take an evaluation as the address of its machine code, so they are compiled once and play
with evaluations that they have never seen, at the same speed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from carc_env.engine import entry
from carc_env.engine.compiler.jit import entry_point
from carc_env.engine.compiler.linking import address_of
from carc_env.engine.flow.evaluation import EVALUATION, Evaluator
from carc_env.entry_points import attribute_of

NO_WEIGHTS = np.zeros(0, np.float32)
"""Of an evaluation that learns nothing."""


@dataclass(frozen=True, eq=False)
class Evaluation:
    """A compiled evaluation and its weights, for whatever searches.

    Attributes
    ----------
    name : str
        What it is called.
    function : callable
        ``(state, seat, weights) -> float``, compiled: points by which a seat is ahead.
    weights : ndarray of float32
        What it has learned; empty for those that learn nothing.
    """

    name: str
    function: Callable[..., Any]
    weights: npt.NDArray[np.float32] = field(default_factory=lambda: NO_WEIGHTS)

    def __post_init__(self) -> None:
        """Copy weights that must not be written to, as those that come from other machines."""
        object.__setattr__(self, "weights", np.require(self.weights, requirements="W"))

    def __reduce__(self) -> tuple[Any, ...]:
        where = self.function.__module__, self.function.__qualname__
        return _found_again, (self.name, *where, self.weights)

    @property
    def address(self) -> int:
        """Where its machine code lies."""
        return address_of(self.function)

    @property
    def evaluator(self) -> Evaluator:
        """What kernels get."""
        return Evaluator(self.address, self.weights)


def _found_again(name: str, module: str, path: str, weights: Any) -> Evaluation:
    """An evaluation in another process, where its module is imported again."""
    found = attribute_of(f"{module}:{path}")
    return Evaluation(name, found.function if isinstance(found, Evaluation) else found, weights)


def evaluation(function: Callable[..., Any]) -> Evaluation:
    """Compile a function ``(s, seat, weights) -> float`` into an evaluation without weights.

    It may call every kernel of the engine. It never sees what nobody could: tiles that the last
    action has drawn are in the bag again, whose order means nothing.
    """
    return Evaluation(function.__name__, entry_point(EVALUATION)(function))


GREEDY = Evaluation("greedy", entry.greedy)
"""What the greedy player likes: :mod:`carc_env.engine.flow.greedy`."""
