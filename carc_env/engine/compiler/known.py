"""What of numba's inside the engine's own target builds on, and whether this numba has it."""

from __future__ import annotations

import inspect
from typing import Any

from numba.core import codegen, cpu, dispatcher, funcdesc, registry, typeinfer
from numba.core.base import BaseContext
from numba.core.compiler import CompileResult

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
"""What ``target.py`` overrides and uses, with the names of its first parameters."""


def what_is_unknown() -> str:
    """What in this version of numba is not as the target expects; nothing if all is."""
    for (owner, name), expected in EXPECTED.items():
        if not hasattr(owner, name):
            return f"there is no {name}"
        found = getattr(owner, name)
        function: Any = found.fget if isinstance(found, property) else found
        parameters = tuple(inspect.signature(function).parameters)
        if parameters[: len(expected)] != expected:
            return f"{name} takes {', '.join(parameters)}"
    return ""
