"""Evaluations: how good a state is for a seat, as one compiled function that any search can call.

Searches take an evaluation as the address of its machine code, so they are compiled once and play
with evaluations that they have never seen, at the same speed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numba
import numpy as np
import numpy.typing as npt
from numba.extending import intrinsic

from carc_env.engine.compiler.jit import JIT, entry_point, i8
from carc_env.engine.compiler.linking import address_of, call, function_at
from carc_env.engine.core.state import State

f8 = numba.float64
Weights = numba.float32[::1]
"""What an evaluation has learned; empty for those that learn nothing."""
SIGNATURE = f8(State, i8, Weights)


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
    weights: npt.NDArray[np.float32] = field(default_factory=lambda: np.zeros(0, np.float32))

    @property
    def address(self) -> int:
        """What kernels call it by: where its machine code lies."""
        return address_of(self.function)


def evaluation(function: Callable[..., Any]) -> Evaluation:
    """Compile a function ``(s, seat, weights) -> float`` into an evaluation without weights.

    It may call every kernel of the engine. It never sees what nobody could: tiles that the last
    action has drawn are in the bag again, whose order means nothing.
    """
    return Evaluation(function.__name__, entry_point(SIGNATURE)(function))


def _call_in_python(address: int, s: Any, seat: int, weights: Any) -> float:
    return float(function_at(address)(s, seat, weights))


@intrinsic
def _call_by_numba(_: Any, address: Any, s: Any, seat: Any, weights: Any) -> Any:
    """Numba's side of :func:`evaluate`: call the machine code at an address."""

    def build(context: Any, builder: Any, _: Any, args: Any) -> Any:
        kind = context.call_conv.get_function_type(SIGNATURE.return_type, SIGNATURE.args)
        function = builder.inttoptr(args[0], kind.as_pointer())
        return call(context, builder, function, SIGNATURE, args[1:])

    return f8(i8, State, i8, Weights), build


evaluate: Any = _call_by_numba if JIT else _call_in_python
"""``evaluate(address, s, seat, weights)`` in a kernel: call an evaluation."""
