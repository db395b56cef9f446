"""Stack arrays and eight-byte reads, which numba lacks, for kernels that do not allocate memory.

Each function has a Python twin for running without the JIT.
"""

from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils
from numba.core.errors import TypingError
from numba.extending import intrinsic
from numba.np import arrayobj

from carc_env.engine.compiler.jit import JIT, i8, u8, void
from carc_env.engine.compiler.python_ints import Numbers

f8 = numba.float64
WORD = 8
"""Bytes in a number, and bytes that :func:`word_at` reads."""
UNWRITTEN = -(2**62)
"""Content of stack arrays without the JIT before anything is written; invalid as an index."""


def _numbers_in_python(n: int) -> Numbers:
    return np.full(n, UNWRITTEN, np.int64).view(Numbers)


def _reals_in_python(n: int) -> Any:
    return np.full(n, np.nan)


def _words_in_python(n: int) -> Numbers:
    return np.zeros(n, np.uint64).view(Numbers)


def _on_stack(kind: Any, n: int, is_cleared: bool) -> Any:
    """Generate code for an array of n numbers that lives until the kernel returns."""

    def build(context: Any, builder: Any, _: Any, __: Any) -> Any:
        number = context.get_value_type(kind.dtype)
        size, itemsize = (context.get_constant(numba.types.intp, k) for k in (n, WORD))
        room = cgutils.alloca_once(builder, number, size)
        if is_cleared:
            cgutils.memset(builder, room, builder.mul(size, itemsize), 0)
        array = arrayobj.make_array(kind)(context, builder)
        arrayobj.populate_array(array, room, [size], [itemsize], itemsize, None)
        return array._getvalue()

    return build


def _constant(n: Any) -> int:
    """Return the value of a size that is known at compile time."""
    if not isinstance(n, numba.types.Literal):
        raise TypingError(
            "room_for, reals_for and words_for take a constant, a number or the name of a global "
            "one: give an expression such as ROWS * COLUMNS a name outside the kernel"
        )
    size: int = n.literal_value
    return size


@intrinsic(prefer_literal=True)
def _numbers_on_stack(_: Any, n: Any) -> Any:
    return i8[::1](n), _on_stack(i8[::1], _constant(n), is_cleared=False)


@intrinsic(prefer_literal=True)
def _reals_on_stack(_: Any, n: Any) -> Any:
    return f8[::1](n), _on_stack(f8[::1], _constant(n), is_cleared=False)


@intrinsic(prefer_literal=True)
def _words_on_stack(_: Any, n: Any) -> Any:
    return u8[::1](n), _on_stack(u8[::1], _constant(n), is_cleared=True)


room_for: Any = _numbers_on_stack if JIT else _numbers_in_python
"""``room_for(n)`` in a kernel: an array of n int64 numbers that lives until the kernel returns; n
must be a constant."""
reals_for: Any = _reals_on_stack if JIT else _reals_in_python
"""``reals_for(n)`` in a kernel: like ``room_for``, but for n float64 numbers."""
words_for: Any = _words_on_stack if JIT else _words_in_python
"""``words_for(n)`` in a kernel: like ``room_for``, but for n uint64 numbers, all 0: the bits of a
set."""


def _word_in_python(rows: Any, row: Any, column: Any) -> Any:
    return rows[row, column : column + WORD].view(np.uint64)[0]


def _put_word_in_python(rows: Any, row: Any, column: Any, word: Any) -> None:
    rows[row, column : column + WORD].view(np.uint64)[0] = word


def _place_of_word(context: Any, builder: Any, kinds: Any, args: Any) -> Any:
    """Return a pointer, as numba uses it, to the bytes of a word."""
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


LINE = 64
"""Number of bytes that processors fetch at once."""
_READ, _KEEP, _DATA = (ir.Constant(ir.IntType(32), k) for k in (0, 3, 1))
"""Hints for the processor: the data will be read, will be read again, and is not code."""


@intrinsic(prefer_literal=True)
def _fetch_by_numba(_: Any, rows: Any, row: Any, first: Any, n: Any) -> Any:
    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = signature.args[0]
        array = arrayobj.make_array(kind)(context, builder, args[0])
        place = [args[1], *[context.get_constant(numba.types.intp, 0)] * (kind.ndim - 1)]
        begin = cgutils.get_item_pointer(context, builder, kind, array, place)
        byte = ir.IntType(8).as_pointer()
        begin = builder.bitcast(begin, byte)
        fetch = builder.module.declare_intrinsic(
            "llvm.prefetch", [byte], ir.FunctionType(ir.VoidType(), [byte, *[_READ.type] * 3])
        )
        for offset in range(first.literal_value, first.literal_value + n.literal_value, LINE):
            line = builder.gep(begin, [context.get_constant(numba.types.intp, offset)])
            builder.call(fetch, [line, _READ, _KEEP, _DATA])
        return context.get_dummy_value()

    return void(rows, i8, first, n), build


fetch: Any = _fetch_by_numba if JIT else lambda rows, row, first, n: None
"""``fetch(rows, row, first, n)`` in a kernel: prefetch n bytes of a row, starting at byte
``first``. Both ``first`` and ``n`` must be constants. There is no other effect."""
word_at: Any = _word_by_numba if JIT else _word_in_python
"""``word_at(rows, row, column)`` in a kernel: read eight bytes of a row at once, as a u8 number."""
put_word: Any = _put_word_by_numba if JIT else _put_word_in_python
"""``put_word(rows, row, column, word)`` in a kernel: write eight bytes of a row at once."""
