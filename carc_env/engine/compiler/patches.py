"""What the engine lets numba do differently: stand-ins for functions of numba, while it compiles.

Numba makes machine code of every function, wraps it for Python and links into it all that it calls,
which is then optimized again in every caller. Here only entry points become machine code, and each
links and optimizes what it needs once. Functions that are not kernels are left to numba.
"""

from __future__ import annotations

import inspect
import pickle
from functools import partial
from typing import Any

import numba
from llvmlite import binding as llvm
from numba.core import codegen, cpu, dispatcher
from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.itanium_mangler import mangle_identifier
from numba.core.serialize import dumps
from numba.np import arrayobj

_finalize: Any = codegen.CPUCodeLibrary.finalize
_serialize: Any = codegen.CPUCodeLibrary.serialize_using_object_code
_get_executable: Any = cpu.CPUContext.get_executable

OWN_SYMBOLS: set[str] = set()
"""Parts of the names of kernels in LLVM code."""
OPT_OF_LINKED = 1
"""Optimization level of kernels that entry points hold, and optimize again with all they call."""


def _index_as_it_is(context: Any, builder: Any, kind: Any, index: Any, size: Any) -> Any:
    """Stands in for numba's ``fix_integer_index``, which lets negative numbers count from the end.

    Kernels never use any: leaving this out makes games 8% and the compilation 7% faster, and bounds
    checking finds negative numbers too.
    """
    return context.cast(builder, index, kind, numba.types.intp)


def note_kernel(function: Any) -> None:
    """Know a function as a kernel from now on."""
    mangled = mangle_identifier(f"{function.__module__}.{function.__qualname__}")
    OWN_SYMBOLS.add(mangled.removeprefix("N").removesuffix("E"))


def _is_kernel(library: Any) -> bool:
    """Tell whether a library of LLVM code is that of a kernel, not of numba's own functions."""
    functions = library._final_module.functions
    own = [f.name for f in functions if not f.is_declaration]
    return any(symbol in name for symbol in OWN_SYMBOLS for name in own)


def _keep_apart(library: Any) -> None:
    """Stands in for numba's ``finalize``, which links into a kernel whatever it calls.

    Each entry point links all that it needs once, so that nothing is optimized again and again;
    and of a kernel that is linked into others no machine code is needed.
    """
    if not _is_kernel(library):
        _finalize(library)
        return
    library._optimize_final_module()
    library._finalized = True


def _link_all(library: Any) -> None:
    """Stands in for ``finalize`` of an entry point: links what kernels that it calls call, too.

    Callers come first: LLVM drops what nobody needs yet.
    """
    linked: dict[Any, None] = {}
    waiting = [*reversed(library._linking_libraries)]
    while waiting:
        other = waiting.pop()
        if other not in linked:
            linked[other] = None
            waiting += reversed(other._linking_libraries)
    library._linking_libraries = [*linked]
    _finalize(library)


def _keep_names(library: Any) -> Any:
    """Stands in for ``serialize_using_object_code``, which keeps LLVM code beside the machine code.

    Nobody copies an entry point, so the names that are looked up are enough: imports read less.
    """
    if not _is_kernel(library):
        return _serialize(library)
    library._ensure_finalized()
    names = [f.name for f in library._final_module.functions if not f.is_declaration]
    stubs = "\n".join(f'define void @"{name}"() {{ ret void }}' for name in names)
    content = library._get_compiled_object(), llvm.parse_assembly(stubs).as_bitcode()
    return library.name, "object", content


def _refuse_calls(context: Any, library: Any, description: Any, environment: Any) -> Any:
    """Stands in for numba's ``get_executable``: such a kernel has no machine code of its own."""
    library._ensure_finalized()
    if not _is_kernel(library):
        return _get_executable(context, library, description, environment)

    def refuse(*_: Any) -> None:
        raise TypeError(f"{description.qualname}: Python can only call entry points")

    return refuse


class _InOneFile(NullCache):
    """Stands in for numba's ``FunctionCache``, which writes files of its own for each function."""

    def __init__(self, kernels: dict[str, bytes], function: Any) -> None:
        self._kernels = kernels
        self._name = f"{function.__module__}.{function.__qualname__}"

    def load_overload(self, _: Any, context: Any) -> Any:
        if content := self._kernels.get(self._name):
            return CompileResult._rebuild(context, *pickle.loads(content))
        return None

    def save_overload(self, _: Any, compiled: Any) -> None:
        if compiled.library.has_dynamic_globals:
            raise TypeError(
                f"{self._name}: a pointer, or an array of more than 1 MB, cannot be part of a "
                "kernel, which would not be found at its address by later starts; pass it instead"
            )
        self._kernels[self._name] = dumps(compiled._reduce())


def kept_in(kernels: dict[str, bytes]) -> tuple[Any, str, Any]:
    """What is replaced to keep entry points."""
    return dispatcher, "FunctionCache", partial(_InOneFile, kernels)


_OPT: Any = numba.config.OPT  # type: ignore[attr-defined]

Change = tuple[Any, str, Any]
"""Where in numba, under which name and by what something is replaced."""

of_entries: list[Change] = [
    (arrayobj, "fix_integer_index", _index_as_it_is),
    (codegen.CPUCodeLibrary, "finalize", _link_all),
    (codegen.CPUCodeLibrary, "serialize_using_object_code", _keep_names),
]
"""What is replaced for entry points."""
of_linked: list[Change] = [
    (arrayobj, "fix_integer_index", _index_as_it_is),
    (codegen.CPUCodeLibrary, "finalize", _keep_apart),
    (cpu.CPUContext, "get_executable", _refuse_calls),
    (numba.config, "OPT", type(_OPT)(min(_OPT, OPT_OF_LINKED))),
]
"""The same for the kernels that they hold."""

EXPECTED = {
    (arrayobj, "fix_integer_index"): ("context", "builder", "idxty", "idx", "size"),
    (codegen.CPUCodeLibrary, "finalize"): ("self",),
    (codegen.CPUCodeLibrary, "serialize_using_object_code"): ("self",),
    (codegen.CPUCodeLibrary, "_optimize_final_module"): ("self",),
    (codegen.CPUCodeLibrary, "_ensure_finalized"): ("self",),
    (codegen.CPUCodeLibrary, "_get_compiled_object"): ("self",),
    (cpu.CPUContext, "get_executable"): ("self", "library", "fndesc", "env"),
    (CompileResult, "_rebuild"): ("target_context", "libdata"),
    (CompileResult, "_reduce"): ("self",),
    (dispatcher, "FunctionCache"): ("py_func",),
}
"""What is replaced, and what the replacements use, with the names of its parameters."""


def what_is_unknown() -> str:
    """What in this version of numba is not as the replacements expect; nothing if all is."""
    for (owner, name), expected in EXPECTED.items():
        if not hasattr(owner, name):
            return f"there is no {name}"
        parameters = tuple(inspect.signature(getattr(owner, name)).parameters)
        if parameters[: len(expected)] != expected:
            return f"{name} takes {', '.join(parameters)}"
    return ""
