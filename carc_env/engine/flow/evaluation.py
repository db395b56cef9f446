"""How good a state is for a seat: a compiled function that the engine calls without knowing it."""

from collections import namedtuple

import numba

from carc_env.engine.compiler.jit import i8
from carc_env.engine.compiler.linking import by_address
from carc_env.engine.core.state import State

f8 = numba.float64
Weights = numba.float32[::1]
"""What an evaluation has learned; empty for those that learn nothing."""
EVALUATION = f8(State, i8, Weights)
"""Of an evaluation: by how many points a seat is ahead, seen from a state."""

Evaluator = namedtuple("Evaluator", "address weights")
"""An evaluation for kernels: where its machine code lies, and what it has learned."""
EvaluatorType = numba.types.NamedTuple([i8, Weights], Evaluator)

evaluate = by_address(EVALUATION)
"""``evaluate(address, s, seat, weights)`` in a kernel: call an evaluation."""
