"""The one decorator that compiles kernels, and the scalar types that their signatures use.

Numba's disk cache does not notice edits in imported modules, and depends on where the sources lie.
Ours is a single file (``cache.py``), named after a hash of all engine sources, the versions, the
flags and the processor. Set ``CARC_ENV_CACHE_DIR`` to keep it elsewhere.
"""

from __future__ import annotations

import hashlib
import sysconfig
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba.core.registry import cpu_target

from carc_env.engine.compiler.cache import Cache, open_cache, say
from carc_env.engine.compiler.patches import kept_in, of_entries, of_linked

config: Any = numba.config
njit: Any = numba.njit
i8, u8, b1, void = numba.int64, numba.uint64, numba.boolean, numba.void

JIT = not config.DISABLE_JIT
BOUNDS_CHECK = bool(config.BOUNDSCHECK)

if not JIT:
    # Random numbers wrap around on purpose; compiled code does so silently.
    warnings.filterwarnings("ignore", "overflow encountered", RuntimeWarning)


ENTRY_POINTS = "carc_env.engine.entry"


def _cache_key() -> str:
    engine = Path(__file__).parents[1]
    python = sysconfig.get_config_var("EXT_SUFFIX")
    processor = cpu_target.target_context.codegen().magic_tuple()
    flags = (numba.__version__, np.__version__, python, processor, str(config.OPT), BOUNDS_CHECK)
    digest = hashlib.sha256(repr(flags).encode())
    for path in sorted(p for p in engine.rglob("*") if p.suffix in (".py", ".json")):
        digest.update(str(path.relative_to(engine)).encode() + path.read_bytes())
    return digest.hexdigest()[:16]


_cache = open_cache(_cache_key()) if JIT else Cache({})
_started = time.perf_counter()

if JIT and not _cache.is_complete:
    say("compiling the rules engine, once per version (up to a minute) ...")


def finish_cache() -> None:
    """Save what was compiled, and say how long that took; called once, after the last kernel."""
    if JIT and not _cache.is_complete:
        seconds = time.perf_counter() - _started
        later = "; later starts are quick." if _cache.save() else "."
        say(f"compiled in {seconds:.0f} s{later}")
    _cache.kernels.clear()


@contextmanager
def _configured(is_entry: bool) -> Iterator[None]:
    """Let numba keep entry points in our cache and compile as ``patches.py`` says."""
    changes = [kept_in(_cache.kernels), *of_entries] if is_entry else of_linked
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

    Kernels allocate nothing (see ``memory.py``), so numba need not count references to arrays.

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
