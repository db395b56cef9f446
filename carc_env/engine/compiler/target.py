"""The engine's own compilation target, alongside numba's, which is not modified.

Numba compiles every function to machine code, wraps it for Python and links into it everything that
it calls, which is then optimized again in every caller. Here, only entry points become machine
code, and each links and optimizes what it needs once. Nothing in numba is replaced: the classes
below inherit from those that compile for the CPU and share numba's knowledge of types and
functions.
"""

from __future__ import annotations

import inspect
import operator
import pickle
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any, ClassVar, NamedTuple
from uuid import uuid4

import numba
from llvmlite import binding as llvm
from numba.core import codegen, cpu
from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.funcdesc import ExternalFunctionDescriptor
from numba.core.registry import CPUDispatcher, CPUTarget, cpu_target
from numba.core.serialize import dumps
from numba.core.typeinfer import register_dispatcher

from carc_env.engine.compiler.known import OPTIONS, options_of_kernel

types: Any = numba.core.types
OPT: Any = numba.config.OPT  # type: ignore[attr-defined]
OPT_OF_LINKED = 1
"""Optimization level for kernels in entry points, which optimize them again with their callees."""

PROCESS = uuid4().hex
"""Part of each kernel's symbol. Processes also load each other's kernels, with their symbols."""
NOWHERE = 1 << 20
"""An address where nothing is stored."""
INDEXING = (operator.getitem, operator.setitem)


class Part(NamedTuple):
    """A kernel as LLVM code, possibly written by another process, without its callees."""

    code: bytes
    callees: tuple[str, ...]
    reload_init: frozenset[Any]


class KernelCode:
    """Represents a kernel among the libraries that its callers link; compiled when it is linked.

    Callers know the kernel by its symbol, so that any process can compile any kernel.
    """

    of: ClassVar[dict[str, KernelCode]] = {}
    """All instances, by symbol."""
    _numbers: ClassVar[Iterator[int]] = count()

    def __init__(self, kernel: Kernel) -> None:
        name = f"{kernel.__module__}.{kernel.py_func.__qualname__}"
        self.symbol = f"{name}.{PROCESS}.{next(self._numbers)}"
        self.of[self.symbol] = self
        self._kernel = kernel
        self.part: Part | None = None

    def made(self) -> Part:
        """Return the code, compiling it now if necessary."""
        if self.part is None:
            compiled = self._kernel.compile_alone()
            self.part = compiled.library.part(compiled.fndesc.llvm_func_name, self.symbol)
        return self.part

    def size(self) -> int:
        """Return an estimate of the compile time: Python instructions, not counting callees."""
        return len(self._kernel.py_func.__code__.co_code)

    def module(self) -> Any:
        """Return the module to link."""
        return llvm.parse_bitcode(self.made().code)

    @property
    def _linking_libraries(self) -> list[KernelCode]:
        return [self.of[symbol] for symbol in self.made().callees]

    @property
    def _reload_init(self) -> frozenset[Any]:
        return self.made().reload_init

    def _ensure_finalized(self) -> None:
        """Do nothing: callers may be compiled before this kernel."""

    def _get_module_for_linking(self) -> Any:
        raise TypeError(f"{self.symbol}: only kernels and entry points can call a kernel")


def _all_linked(library: Any, *, behind_kernels: bool) -> dict[Any, None]:
    """Return everything a library needs, with or without what the kernels that it calls need.

    Callers come first, because LLVM drops code that nothing needs yet.
    """
    linked: dict[Any, None] = {}
    waiting = [*reversed(library._linking_libraries)]
    while waiting:
        other = waiting.pop()
        if other not in linked:
            linked[other] = None
            if behind_kernels or not isinstance(other, KernelCode):
                waiting += reversed(other._linking_libraries)
    return linked


class LinkedCode(codegen.JITCodeLibrary):
    """A kernel's code as a part of entry points; it does not become machine code by itself."""

    opt = min(OPT, OPT_OF_LINKED)

    def finalize(self) -> None:
        """Optimize lightly; the entry point links whatever the kernel calls."""
        self._optimize_final_module()
        self._finalized = True

    def part(self, name: str, symbol: str) -> Part:
        """Return a kernel's code under its symbol, with the helpers that numba wrote for it."""
        self._ensure_finalized()
        module, kernels = self._final_module, []
        for library in _all_linked(self, behind_kernels=False):
            if isinstance(library, KernelCode):
                kernels.append(library.symbol)
            else:
                self._reload_init.update(library._reload_init)
                module.link_in(library._get_module_for_linking(), preserve=True)
        # Processes may give the same name to helpers of two kernels.
        for function in module.functions:
            if not function.is_declaration:
                function.linkage = "internal"
        function = module.get_function(name)
        function.name, function.linkage = symbol, "linkonce_odr"
        called = {function.name for function in module.functions if function.is_declaration}
        callees = tuple(symbol for symbol in kernels if symbol in called)
        return Part(module.as_bitcode(), callees, frozenset(self._reload_init))


