"""The one decorator that compiles kernels, and the scalar types that their signatures use.

Numba's disk cache does not notice edits in imported modules, so the cache folder is named after a
hash of all engine sources, the versions and the flags; folders of older hashes are removed.
Set ``CARC_ENV_CACHE_DIR`` to keep the cache elsewhere.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numba
import numpy as np
from llvmlite import binding as llvm
from numba.core import codegen, cpu
from numba.np import arrayobj

config: Any = numba.config
njit: Any = numba.njit
i8, u8, b1, void = numba.int64, numba.uint64, numba.boolean, numba.void

JIT = not config.DISABLE_JIT
BOUNDS_CHECK = bool(config.BOUNDSCHECK)
N_CACHES_KEPT = 4

if not JIT:
    # Random numbers wrap around on purpose; compiled code does so silently.
    warnings.filterwarnings("ignore", "overflow encountered", RuntimeWarning)


_finalize: Any = codegen.CPUCodeLibrary.finalize
_get_executable: Any = cpu.CPUContext.get_executable

ENTRY_POINTS = "carc_env.engine.batch"
OWN_SYMBOLS = "8carc_env6engine"
"""Part of the names of kernels in LLVM code."""
PYTHON_SYMBOLS = "7cpython"
"""Part of the names of what Python calls them through."""
OPT_OF_LINKED = 1
"""Optimization level of kernels that entry points hold."""


def _cache_key() -> str:
    engine = Path(__file__).parent
    flags = (numba.__version__, np.__version__, sys.version_info[:2], str(config.OPT))
    digest = hashlib.sha256(repr((flags, BOUNDS_CHECK)).encode())
    for path in sorted(p for p in engine.rglob("*") if p.suffix in (".py", ".json")):
        digest.update(str(path.relative_to(engine)).encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def _cache_root() -> Path:
    if chosen := os.environ.get("CARC_ENV_CACHE_DIR"):
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "carc_env"


def _prune(root: Path, keep: Path) -> None:
    """Remove the oldest caches of other versions."""
    others = sorted(
        (p for p in root.iterdir() if p != keep and (p / "complete").exists()),
        key=lambda p: p.stat().st_mtime,
    )
    for folder in others[: max(0, len(others) - N_CACHES_KEPT + 1)]:
        shutil.rmtree(folder, ignore_errors=True)


def _make_cache() -> Path:
    """The cache folder of this version; a temporary one where none can be made."""
    folder = _cache_root() / _cache_key()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        temporary = Path(tempfile.mkdtemp(prefix="carc_env-"))
        print(
            f"carc_env: no cache can be kept ({error}), so every start compiles; "
            "set CARC_ENV_CACHE_DIR to a folder that can be written.",
            file=sys.stderr,
        )
        return temporary
    return folder


CACHE_DIR = _make_cache()
_COMPLETE = CACHE_DIR / "complete"
_started = time.perf_counter()

if JIT and not _COMPLETE.exists():
    _prune(CACHE_DIR.parent, CACHE_DIR)
    print(
        "carc_env: compiling the rules engine, once per version (up to a minute) ...",
        file=sys.stderr,
        flush=True,
    )


def announce_compiled() -> None:
    """Say how long the compilation took; called once, after the last kernel."""
    if JIT and not _COMPLETE.exists():
        _COMPLETE.touch()
        seconds = time.perf_counter() - _started
        print(f"carc_env: compiled in {seconds:.0f} s; later starts are quick.", file=sys.stderr)


def _index_as_it_is(context: Any, builder: Any, kind: Any, index: Any, size: Any) -> Any:
    """Stands in for numba's ``fix_integer_index``, which lets negative numbers count from the end.

    Kernels never use any: leaving this out makes games 8% and the compilation 7% faster, and bounds
    checking finds negative numbers too.
    """
    return context.cast(builder, index, kind, numba.types.intp)


def _is_kernel(library: Any) -> bool:
    """Tell whether a library of LLVM code is that of a kernel, not of numba's own functions."""
    functions = library._final_module.functions
    return any(OWN_SYMBOLS in f.name for f in functions if not f.is_declaration)


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

    Nothing links an entry point, so the names that Python looks up are enough: imports read less.
    """
    library._ensure_finalized()
    names = [f.name for f in library._final_module.functions if PYTHON_SYMBOLS in f.name]
    stubs = "\n".join(f'define void @"{name}"() {{ ret void }}' for name in names)
    content = library._get_compiled_object(), llvm.parse_assembly(stubs).as_bitcode()
    return library.name, "object", content


def _refuse_calls(context: Any, library: Any, description: Any, environment: Any) -> Any:
    """Stands in for numba's ``get_executable``: such a kernel has no machine code of its own."""
    library._ensure_finalized()
    if not _is_kernel(library):
        return _get_executable(context, library, description, environment)

    def refuse(*_: Any) -> None:
        raise TypeError(f"{description.qualname}: Python can only call the kernels of batch.py")

    return refuse


