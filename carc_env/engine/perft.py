"""Counting positions, for ``scripts/perft.py``; compiled when it is imported, not with the rest."""

from carc_env.engine._jit import i8, kernel
from carc_env.engine.legal import legal_actions
from carc_env.engine.state import States
from carc_env.engine.turn import apply


@kernel(i8(States, i8, i8, i8[:, ::1]))
def perft(states, i, depth, actions):
    """Count the positions that are ``depth`` decisions away from game i, the bag being fixed.

    Records i + 1 to i + depth of ``states`` and rows of ``actions`` are scratch.
    """
    if depth == 0:
        return 1
    n = legal_actions(states[i], actions[depth])
    if depth == 1:
        return n
    total = 0
    for k in range(n):
        states[i + 1] = states[i]
        apply(states[i + 1], actions[depth, k])
        total += perft(states, i + 1, depth - 1, actions)
    return total
