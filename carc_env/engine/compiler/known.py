"""The numba internals that the engine builds on, and whether the installed numba has them."""

from __future__ import annotations

import inspect
from typing import Any

import numba
from numba.core import codegen, cpu, dispatcher, funcdesc, registry, typeinfer
from numba.core.base import BaseContext
from numba.core.compiler import CompileResult
from numba.core.options import DefaultOptions

TRIED = (0, 68)
"""The numba version that ``target.py`` was tested with."""
EXPECTED = {
    (codegen.CPUCodeLibrary, "finalize"): ("self",),
    (codegen.CPUCodeLibrary, "serialize_using_object_code"): ("self",),
    (codegen.CPUCodeLibrary, "_optimize_final_module"): ("self",),
    (codegen.CPUCodeLibrary, "_get_module_for_linking"): ("self",),
    (codegen.CPUCodeLibrary, "_ensure_finalized"): ("self",),
    (codegen.CPUCodeLibrary, "_get_compiled_object"): ("self",),
    (codegen.CPUCodegen, "_pass_builder"): ("self", "kwargs"),
    (codegen.CPUCodegen, "_init"): ("self", "llvm_module"),
    (BaseContext, "insert_user_function"): ("self", "func", "fndesc", "libs"),
    (BaseContext, "get_function"): ("self", "fn", "sig", "_firstcall"),
    (BaseContext, "subtarget"): ("self", "kws"),
    (cpu.CPUContext, "get_executable"): ("self", "library", "fndesc", "env"),
    (CompileResult, "_rebuild"): ("target_context", "libdata"),
    (CompileResult, "_reduce"): ("self",),
    (dispatcher, "_FunctionCompiler"): ("py_func", "targetdescr", "targetoptions", "locals"),
    (dispatcher.Dispatcher, "nopython_signatures"): ("self",),
    (dispatcher.Dispatcher, "get_overload"): ("self", "sig"),
    (funcdesc.ExternalFunctionDescriptor, "__init__"): ("self", "name", "restype", "argtypes"),
    (dispatcher.Dispatcher, "compile"): ("self", "sig"),
    (dispatcher.Dispatcher, "disable_compile"): ("self", "val"),
    (dispatcher.Dispatcher, "add_overload"): ("self", "cres"),
    (registry.CPUTarget, "__init__"): ("self", "target_name"),
    (typeinfer, "register_dispatcher"): ("disp",),
}
"""The functions that ``target.py`` overrides or uses, with the names of their first parameters."""

OPTIONS: dict[str, Any] = {
    "nopython": True,
    "nogil": True,
    "error_model": "numpy",
    "boundscheck": None,
    "_nrt": False,
    "no_cfunc_wrapper": True,
}
"""Options for entry points. Kernels allocate nothing (``memory.py``), so numba need not count
references to arrays."""


def options_of_kernel(*, inline: bool) -> dict[str, Any]:
    """Return the options for kernels, which Python never calls."""
    return {**OPTIONS, "forceinline": inline, "no_cpython_wrapper": True}


def known_of(options: dict[str, Any]) -> dict[str, Any]:
    """Return only the options that this numba knows; plain numba rejects the others."""
    return {name: value for name, value in options.items() if hasattr(DefaultOptions, name)}


def what_is_unknown() -> str:
    """Describe how this numba differs from what the target expects; empty if it does not differ."""
    if numba.version_info.short != TRIED:
        return f"it knows {TRIED[0]}.{TRIED[1]}"
    for (owner, name), expected in EXPECTED.items():
        if not hasattr(owner, name):
            return f"there is no {name}"
        found = getattr(owner, name)
        function: Any = found.fget if isinstance(found, property) else found
        parameters = tuple(inspect.signature(function).parameters)
        if parameters[: len(expected)] != expected:
            return f"{name} takes {', '.join(parameters)}"
    return ""
