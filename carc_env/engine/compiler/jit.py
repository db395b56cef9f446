"""The two decorators that compile kernels, and the scalar types used in their signatures.

Numba's disk cache does not notice edits in imported modules, and depends on the location of the
sources. Ours is a single file (``cache.py``), named after a hash of all engine sources, the
versions, the flags and the processor; a wheel may contain one for a common processor. To keep it
elsewhere, set ``CARC_ENV_CACHE_DIR``.

Imports compile nothing: if there is no file yet, the first call of any entry point compiles all
entry points that have been imported so far.
"""

from __future__ import annotations

import gc
import hashlib
import sysconfig
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import numba
from numba.np.numpy_support import numpy_version

from carc_env.engine.compiler.cache import OF_PLAIN_NUMBA, USERS, Cache, cache_root, find_cache
from carc_env.engine.compiler.known import (
    OPTIONS,
    known_of,
    options_of_kernel,
    what_is_unknown,
)
from carc_env.engine.compiler.processors import Processor, common_processor, own_processor
from carc_env.engine.compiler.progress import Progress, say
from carc_env.engine.compiler.together import n_processes, share_out
from carc_env.sets import COMPILED

config: Any = numba.config
i8, u8, b1, void = numba.int64, numba.uint64, numba.boolean, numba.void

JIT = not config.DISABLE_JIT
BOUNDS_CHECK = bool(config.BOUNDSCHECK)

Compiler = Callable[[Callable[..., Any]], Any]
PACKAGE, ENGINE = "carc_env", "carc_env.engine"
KERNELS_SHARE = 0.5
"""Share of the compile time that the kernels take before they are linked to entry points."""

if not JIT:
    # Random numbers wrap around on purpose; compiled code does so silently.
    warnings.filterwarnings("ignore", "overflow encountered", RuntimeWarning)


def _cache_key(processor: Processor) -> str:
    """Return the key of the engine as compiled here for a processor.

    It includes only the part of numpy's version that affects the code that numba generates.
    """
    package = Path(__file__).parents[2]
    python = sysconfig.get_config_var("EXT_SUFFIX")
    flags = (numba.__version__, numpy_version, python, processor, str(config.OPT), BOUNDS_CHECK)
    digest = hashlib.sha256(repr(flags).encode())
    engine = (p for p in (package / "engine").rglob("*") if p.suffix in (".py", ".json"))
    files_of_sets = {"__init__.py", "tiles.json", *(f"{floor}.py" for floor in COMPILED)}
    of_sets = (p for p in (package / "sets").rglob("*") if p.name in files_of_sets)
    for path in sorted(path for path in (*engine, *of_sets) if path.is_file()):
        digest.update(str(path.relative_to(package)).encode() + path.read_bytes())
    return digest.hexdigest()[:16]


_unknown = what_is_unknown() if JIT else ""
IS_KNOWN = not _unknown
"""Whether this version of numba behaves as the engine's own target expects."""
KEY = _cache_key(own_processor())
"""The engine's key: a hash of its sources, the versions, the flags and the processor."""
_common = common_processor() if JIT and IS_KNOWN else None
COMMON_KEY = _cache_key(_common) if _common else ""
"""The engine's key for the common processor if this machine can run its code; otherwise empty."""
_cache = find_cache(KEY, key_of_shipped=COMMON_KEY) if JIT and IS_KNOWN else Cache({})
IS_SHIPPED = _cache.is_shipped
"""Whether the engine's kernels came with the package, compiled for the common processor."""
_waiting: list[tuple[Entry, Cache]] | None = []
"""Entry points that wait for the first call, to be compiled together, with their caches."""
_lock = threading.RLock()

if JIT and IS_KNOWN:
    from carc_env.engine.compiler.target import (
        Entry,
        KernelCode,
        entry_of,
        kernel_of,
        needed_by,
    )
if not IS_KNOWN:
    say(
        f"carc_env does not know numba {numba.__version__} ({_unknown}), so plain numba compiles "
        "the rules engine, which takes some minutes once, and games are a fifth slower; pip "
        "install 'numba>=0.68,<0.69' installs a version that it knows."
    )


def finish_cache() -> None:
    """Load the engine's entry points if they are on disk; called once, after the last one."""
    if _cache.is_complete or not (JIT and IS_KNOWN):
        prepare_kernels()


