"""Evaluations: a state's value for a seat, as one compiled function that any search can use.

Searches take an evaluation as the address of its machine code. They are therefore compiled only
once, and run evaluations that they have never seen before at the same speed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np
import numpy.typing as npt

from carc_env.engine import entry
from carc_env.engine.compiler.jit import entry_point
from carc_env.engine.compiler.linking import address_of
from carc_env.engine.flow.evaluation import EVALUATION, Evaluator
from carc_env.entry_points import attribute_of
from carc_env.rules import Rules

NO_WEIGHTS = np.zeros(0, np.float32)
"""Weights of an evaluation that does not learn."""


@dataclass(frozen=True, eq=False)
class Evaluation:
    """A compiled evaluation and its weights, which any search can use.

    Attributes
    ----------
    name : str
        The name of the evaluation.
    function : callable
        ``(state, seat, weights) -> float``, compiled. It returns the points by which a seat is
        ahead.
    weights : ndarray of float32
        The learned weights; empty for evaluations that do not learn.
    """

    name: str
    function: Callable[..., Any]
    weights: npt.NDArray[np.float32] = field(default_factory=lambda: NO_WEIGHTS)

    def __post_init__(self) -> None:
        """Copy read-only weights, such as those received from other machines."""
        object.__setattr__(self, "weights", np.require(self.weights, requirements="W"))

    def under(self, rules: Rules) -> Evaluation:
        """Return the evaluation for games under the given rules: this one, if it fits all."""
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        where = self.function.__module__, self.function.__qualname__
        return _found_again, (self.name, *where, self.weights)

    @cached_property
    def address(self) -> int:
        """The address of the evaluation's machine code."""
        return address_of(self.function)

    @cached_property
    def digest(self) -> bytes:
        """A short text that only equal weights share."""
        return blake2b(self.weights.tobytes(), digest_size=16).digest()

    @cached_property
    def evaluator(self) -> Evaluator:
        """The evaluation in the form that kernels take."""
        return Evaluator(self.address, self.weights)


def _found_again(name: str, module: str, path: str, weights: Any) -> Evaluation:
    """Recreate an evaluation in another process by importing its module again."""
    found = attribute_of(f"{module}:{path}")
    return Evaluation(name, found.function if isinstance(found, Evaluation) else found, weights)


def evaluation(function: Callable[..., Any]) -> Evaluation:
    """Compile a function ``(s, seat, weights) -> float`` into an evaluation without weights.

    It can call any of the engine's kernels. It never sees hidden information: the tiles drawn by
    the last action are back in the bag, whose order is meaningless.
    """
    return Evaluation(function.__name__, entry_point(EVALUATION)(function))


GREEDY = Evaluation("greedy", entry.greedy)
"""The greedy player's evaluation: :mod:`carc_env.engine.flow.greedy`."""