class EntryCode(codegen.JITCodeLibrary):
    """An entry point's code, with all kernels that it calls directly or indirectly."""

    opt = OPT

    def finalize(self) -> None:
        """Link, optimize and compile to machine code."""
        for library in _all_linked(self, behind_kernels=True):
            self._reload_init.update(library._reload_init)
            if isinstance(library, KernelCode):
                self._final_module.link_in(library.module())
            else:
                self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._linking_libraries = []
        super().finalize()

    def _get_module_for_linking(self) -> Any:
        raise TypeError(f"{self.name}: other compiled functions call an entry point by `linked`")

    def serialize_using_object_code(self) -> Any:
        """Return the machine code, plus names only: nobody copies an entry point."""
        self._ensure_finalized()
        names = [f.name for f in self._final_module.functions if not f.is_declaration]
        stubs = "\n".join(f'define void @"{name}"() {{ ret void }}' for name in names)
        content = self._get_compiled_object(), llvm.parse_assembly(stubs).as_bitcode()
        return self.name, "object", content


class _Codegen(codegen.JITCPUCodegen):
    """Numba's code generator, on the same LLVM engine, for a different kind of code."""

    def __init__(self, library_class: Any) -> None:
        vars(self).update(vars(cpu_target.target_context.codegen()))
        self._library_class: Any = library_class

    def _pass_builder(self, **options: Any) -> Any:
        return super()._pass_builder(**{"opt": self._library_class.opt, **options})


class _Context(cpu.CPUContext):
    """Numba's context, which knows the same functions, for a different kind of code.

    With ``wraparound``, a negative index counts from the end of an array, as everywhere in numba.
    The engine does not use it: without it, games are 8% and compilation is 7% faster, and bounds
    checking also finds negative numbers.
    """

    def __init__(self, library_class: Any, wraparound: bool) -> None:
        vars(self).update(vars(cpu_target.target_context))
        self._internal_codegen = _Codegen(library_class)
        self.cached_internal_func: dict[Any, Any] = {}
        self.wraparound = wraparound

    def get_function(self, fn: Any, sig: Any, _firstcall: bool = True) -> Any:
        """Return how to generate a call; array indexing treats the index as if it had no sign."""
        key = fn.get_impl_key(sig) if isinstance(fn, types.Function) else fn
        if key in INDEXING and not self.wraparound and isinstance(sig.args[0], types.Buffer):
            array, index, *value = sig.args
            sig = sig.replace(args=(array, _without_sign(index), *value))
            return super().get_function(key, sig, _firstcall)
        return super().get_function(fn, sig, _firstcall)

    def get_executable(self, library: Any, fndesc: Any, env: Any) -> Any:
        """Return what Python calls, or a placeholder for a kernel."""
        is_kernel = isinstance(library, LinkedCode)
        return object() if is_kernel else super().get_executable(library, fndesc, env)


def _without_sign(index: Any) -> Any:
    """Return the type of an index, or of a tuple of indices, with signed integers made unsigned."""
    if isinstance(index, types.BaseTuple):
        return types.BaseTuple.from_types([_without_sign(part) for part in index.types])
    is_signed = isinstance(index, types.Integer) and index.signed
    return types.uint64 if is_signed and index.bitwidth == types.uint64.bitwidth else index


class _Target(CPUTarget):
    """A dispatcher's target."""

    def __init__(self, library_class: Any, *, wraparound: bool) -> None:
        super().__init__("cpu")
        self._context = _Context(library_class, wraparound)

    @property
    def typing_context(self) -> Any:
        """Numba's own typing context: types are inferred as usual."""
        return cpu_target.typing_context

    @property
    def target_context(self) -> Any:
        """The target context for this kind of code."""
        return self._context


class Kernel(CPUDispatcher):
    """A kernel with a single signature, which is all that its callers need."""

    targetdescr = _Target(LinkedCode, wraparound=False)
    _compiler: Any
    signature: Any
    code: KernelCode

    def __call__(self, *_: Any) -> Any:
        """Raise TypeError."""
        raise TypeError(
            f"{self.py_func.__qualname__}: Python can only call entry points; "
            "compile it with `entry_point`"
        )

    def compile(self, _: Any) -> Any:
        """Do nothing: whatever links the kernel compiles it."""

    def compile_alone(self) -> Any:
        """Compile without the functions that it calls."""
        with self._compiling_counter:  # tells numba that the kernel may call itself
            return self._compiler.compile(self.signature.args, self.signature.return_type)

    @property
    def nopython_signatures(self) -> list[Any]:
        """The signatures that callers can pass: only the kernel's own."""
        return [self.signature]

    def get_overload(self, _: Any) -> Any:
        """Return the key under which a caller's context knows the kernel."""
        return self