def prepare_kernels() -> None:
    """Compile and save all entry points that wait, as the first call of any of them does."""
    global _waiting
    if not _waiting:
        return
    with _lock:
        if _waiting:
            _make(_waiting, "the rules engine, once per version", n_processes())
            _cache.kernels.clear()
            _waiting = None


def _make(waiting: list[tuple[Entry, Cache]], what: str, n: int) -> None:
    """Load or compile entry points, in up to n processes."""
    started, caches = time.perf_counter(), [*dict.fromkeys(cache for _, cache in waiting)]
    for cache in caches:
        cache.claim()
    missing = [cache for cache in caches if not cache.is_complete]
    with ExitStack() as stack:
        for cache in missing:
            stack.enter_context(cache.given_up_on_error())
        stack.enter_context(_keeping_garbage())
        entries = [entry for entry, cache in waiting if not cache.is_complete]
        if entries:
            progress = Progress(what, 1)
            _compile_together(entries, [entry for entry, _ in waiting], progress, n)
        for entry, _ in waiting:
            entry.make()
    if missing:
        is_kept = all([cache.save() for cache in missing])
        later = "; later starts are quick." if is_kept else "."
        progress.end(f"compiled in {time.perf_counter() - started:.0f} s{later}")


def _compile_together(entries: list[Entry], known: list[Entry], progress: Progress, n: int) -> None:
    """Compile in up to n processes: first all kernels, then the entry points.

    Parameters
    ----------
    entries : list of Entry
        The entry points to compile.
    known : list of Entry
        All entry points whose machine code they may call.
    progress : Progress
        Receives the finished part.
    n : int
        Maximum number of processes.
    """
    needs = {entry: needed_by(entry) for entry in entries}
    codes = sorted(set().union(*needs.values()), key=KernelCode.size, reverse=True)

    def size(entry: Entry) -> int:
        return sum(map(KernelCode.size, needs[entry]))

    of_kernels, of_entries = sum(map(KernelCode.size, codes)) or 1, sum(map(size, entries)) or 1

    def kernel_done(code: KernelCode) -> None:
        progress.advance(KERNELS_SHARE * code.size() / of_kernels)

    def entry_done(entry: Entry) -> None:
        progress.advance((1 - KERNELS_SHARE) * size(entry) / of_entries)

    if n == 1:
        for code in codes:
            code.part = code.made()
            kernel_done(code)
        for entry in entries:
            entry.make()
            entry_done(entry)
        return
    for code, part in share_out(codes, KernelCode.made, n, kernel_done).items():
        code.part = part or code.made()

    def compiled(entry: Entry) -> bytes:
        for other in known:
            other.announce()
        entry.make()
        content: bytes = entry._cache.content
        return content

    together = share_out(sorted(entries, key=size, reverse=True), compiled, n, entry_done)
    for entry, kept in together.items():
        if kept:
            entry._cache.keep(kept)


def _cache_of(function: Callable[..., Any], *compiled_for: Any) -> Cache:
    """Return an entry point's cache: the engine's, or a separate file for a user's kernel.

    A user's file is named after the engine, the kernel's signature and flags, the search's sources
    (whose kernels it may call), and the sources near the kernel. These are its package, or its file
    if it is not in a package. Kernels are not kept if they are typed at a prompt, or made inside a
    function whose variables they may read.
    """
    if function.__module__.startswith(f"{ENGINE}."):
        return _cache
    code = function.__code__
    source = Path(code.co_filename)
    if "<locals>" in function.__qualname__ or not source.is_file():
        return Cache({})
    is_in_package = "." in function.__module__
    beside = source.parent.rglob("*.py") if is_in_package else [source]
    of_search = (Path(__file__).parents[2] / "search").glob("*.py")
    name = f"{function.__module__}.{function.__qualname__}:{code.co_firstlineno}"
    sources = [path.read_bytes() for path in sorted({*beside, *of_search}) if path.is_file()]

    def key(engine: str) -> str:
        digest = hashlib.sha256(repr((engine, name, *map(str, compiled_for))).encode())
        for source in sources:
            digest.update(source)
        return digest.hexdigest()[:16]

    return find_cache(key(KEY), USERS, key(COMMON_KEY) if COMMON_KEY else "")


