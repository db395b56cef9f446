"""Evaluations: the value of a state for a seat, as one compiled function for any search.

Searches take an evaluation as the address of its machine code, so they are compiled once and run
evaluations that they have never seen at the same speed.
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
"""Weights of an evaluation that learns nothing."""


@dataclass(frozen=True, eq=False)
class Evaluation:
    """A compiled evaluation and its weights, for any search.

    Attributes
    ----------
    name : str
        Its name.
    function : callable
        ``(state, seat, weights) -> float``, compiled: points by which a seat is ahead.
    weights : ndarray of float32
        Its learned weights; empty for evaluations that learn nothing.
    """

    name: str
    function: Callable[..., Any]
    weights: npt.NDArray[np.float32] = field(default_factory=lambda: NO_WEIGHTS)

    def __post_init__(self) -> None:
        """Copy weights that are read-only, such as those from other machines."""
        object.__setattr__(self, "weights", np.require(self.weights, requirements="W"))

    def __reduce__(self) -> tuple[Any, ...]:
        where = self.function.__module__, self.function.__qualname__
        return _found_again, (self.name, *where, self.weights)

    @property
    def address(self) -> int:
        """The address of its machine code."""
        return address_of(self.function)

    @property
    def evaluator(self) -> Evaluator:
        """The evaluation as kernels take it."""
        return Evaluator(self.address, self.weights)


def _found_again(name: str, module: str, path: str, weights: Any) -> Evaluation:
    """Return an evaluation in another process, which imports its module again."""
    found = attribute_of(f"{module}:{path}")
    return Evaluation(name, found.function if isinstance(found, Evaluation) else found, weights)


def evaluation(function: Callable[..., Any]) -> Evaluation:
    """Compile a function ``(s, seat, weights) -> float`` into an evaluation without weights.

    It may call every kernel of the engine. It never sees hidden information: tiles that the last
    action has drawn are back in the bag, whose order is meaningless.
    """
    return Evaluation(function.__name__, entry_point(EVALUATION)(function))


GREEDY = Evaluation("greedy", entry.greedy)
"""The evaluation of the greedy player: :mod:`carc_env.engine.flow.greedy`."""
