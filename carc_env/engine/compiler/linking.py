"""Machine code that kernels call without compiling it again.

A kernel that calls other kernels holds a copy of their code. Large code with many callers, such as
a decision and everything that follows from it, would otherwise be compiled again for each entry
point in the engine and in each package that searches.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import llvmlite.binding as llvm
from numba.core import cgutils
from numba.extending import intrinsic

from carc_env.engine.compiler.jit import (
    IS_KNOWN,
    JIT,
    Compiler,
    entry_point,
    i8,
    prepare_kernels,
)


def signature_of(entry: Callable[..., Any]) -> Any:
    """Return the one signature for which an entry point is compiled."""
    if IS_KNOWN:
        return entry.signature  # type: ignore[attr-defined]
    (compiled,) = entry.overloads.values()  # type: ignore[attr-defined]
    return compiled.signature


_in_python: list[Callable[..., Any]] = []
_FIRST = 1 << 20
"""The first address; not a small number, because those can have a special meaning."""


def address_of(entry: Callable[..., Any]) -> int:
    """Return the address of an entry point's machine code in this process; a number without JIT."""
    if not JIT:
        if entry not in _in_python:
            _in_python.append(entry)
        return _FIRST + _in_python.index(entry)
    prepare_kernels()
    (compiled,) = entry.overloads.values()  # type: ignore[attr-defined]
    address: int = compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name)
    return address


def call(context: Any, builder: Any, function: Any, signature: Any, args: Any) -> Any:
    """Generate a call of a compiled function that passes on its errors."""
    convention = context.call_conv
    status, found = convention.call_function(
        builder, function, signature.return_type, signature.args, args
    )
    with cgutils.if_unlikely(builder, status.is_error):
        convention.return_status_propagate(builder, status)
    return found


def linked(entry: Callable[..., Any]) -> Any:
    """Return an entry point as a function that kernels call without copying its code."""
    if not JIT:
        return entry
    signature = signature_of(entry)
    symbol = f"{entry.__module__}.{entry.__qualname__}"
    if IS_KNOWN:
        entry.symbol = symbol  # type: ignore[attr-defined]
        entry.publish()  # type: ignore[attr-defined]
    else:
        llvm.add_symbol(symbol, address_of(entry))

    def build(context: Any, builder: Any, _: Any, args: Any) -> Any:
        kind = context.call_conv.get_function_type(signature.return_type, signature.args)
        function = cgutils.get_or_insert_function(builder.module, kind, symbol)
        return call(context, builder, function, signature, args)

    return _intrinsic(signature, build)


def shared(signature: Any) -> Compiler:
    """Compile a function once, for one signature; all kernels call the same code."""
    return lambda function: linked(entry_point(signature)(function))


def by_address(signature: Any) -> Any:
    """Return a function for kernels that calls the code at the address in its first argument.

    The address must be that of an entry point with the given signature.
    """
    if not JIT:
        return lambda address, *args: _in_python[address - _FIRST](*args)

    def build(context: Any, builder: Any, _: Any, args: Any) -> Any:
        kind = context.call_conv.get_function_type(signature.return_type, signature.args)
        function = builder.inttoptr(args[0], kind.as_pointer())
        return call(context, builder, function, signature, args[1:])

    return _intrinsic(signature.return_type(i8, *signature.args), build)


def _intrinsic(signature: Any, build: Any) -> Any:
    """Make an intrinsic for one signature; numba reads its number of arguments from a function."""
    names = ", ".join(f"a{k}" for k in range(len(signature.args)))
    scope = {"signature": signature, "build": build}
    exec(f"def typed(_, {names}):\n    return signature, build", scope)
    return intrinsic(scope["typed"])
