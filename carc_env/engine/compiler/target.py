"""How the engine lets numba compile: a target of its own beside numba's, which stays as it is.

Numba makes machine code of every function, wraps it for Python and links into it all that it calls,
which is then optimized again in every caller. Here only entry points become machine code, and each
links and optimizes what it needs once. Nothing of numba is replaced: the classes below inherit from
those that compile for the CPU, and share with them what numba knows of types and functions.
"""

from __future__ import annotations

import operator
import pickle
from typing import Any

import numba
from llvmlite import binding as llvm
from numba.core import codegen, cpu
from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.registry import CPUDispatcher, CPUTarget, cpu_target
from numba.core.serialize import dumps
from numba.core.typeinfer import register_dispatcher

types: Any = numba.core.types
OPT: Any = numba.config.OPT  # type: ignore[attr-defined]
OPT_OF_LINKED = 1
"""Optimization level of kernels that entry points hold, and optimize again with all they call."""

INDEXING = (operator.getitem, operator.setitem)
OPTIONS: dict[str, Any] = {
    "nopython": True,
    "nogil": True,
    "error_model": "numpy",
    "boundscheck": None,
    "_nrt": False,
    "no_cfunc_wrapper": True,
}
"""Kernels allocate nothing (``memory.py``), so numba need not count references to arrays."""


class LinkedCode(codegen.JITCodeLibrary):
    """The code of a kernel as part of entry points: of itself it becomes no machine code."""

    opt = min(OPT, OPT_OF_LINKED)

    def finalize(self) -> None:
        """Optimize a little; whatever the kernel calls is linked by the entry point."""
        self._optimize_final_module()
        self._finalized = True

    def _get_module_for_linking(self) -> Any:
        raise TypeError(f"{self.name}: only kernels and entry points can call a kernel")

    def part(self) -> Any:
        """The code for the entry points that link it."""
        return super()._get_module_for_linking()


class EntryCode(codegen.JITCodeLibrary):
    """The code of an entry point, with that of all kernels that it calls, directly or not."""

    opt = OPT

    def finalize(self) -> None:
        """Link, optimize and make machine code."""
        for library in self._callees():
            self._reload_init.update(library._reload_init)
            is_kernel = isinstance(library, LinkedCode)
            part = library.part() if is_kernel else library._get_module_for_linking()
            self._final_module.link_in(part, preserve=True)
        self._linking_libraries = []
        super().finalize()

    def _callees(self) -> dict[Any, None]:
        """All that is to be linked. Callers come first: LLVM drops what nobody needs yet."""
        linked: dict[Any, None] = {}
        waiting = [*reversed(self._linking_libraries)]
        while waiting:
            other = waiting.pop()
            if other not in linked:
                linked[other] = None
                waiting += reversed(other._linking_libraries)
        return linked

    def _get_module_for_linking(self) -> Any:
        raise TypeError(f"{self.name}: other compiled functions call an entry point by `linked`")

    def serialize_using_object_code(self) -> Any:
        """The machine code, and beside it names only: nobody copies an entry point."""
        self._ensure_finalized()
        names = [f.name for f in self._final_module.functions if not f.is_declaration]
        stubs = "\n".join(f'define void @"{name}"() {{ ret void }}' for name in names)
        content = self._get_compiled_object(), llvm.parse_assembly(stubs).as_bitcode()
        return self.name, "object", content


class _Codegen(codegen.JITCPUCodegen):
    """Numba's own, with the same engine below, for another kind of code."""

    def __init__(self, library_class: Any) -> None:
        vars(self).update(vars(cpu_target.target_context.codegen()))
        self._library_class: Any = library_class

    def _pass_builder(self, **options: Any) -> Any:
        return super()._pass_builder(**{"opt": self._library_class.opt, **options})


