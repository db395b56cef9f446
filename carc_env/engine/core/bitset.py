"""Feature sets stored as bits: ``words_for(N_WORDS)`` in a kernel, or a field of the state."""

import numpy as np

from carc_env.engine.compiler.jit import b1, i8, kernel, u8, void

Bits = u8[::1]

_U0, _U1 = np.uint64(0), np.uint64(1)


@kernel(b1(Bits, i8))
def has(bits, feature):
    """Return whether a feature is in a set."""
    return bits[feature >> 6] & (_U1 << u8(feature & 63)) != _U0


@kernel(b1(Bits, i8))
def add(bits, feature):
    """Add a feature to a set; tell whether it was new."""
    is_new = not has(bits, feature)
    bits[feature >> 6] |= _U1 << u8(feature & 63)
    return is_new


@kernel(void(Bits))
def clear(bits):
    """Empty a set."""
    for word in range(bits.shape[0]):
        bits[word] = _U0