@contextmanager
def _configured(is_entry: bool) -> Iterator[None]:
    """Let numba keep its cache in our folder, and optimize what is linked into others only a bit.

    The entry points are optimized with all that they call, so that doing it before is lost time.
    """
    changes = [
        (config, "CACHE_DIR", str(CACHE_DIR)),
        (arrayobj, "fix_integer_index", _index_as_it_is),
        (codegen.CPUCodeLibrary, "finalize", _link_all if is_entry else _keep_apart),
    ]
    if is_entry:
        changes += [(codegen.CPUCodeLibrary, "serialize_using_object_code", _keep_names)]
    else:
        changes += [
            (config, "OPT", type(config.OPT)(min(config.OPT, OPT_OF_LINKED))),
            (cpu.CPUContext, "get_executable", _refuse_calls),
        ]
    before = [getattr(target, name) for target, name, _ in changes]
    for target, name, value in changes:
        setattr(target, name, value)
    try:
        yield
    finally:
        for (target, name, _), value in zip(changes, before, strict=True):
            setattr(target, name, value)


def _compile_when_linked(dispatcher: Any, signature: Any) -> None:
    """Compile a kernel for its own signature when the first kernel that calls it is compiled."""
    compile_for = dispatcher.compile

    def compile_own(_: Any) -> Any:
        with _configured(is_entry=False):
            return compile_for(signature)

    dispatcher.compile = compile_own
    dispatcher.add_overload = lambda result: dispatcher.overloads.update(
        {tuple(result.signature.args): result}
    )


def kernel(signature: Any, *, inline: bool = False) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function for one signature, without the GIL, cached on disk.

    Kernels allocate nothing (see ``memory.py``), so numba need not count references to arrays;
    counting took a tenth of a step of many games.

    With ``inline`` its code is copied into its callers: for the links of a long chain of calls that
    each decision goes through. Only entry points become machine code, which holds all that they
    call; other kernels are compiled for them alone, and not at all when these are in the cache.
    """

    def compile_(function: Callable[..., Any]) -> Any:
        is_entry = function.__module__ == ENTRY_POINTS
        with _configured(is_entry):
            compiled = njit(
                [signature] if is_entry else None,
                cache=is_entry,
                nogil=True,
                error_model="numpy",
                forceinline=inline,
                _nrt=False,
                no_cfunc_wrapper=True,
                no_cpython_wrapper=not is_entry,
            )(function)
        if JIT and not is_entry:
            _compile_when_linked(compiled, signature)
        return compiled

    return compile_


def without_lookup(entry_point: Callable[..., Any]) -> Callable[..., Any]:
    """The compiled code of an entry point, for callers that always pass the types it is made for.

    Numba looks up the types of arguments at each call, which takes 8 us for a named tuple: more
    than a step of a single game.
    """
    if not JIT:
        return entry_point
    (compiled,) = entry_point.overloads.values()  # type: ignore[attr-defined]
    code: Callable[..., Any] = compiled.entry_point
    return code