@contextmanager
def _keeping_garbage() -> Iterator[None]:
    """Suspend garbage collection: numba creates millions of objects and needs most of them."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _has_wraparound(function: Callable[..., Any], asked: bool | None) -> bool:
    """Return whether negative indices count from the end: by default, only in users' kernels."""
    return asked if asked is not None else function.__module__.split(".")[0] != PACKAGE


def _kernel_of_plain_numba(function: Callable[..., Any], signature: Any, *, inline: bool) -> Any:
    """Make a kernel with an unknown numba, which compiles it when an entry point first needs it."""
    kernel: Any = numba.jit(**known_of(options_of_kernel(inline=inline)))(function)
    compile_for = kernel.compile
    kernel.compile = lambda _: compile_for(signature)
    return kernel


def _entry_of_plain_numba(function: Callable[..., Any], signature: Any) -> Any:
    """Make an entry point with an unknown numba, stored in numba's own cache.

    Numba's files do not reflect edits in other modules, so their folder is named after the engine.
    """
    before = config.CACHE_DIR
    try:
        folder = cache_root().with_name(OF_PLAIN_NUMBA) / KEY
        folder.mkdir(parents=True, exist_ok=True)
        config.CACHE_DIR = str(folder)
        return numba.jit([signature], **known_of(OPTIONS), cache=True)(function)
    except OSError:
        return numba.jit([signature], **known_of(OPTIONS))(function)
    finally:
        config.CACHE_DIR = before


def kernel(signature: Any, *, inline: bool = False, wraparound: bool | None = None) -> Compiler:
    """Compile a function for one signature, as part of the entry points that call it.

    Kernels allocate nothing (see ``memory.py``). They do not become machine code of their own, so
    Python cannot call them.

    With ``inline``, the code is copied into its callers; use this for the links of a long call
    chain that every decision goes through. With ``wraparound``, a negative index counts from the
    end of an array; without it, a negative index reads memory before the array. By default,
    wraparound is off for kernels of this package and on for all others.
    """

    def compile_(function: Callable[..., Any]) -> Any:
        if not JIT:
            return function
        if not IS_KNOWN:
            return _kernel_of_plain_numba(function, signature, inline=inline)
        has_wraparound = _has_wraparound(function, wraparound)
        return kernel_of(function, signature, inline=inline, wraparound=has_wraparound)

    return compile_


def entry_point(signature: Any, *, wraparound: bool | None = None) -> Compiler:
    """Compile a function for one signature into machine code that Python calls, cached on disk.

    The code includes all kernels that it calls, and runs without the GIL. This works in any module:
    users' kernels compile against the engine like its own (``docs/developers/engine.md``). For
    ``wraparound``, see :func:`kernel`.
    """

    def compile_(function: Callable[..., Any]) -> Any:
        if not JIT:
            return function
        if not IS_KNOWN:
            return _entry_of_plain_numba(function, signature)
        has_wraparound = _has_wraparound(function, wraparound)
        cache = _cache_of(function, signature, has_wraparound)
        entry = entry_of(
            function,
            signature,
            kernels=cache.kernels,
            wraparound=has_wraparound,
            prepare=prepare_kernels,
        )
        with _lock:
            if _waiting is not None:
                _waiting.append((entry, cache))
                return entry
        if cache is _cache:
            entry.make()
        else:
            _make([(entry, cache)], f"{function.__module__}.{function.__qualname__}", 1)
        return entry

    return compile_


def without_lookup(entry: Callable[..., Any]) -> Callable[..., Any]:
    """Return an entry point's compiled code, for callers that always pass the right types.

    Numba looks up the argument types at each call, which takes 8 us for a named tuple: more than a
    step in a single game.
    """
    if not JIT:
        return entry
    overloads: dict[Any, Any] = entry.overloads  # type: ignore[attr-defined]
    code: Any = None

    def called(*args: Any) -> Any:
        """Compile before the first call; until then there is no code."""
        nonlocal code
        if code is None:
            prepare_kernels()
            code = next(iter(overloads.values())).entry_point
        return code(*args)

    return next((compiled.entry_point for compiled in overloads.values()), called)
