"""What numba lacks for kernels that allocate nothing: room on the stack, eight bytes at once.

Each has a twin in Python, for runs without the JIT.
"""

from typing import Any

import numba
import numpy as np
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np import arrayobj

from carc_env.engine.compiler.jit import JIT, i8, u8, void
from carc_env.engine.compiler.python_ints import Numbers

UNWRITTEN = -(2**62)
"""What room holds without the JIT until it is written: as an index it is refused."""


def _numbers_in_python(n: int) -> Numbers:
    return np.full(n, UNWRITTEN, np.int64).view(Numbers)


@intrinsic(prefer_literal=True)
def _numbers_on_stack(_: Any, n: Any) -> Any:
    """Numba's side of :func:`room_for`: an array that lives as long as the call of the kernel."""
    kind = i8[::1]

    def build(context: Any, builder: Any, _: Any, __: Any) -> Any:
        number = context.get_value_type(i8)
        size, itemsize = (context.get_constant(numba.types.intp, k) for k in (n.literal_value, 8))
        room = cgutils.alloca_once(builder, number, size)
        array = arrayobj.make_array(kind)(context, builder)
        arrayobj.populate_array(array, room, [size], [itemsize], itemsize, None)
        return array._getvalue()

    return kind(n), build


room_for: Any = _numbers_on_stack if JIT else _numbers_in_python
"""``room_for(n)`` in a kernel: room for n int64 numbers, a constant, until the kernel returns."""


WORD = 8
"""Bytes that :func:`word_at` reads."""


def _word_in_python(rows: Any, row: Any, column: Any) -> Any:
    return rows[row, column : column + WORD].view(np.uint64)[0]


def _put_word_in_python(rows: Any, row: Any, column: Any, word: Any) -> None:
    rows[row, column : column + WORD].view(np.uint64)[0] = word


def _place_of_word(context: Any, builder: Any, kinds: Any, args: Any) -> Any:
    """Numba's pointer to the bytes of a word."""
    kind, *_ = kinds
    rows = arrayobj.make_array(kind)(context, builder, args[0])
    place = cgutils.get_item_pointer(context, builder, kind, rows, list(args[1:3]))
    return builder.bitcast(place, context.get_value_type(u8).as_pointer())


@intrinsic
def _word_by_numba(_: Any, rows: Any, row: Any, column: Any) -> Any:
    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load(_place_of_word(context, builder, signature.args, args), align=1)

    return u8(rows, u8, u8), build


@intrinsic
def _put_word_by_numba(_: Any, rows: Any, row: Any, column: Any, word: Any) -> Any:
    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = _place_of_word(context, builder, signature.args, args)
        builder.store(args[3], place, align=1)
        return context.get_dummy_value()

    return void(rows, u8, u8, u8), build


word_at: Any = _word_by_numba if JIT else _word_in_python
"""``word_at(rows, row, column)`` in a kernel: eight bytes of a row at once, as a u8 number."""
put_word: Any = _put_word_by_numba if JIT else _put_word_in_python
"""``put_word(rows, row, column, word)`` in a kernel: write them."""
