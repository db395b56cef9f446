"""A state's value for a seat: a compiled function that the engine calls by its address."""

from collections import namedtuple

import numba

from carc_env.engine.compiler.jit import i8
from carc_env.engine.compiler.linking import by_address
from carc_env.engine.core.state import State

f8 = numba.float64
Weights = numba.float32[::1]
"""Learned weights of an evaluation; empty for evaluations that do not learn."""
EVALUATION = f8(State, i8, Weights)
"""Signature of an evaluation: the points by which it judges a seat to be ahead in a state."""

Evaluator = namedtuple("Evaluator", "address weights")
"""An evaluation in the form that kernels use: the address of its machine code, and its weights."""
EvaluatorType = numba.types.NamedTuple([i8, Weights], Evaluator)

evaluate = by_address(EVALUATION)
"""``evaluate(address, s, seat, weights)`` in a kernel: call an evaluation."""
