"""Bit counting of the unseen tiles that fit at a place.

Each design has a bit. A place requires an edge kind on some of its sides, and ``FITS`` contains the
designs that match it in any rotation. The number of unseen tiles of each design is stored in
binary, with a set of designs for each digit, so counting takes only a few population counts.
"""

from itertools import product
from typing import Any

import numpy as np
from numba.extending import intrinsic

from carc_env.engine.compiler.jit import JIT, i8, kernel, void
from carc_env.engine.compiler.python_ints import Numbers
from carc_env.engine.core.codes import Kind
from carc_env.engine.core.state import State
from carc_env.engine.core.tiles import (
    EDGES,
    N_DESIGNS,
    N_SEGMENTS,
    SEGMENT_KIND,
    SEGMENT_SIDES,
)

BITS = 62
"""Designs per word, which is a signed number."""
N_WORDS = (N_DESIGNS + BITS - 1) // BITS
N_DIGITS = 4
"""Binary digits in the number of unseen tiles of a design."""
N_EDGE_DIGITS = 5
"""Any, field, road, city, river: the edges that a place can require on a side."""
N_IN_USE = N_DIGITS * N_WORDS
"""Index after the counts: the number of words that contain unseen designs, followed by those words'
numbers."""
UNSEEN_ROOM = N_IN_USE + 1 + N_WORDS

WORD_OF = np.array([design // BITS for design in range(N_DESIGNS)]).view(Numbers)
BIT_OF = np.array([1 << design % BITS for design in range(N_DESIGNS)]).view(Numbers)
"""Bit of each design within its word."""
_ASKED = (0, 1, 2, 4, 8)
FITS = np.zeros((N_EDGE_DIGITS**4, N_WORDS), np.int64).view(Numbers)
"""[pattern, word]: the designs that fit, one bit each."""
_edges = np.asarray(EDGES[:N_DESIGNS], np.int64)
for _pattern, _kinds in enumerate(product(_ASKED, repeat=4)):
    _required = sum(kind << 4 * (3 - k) for k, kind in enumerate(_kinds))
    _mask = sum(15 << 4 * (3 - k) for k, kind in enumerate(_kinds) if kind)
    for _design in np.flatnonzero((_edges & _mask == _required).any(1)).tolist():
        FITS[_pattern, _design // BITS] |= 1 << _design % BITS

CLOSES = np.zeros((2, N_WORDS), np.int64).view(Numbers)
"""[is a city, word]: designs with a road or city that is shown on only one side, one bit each."""
for _design in range(N_DESIGNS):
    for _j in range(N_SEGMENTS[_design]):
        _kind = SEGMENT_KIND[_design, _j]
        if _kind in (Kind.ROAD, Kind.CITY) and int(SEGMENT_SIDES[_design, 0, _j]).bit_count() == 1:
            CLOSES[int(_kind == Kind.CITY), _design // BITS] |= 1 << _design % BITS


def _count_in_python(word: Any) -> int:
    return int(word).bit_count()


@intrinsic
def _count_by_numba(_: Any, word: Any) -> Any:
    def build(context: Any, builder: Any, _: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return i8(i8), build


n_bits: Any = _count_by_numba if JIT else _count_in_python
"""``n_bits(word)`` in a kernel: the number of set bits."""


@kernel(i8(i8))
def edge_digit(edge):
    """Return the digit for an edge kind among those that a place can require."""
    return edge - (edge >> 2) - 2 * (edge >> 3)


@kernel(i8(i8))
def pattern_of(edges):
    """Return the row of ``FITS`` for the edges that a place requires, given four bits per side."""
    north, east = edge_digit(edges & 15), edge_digit(edges >> 4 & 15)
    south, west = edge_digit(edges >> 8 & 15), edge_digit(edges >> 12)
    return ((west * N_EDGE_DIGITS + south) * N_EDGE_DIGITS + east) * N_EDGE_DIGITS + north


@kernel(void(State, i8[::1]))
def count_unseen(s, unseen):
    """Write how often each design is unseen: word ``digit * N_WORDS + word`` of ``unseen``.

    The tiles can be in the bag or under a hill. Most games have designs in only a few words, which
    are listed after all the counts.
    """
    unseen[:] = 0
    for k in range(s.n_bag + s.n_hidden):
        design = s.bag[k if k < s.n_bag else s.hidden[k - s.n_bag]]
        digit, carry = WORD_OF[design], BIT_OF[design]
        for _ in range(N_DIGITS):
            before = unseen[digit]
            unseen[digit] = before ^ carry
            carry &= before
            digit += N_WORDS
    n = 0
    for word in range(N_WORDS):
        found = 0
        for digit in range(N_DIGITS):
            found |= unseen[digit * N_WORDS + word]
        if found != 0:
            n += 1
            unseen[N_IN_USE + n] = word
    unseen[N_IN_USE] = n


@kernel(i8(i8[::1], i8))
def n_fitting_at(unseen, pattern):
    """Return how many unseen tiles fit at a place with the given pattern."""
    n = 0
    for k in range(unseen[N_IN_USE]):
        word = unseen[N_IN_USE + 1 + k]
        for digit in range(N_DIGITS):
            n += n_bits(unseen[digit * N_WORDS + word] & FITS[pattern, word]) << digit
    return n


@kernel(i8(i8[::1], i8, i8))
def n_closing_at(unseen, pattern, is_city):
    """Return how many unseen tiles that fit at a place have a road, or a city, that ends there."""
    n = 0
    for k in range(unseen[N_IN_USE]):
        word = unseen[N_IN_USE + 1 + k]
        designs = FITS[pattern, word] & CLOSES[1 if is_city else 0, word]
        for digit in range(N_DIGITS):
            n += n_bits(unseen[digit * N_WORDS + word] & designs) << digit
    return n


@kernel(i8(i8[::1], i8))
def n_fitting(unseen, edges):
    """Return how many unseen tiles fit at a place that requires the given edges."""
    return n_fitting_at(unseen, pattern_of(edges))
