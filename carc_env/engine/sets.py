"""Sets of features as bits: the scratch set of a game, empty at rest."""

import numpy as np

from carc_env.engine._jit import b1, i8, kernel, u8, void
from carc_env.engine.state import State

_U0, _U1 = np.uint64(0), np.uint64(1)


@kernel(b1(State, i8))
def is_marked(s, feature):
    """Tell whether a feature is in the scratch set."""
    return s.seen[feature >> 6] & (_U1 << u8(feature & 63)) != _U0


@kernel(i8(State, i8))
def mark(s, feature):
    """Put a feature into the scratch set; return 1 when it was not there before."""
    if is_marked(s, feature):
        return 0
    s.seen[feature >> 6] |= _U1 << u8(feature & 63)
    return 1


@kernel(void(State))
def clear_marks(s):
    """Empty the scratch set."""
    for word in range(s.seen.shape[0]):
        s.seen[word] = _U0