class _Context(cpu.CPUContext):
    """Numba's own context, which knows the same functions, for another kind of code.

    With ``wraparound`` a negative index counts from the end of an array, as everywhere in numba.
    The engine uses none: without it games are 8% and the compilation is 7% faster, and bounds
    checking finds negative numbers too.
    """

    def __init__(self, library_class: Any, wraparound: bool) -> None:
        vars(self).update(vars(cpu_target.target_context))
        self._internal_codegen = _Codegen(library_class)
        self.cached_internal_func: dict[Any, Any] = {}
        self.wraparound = wraparound

    def get_function(self, fn: Any, sig: Any, _firstcall: bool = True) -> Any:
        """How to write a call: of an index into an array, as if the index had no sign."""
        key = fn.get_impl_key(sig) if isinstance(fn, types.Function) else fn
        if key in INDEXING and not self.wraparound and isinstance(sig.args[0], types.Buffer):
            array, index, *value = sig.args
            sig = sig.replace(args=(array, _without_sign(index), *value))
            return super().get_function(key, sig, _firstcall)
        return super().get_function(fn, sig, _firstcall)

    def get_executable(self, library: Any, fndesc: Any, env: Any) -> Any:
        """What Python calls; of a kernel, a refusal."""
        if not isinstance(library, LinkedCode):
            return super().get_executable(library, fndesc, env)

        def refuse(*_: Any) -> None:
            raise TypeError(f"{fndesc.qualname}: Python can only call entry points")

        return refuse


def _without_sign(index: Any) -> Any:
    """The type of an index, or of a tuple of them, that does not ask for a negative number."""
    if isinstance(index, types.BaseTuple):
        return types.BaseTuple.from_types([_without_sign(part) for part in index.types])
    is_signed = isinstance(index, types.Integer) and index.signed
    return types.uint64 if is_signed and index.bitwidth == types.uint64.bitwidth else index


class _Target(CPUTarget):
    """What a dispatcher compiles for."""

    def __init__(self, library_class: Any, *, wraparound: bool) -> None:
        super().__init__("cpu")
        self._context = _Context(library_class, wraparound)

    @property
    def typing_context(self) -> Any:
        """Numba's own: types are found as everywhere."""
        return cpu_target.typing_context

    @property
    def target_context(self) -> Any:
        """The context of this kind of code."""
        return self._context


class Kernel(CPUDispatcher):
    """A kernel, compiled for its one signature when the first kernel that calls it is compiled."""

    targetdescr = _Target(LinkedCode, wraparound=False)
    signature: Any

    def compile(self, _: Any) -> Any:
        """Compile for the kernel's own signature, whatever a caller passes."""
        return super().compile(self.signature)

    def add_overload(self, result: Any) -> None:
        """Know the compiled code, which Python never calls."""
        self.overloads[tuple(result.signature.args)] = result


class Entry(CPUDispatcher):
    """An entry point, compiled for one signature where it is defined."""

    _cache: Any
    targetdescr = _Target(EntryCode, wraparound=False)


class KernelWithWraparound(Kernel):
    """The same where a negative index counts from the end."""

    targetdescr = _Target(LinkedCode, wraparound=True)


class EntryWithWraparound(Entry):
    """The same where a negative index counts from the end."""

    targetdescr = _Target(EntryCode, wraparound=True)


def kernel_of(function: Any, signature: Any, *, inline: bool, wraparound: bool) -> Kernel:
    """A function as a kernel, not compiled yet."""
    kind = KernelWithWraparound if wraparound else Kernel
    asked = {"forceinline": inline, "no_cpython_wrapper": True}
    kernel = kind(function, targetoptions={**OPTIONS, **asked})
    kernel.signature = signature
    return kernel


def entry_of(
    function: Any, signature: Any, *, kernels: dict[str, bytes], wraparound: bool
) -> Entry:
    """A function as an entry point: taken from what is kept, or compiled and added to it."""
    entry = (EntryWithWraparound if wraparound else Entry)(function, targetoptions=OPTIONS)
    entry._cache = _InOneFile(kernels, function)
    with register_dispatcher(entry):
        entry.compile(signature)
        entry.disable_compile()
    return entry


class _InOneFile(NullCache):
    """Keeps entry points as numba's own cache does, but as bytes that ``cache.py`` writes."""

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
