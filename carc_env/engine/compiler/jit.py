"""The two decorators that compile kernels, and the scalar types that their signatures use.

Numba's disk cache does not notice edits in imported modules, and depends on where the sources lie.
Ours is a single file (``cache.py``), named after a hash of all engine sources, the versions, the
flags and the processor. Set ``CARC_ENV_CACHE_DIR`` to keep it elsewhere.
"""

from __future__ import annotations

import gc
import hashlib
import sysconfig
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba.core.registry import cpu_target

from carc_env.engine.compiler.cache import USERS, Cache, open_cache, say
from carc_env.engine.compiler.patches import (
    Change,
    kept_in,
    note_kernel,
    of_entries,
    of_linked,
    what_is_unknown,
)

config: Any = numba.config
njit: Any = numba.njit
i8, u8, b1, void = numba.int64, numba.uint64, numba.boolean, numba.void

JIT = not config.DISABLE_JIT
BOUNDS_CHECK = bool(config.BOUNDSCHECK)

Compiler = Callable[[Callable[..., Any]], Any]
ENGINE = "carc_env.engine"
PLAIN: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
"""Options of numba that any version knows."""
OWN: dict[str, Any] = {"_nrt": False, "no_cfunc_wrapper": True}
"""And those that go with what is replaced in it."""

if not JIT:
    # Random numbers wrap around on purpose; compiled code does so silently.
    warnings.filterwarnings("ignore", "overflow encountered", RuntimeWarning)


def _cache_key() -> str:
    engine = Path(__file__).parents[1]
    python = sysconfig.get_config_var("EXT_SUFFIX")
    processor = cpu_target.target_context.codegen().magic_tuple()
    flags = (numba.__version__, np.__version__, python, processor, str(config.OPT), BOUNDS_CHECK)
    digest = hashlib.sha256(repr(flags).encode())
    for path in sorted(p for p in engine.rglob("*") if p.suffix in (".py", ".json")):
        digest.update(str(path.relative_to(engine)).encode() + path.read_bytes())
    return digest.hexdigest()[:16]


_unknown = what_is_unknown() if JIT else ""
IS_PATCHED = not _unknown
"""Whether numba compiles as ``patches.py`` says."""
KEY = _cache_key()
"""Names the engine: a hash of its sources, the versions, the flags and the processor."""
_cache = open_cache(KEY) if JIT and IS_PATCHED else Cache({})
_started = time.perf_counter()

if not IS_PATCHED:
    say(
        f"numba {numba.__version__} is not as carc_env knows it ({_unknown}), so plain numba "
        "compiles the rules engine at each start, which takes some minutes, and games are about a "
        "tenth slower; install numba as in constraints.txt."
    )
elif JIT and not _cache.is_complete:
    say("compiling the rules engine, once per version (up to a minute) ...")


def finish_cache() -> None:
    """Save what was compiled, and say how long that took; called once, after the last kernel."""
    if JIT and not _cache.is_complete:
        seconds = time.perf_counter() - _started
        later = "; later starts are quick." if _cache.save() else "."
        say(f"compiled in {seconds:.0f} s{later}")
    _cache.kernels.clear()


def _cache_of(function: Callable[..., Any]) -> Cache:
    """The cache of an entry point: that of the engine, or a file of its own for a user's kernel.

    That one is named after the engine and the sources beside the kernel: its package, or its file
    where it is in none. What is typed at a prompt is not kept.
    """
    if function.__module__.startswith(f"{ENGINE}."):
        return _cache
    source = Path(function.__code__.co_filename)
    if not source.is_file():
        return Cache({})
    is_in_package = "." in function.__module__
    beside = sorted(source.parent.rglob("*.py")) if is_in_package else [source]
    name = f"{KEY} {function.__module__}.{function.__qualname__}"
    digest = hashlib.sha256(name.encode())
    for path in beside:
        digest.update(path.read_bytes())
    return open_cache(digest.hexdigest()[:16], USERS)


@contextmanager
def _keeping_garbage() -> Iterator[None]:
    """Look for no garbage for a while: numba makes millions of objects, and needs most of them."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@contextmanager
def _configured(changes: Sequence[Change]) -> Iterator[None]:
    """Let numba compile as ``patches.py`` says, for a while."""
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
        with _configured(of_linked):
            return compile_for(signature)

    dispatcher.compile = compile_own
    dispatcher.add_overload = lambda result: dispatcher.overloads.update(
        {tuple(result.signature.args): result}
    )


def kernel(signature: Any, *, inline: bool = False) -> Compiler:
    """Compile a function for one signature, as part of the entry points that call it.

    Kernels allocate nothing (see ``memory.py``), so numba need not count references to arrays. They
    become no machine code of their own: Python cannot call them.

    With ``inline`` its code is copied into its callers: for the links of a long chain of calls that
    each decision goes through.
    """

    def compile_(function: Callable[..., Any]) -> Any:
        if not IS_PATCHED:
            return njit([signature], **PLAIN)(function)
        note_kernel(function)
        compiled = njit(**PLAIN, **OWN, forceinline=inline, no_cpython_wrapper=True)(function)
        if JIT:
            _compile_when_linked(compiled, signature)
        return compiled

    return compile_


def entry_point(signature: Any) -> Compiler:
    """Compile a function for one signature into machine code that Python calls, cached on disk.

    It holds all kernels that it calls, without the GIL. Works in any module: kernels of users
    compile against the engine like its own (``docs/engine.md``).
    """

    def compile_(function: Callable[..., Any]) -> Any:
        if not IS_PATCHED:
            return njit([signature], **PLAIN)(function)
        note_kernel(function)
        cache = _cache_of(function) if JIT else Cache({})
        if JIT and cache is not _cache and not cache.is_complete:
            say(f"compiling {function.__module__}.{function.__qualname__} ...")
        with _keeping_garbage(), _configured([kept_in(cache.kernels), *of_entries]):
            compiled = njit([signature], cache=True, **PLAIN, **OWN)(function)
        if cache is not _cache and not cache.is_complete:
            cache.save()
        return compiled

    return compile_


def without_lookup(entry: Callable[..., Any]) -> Callable[..., Any]:
    """The compiled code of an entry point, for callers that always pass the types it is made for.

    Numba looks up the types of arguments at each call, which takes 8 us for a named tuple: more
    than a step of a single game.
    """
    if not JIT:
        return entry
    (compiled,) = entry.overloads.values()  # type: ignore[attr-defined]
    code: Callable[..., Any] = compiled.entry_point
    return code