class Entry(CPUDispatcher):
    """An entry point with a single signature."""

    _cache: Any
    targetdescr = _Target(EntryCode, wraparound=False)
    signature: Any
    symbol = ""
    """The symbol under which kernels call the entry point; empty if none do."""
    prepare: Callable[[], None]
    """Makes all entry points that wait."""

    def _compile_for_args(self, *args: Any, **kwargs: Any) -> Any:
        """Make the entry points that wait, since this one is called; numba then calls it again."""
        if self.overloads:
            # Refuses wrong types.
            return super()._compile_for_args(*args, **kwargs)  # type: ignore[misc]
        self.prepare()
        return self

    def make(self) -> None:
        """Load it from the cache, or compile it and add it to the cache."""
        if self.overloads:
            return
        with register_dispatcher(self):
            self.compile(self.signature)
            self.disable_compile()

    def add_overload(self, result: Any) -> None:
        """Register the compiled code, which kernels may call as well."""
        super().add_overload(result)
        self.publish()

    def announce(self) -> None:
        """Let code that is only generated here, and never runs, link this entry point's symbol."""
        if self.symbol:
            llvm.add_symbol(self.symbol, NOWHERE)

    def publish(self) -> None:
        """Let kernels find the machine code by its symbol, if it has been compiled yet."""
        if self.symbol and self.overloads:
            result: Any
            (result,) = self.overloads.values()
            address = result.library.get_pointer_to_function(result.fndesc.llvm_func_name)
            llvm.add_symbol(self.symbol, address)


class KernelWithWraparound(Kernel):
    """A kernel in which a negative index counts from the end."""

    targetdescr = _Target(LinkedCode, wraparound=True)


class EntryWithWraparound(Entry):
    """An entry point in which a negative index counts from the end."""

    targetdescr = _Target(EntryCode, wraparound=True)


def kernel_of(function: Any, signature: Any, *, inline: bool, wraparound: bool) -> Kernel:
    """Return a function as a kernel that is not yet compiled."""
    kind = KernelWithWraparound if wraparound else Kernel
    kernel = kind(function, targetoptions=options_of_kernel(inline=inline))
    kernel.signature = signature
    kernel.code = KernelCode(kernel)
    described = ExternalFunctionDescriptor(
        kernel.code.symbol, signature.return_type, signature.args
    )
    kernel.targetctx.insert_user_function(kernel, described, (kernel.code,))
    return kernel


def entry_of(
    function: Any,
    signature: Any,
    *,
    kernels: dict[str, bytes],
    wraparound: bool,
    prepare: Callable[[], None],
) -> Entry:
    """Return a function as an entry point that is not yet compiled."""
    entry = (EntryWithWraparound if wraparound else Entry)(function, targetoptions=OPTIONS)
    entry._cache = _InOneFile(kernels, function)
    entry.signature = signature
    entry.prepare = prepare
    return entry


def needed_by(entry: Entry) -> set[KernelCode]:
    """Return the kernels that an entry point calls directly or indirectly, judging by names."""
    needed: set[KernelCode] = set()
    waiting = [entry.py_func]
    while waiting:
        names = inspect.getclosurevars(waiting.pop())
        named = [*names.globals.values(), *names.nonlocals.values()]
        modules = [vars(found) for found in named if inspect.ismodule(found)]
        named += [module.get(name) for module in modules for name in names.unbound]
        for called in named:
            if isinstance(called, Kernel) and called.code not in needed:
                needed.add(called.code)
                waiting.append(called.py_func)
    return needed


class _InOneFile(NullCache):
    """A cache for entry points like numba's own, but storing bytes that ``cache.py`` writes."""

    def __init__(self, kernels: dict[str, bytes], function: Any) -> None:
        self._kernels = kernels
        self.name = f"{function.__module__}.{function.__qualname__}"

    @property
    def content(self) -> bytes:
        """The kept code; empty if there is none yet."""
        return self._kernels.get(self.name, b"")

    def keep(self, content: bytes) -> None:
        """Keep code that was compiled elsewhere."""
        self._kernels[self.name] = content

    def load_overload(self, _: Any, context: Any) -> Any:
        if content := self.content:
            return CompileResult._rebuild(context, *pickle.loads(content))
        return None

    def save_overload(self, _: Any, compiled: Any) -> None:
        if compiled.library.has_dynamic_globals:
            raise TypeError(
                f"{self.name}: a pointer, or an array of more than 1 MB, cannot be part of a "
                "kernel, because later starts would not find it at its address; pass it as an "
                "argument instead"
            )
        self.keep(dumps(compiled._reduce()))
