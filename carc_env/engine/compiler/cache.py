"""The cache of compiled kernels on disk, and the removal of old versions.

Each version is one file in a subfolder of its own. It contains a note that carc_env made it, a
checksum, and the kernels. A file without this note is never removed.

Only the process that compiles a version writes its file, and it holds a lock on the file until
then. The lock ends with the process. A file without a valid checksum counts as not yet written.

Some wheels come with such files, compiled for a common processor. They are used if there are none
for this machine's processor, and never written.
"""

from __future__ import annotations

import errno
import hashlib
import os
import pickle
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import IO

from carc_env.engine.compiler.progress import say

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

SUBFOLDER = "kernels"
USERS = "kernels-of-users"
OF_PLAIN_NUMBA = "kernels-of-plain-numba"
"""Subfolder where a version of numba that ``known.py`` does not know keeps its own files."""
SHIPPED = Path(__file__).with_name("shipped")
"""Folder of the kernels that came with the package, in the same subfolders."""
WORDS = b"carc_env keeps compiled kernels here; it removes this file when it is out of date.\n"
N_KEPT = {SUBFOLDER: 8, USERS: 256}
"""Number of files kept in each folder: versions of the engine, and users' entry points."""
PATIENCE = 600
"""Seconds to wait for another process that neither finishes compiling nor ends."""
WITHOUT_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP)
"""Errors of file systems without locks, where processes that start together all compile."""

_NAME = re.compile("[0-9a-f]{16}")
_N_CHECKSUM = hashlib.sha256().digest_size


class Cache:
    """The compiled kernels of one version.

    Attributes
    ----------
    kernels
        Compiled kernels by name, either read from disk or added as they are compiled.
    is_complete
        Whether all kernels were read from disk.
    is_shipped
        Whether the file came with the package.
    """

    def __init__(
        self,
        kernels: dict[str, bytes],
        file: IO[bytes] | None = None,
        opened: Callable[[], Cache] | None = None,
    ) -> None:
        self.kernels = kernels
        self.is_complete = bool(kernels)
        self.is_shipped = False
        self._file = file
        self._opened = opened

    def claim(self) -> None:
        """Prepare for compiling: lock the file, or read the kernels that are there by now."""
        if self._opened is not None:
            cache, self._opened = self._opened(), None
            self.kernels.update(cache.kernels)
            self.is_complete, self.is_shipped = cache.is_complete, cache.is_shipped
            self._file = cache._file

    def save(self) -> bool:
        """Write all kernels once they are compiled; return whether later starts will find them."""
        if self._file is None:
            return False
        path = Path(self._file.name)
        content = pickle.dumps(self.kernels)
        try:
            with self._file as file:
                file.truncate(0)
                file.write(WORDS + hashlib.sha256(content).digest() + content)
        except OSError as error:
            _say_that_nothing_is_kept(error)
            with suppress(OSError):
                path.unlink()
            return False
        with suppress(OSError):  # another process may also be pruning
            prune(path, is_own, N_KEPT[path.parent.name])
        return True

    @contextmanager
    def given_up_on_error(self) -> Iterator[None]:
        """Let other processes compile if this one fails, even if the caller keeps the exception."""
        try:
            yield
        except BaseException:
            if self._file is not None:
                self._file.close()
                self._file = None
            raise


def find_cache(key: str, folder: str = SUBFOLDER, key_of_shipped: str = "") -> Cache:
    """Return a version's kernels, or an empty cache that must be claimed before compiling."""
    with suppress(FileNotFoundError):
        if cache := _load(cache_root().with_name(folder) / key):
            return cache
    later = partial(open_cache, key, folder, key_of_shipped)
    return _load_shipped(folder, key_of_shipped) or Cache({}, opened=later)


def open_cache(key: str, folder: str = SUBFOLDER, key_of_shipped: str = "") -> Cache:
    """Return a version's kernels, or an empty cache if this process must compile them.

    If a file with its own key came with the package, it is used instead of compiling. If another
    process is compiling, wait for it. If no file can be kept, print a message once.
    """
    try:
        path = cache_root().with_name(folder) / key
    except FileNotFoundError as error:
        return _load_shipped(folder, key_of_shipped) or _not_kept(error)
    return _load(path) or _load_shipped(folder, key_of_shipped) or _claim(path)


def cache_root() -> Path:
    """Return the folder that holds the files for all versions.

    Raises
    ------
    FileNotFoundError
        If no environment variable names a folder and the user has no home folder.
    """
    if chosen := os.environ.get("CARC_ENV_CACHE_DIR"):
        return Path(os.path.expanduser(chosen)) / SUBFOLDER
    if caches := os.environ.get("XDG_CACHE_HOME"):
        return Path(os.path.expanduser(caches)) / "carc_env" / SUBFOLDER
    try:
        return Path.home() / ".cache" / "carc_env" / SUBFOLDER
    except RuntimeError as error:
        raise FileNotFoundError("there is no home folder") from error


def is_own(path: Path) -> bool:
    """Return whether carc_env made a file, judging by its name and by carc_env's note in it."""
    if not _NAME.fullmatch(path.name) or path.is_symlink() or not path.is_file():
        return False
    try:
        with path.open("rb") as file:
            return file.read(len(WORDS)) == WORDS
    except OSError:
        return False


def prune(keep: Path, is_own: Callable[[Path], bool], n_kept: int) -> None:
    """Remove the oldest of a version's sibling files; never touch files that are not ours."""
    others = sorted(
        (path for path in keep.parent.iterdir() if path != keep and is_own(path)),
        key=lambda path: path.stat().st_mtime,
    )
    for path in others[: max(0, len(others) - n_kept + 1)]:
        path.unlink()


def _load(path: Path) -> Cache | None:
    """Return a version's kernels if they are on disk; this requires no write access."""
    with suppress(OSError), path.open("rb") as file:
        return _read(file)
    return None


def _load_shipped(folder: str, key: str) -> Cache | None:
    """Return a version's kernels if they came with the package."""
    if key and (cache := _load(SHIPPED / folder / key)):
        cache.is_shipped = True
        return cache
    return None


def _read(file: IO[bytes]) -> Cache | None:
    """Return the kernels in a file; None if it is empty, damaged or not ours."""
    words, checksum, content = file.read(len(WORDS)), file.read(_N_CHECKSUM), file.read()
    if words != WORDS or checksum != hashlib.sha256(content).digest():
        return None
    return Cache(pickle.loads(content))


def _claim(path: Path) -> Cache:
    """Lock a version's file for writing, or read it if another process has just written it."""
    try:
        path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
        file = open(path, "a+b", opener=_open_for_owner)
        _lock(file)
        file.seek(0)
        written = _read(file)
    except OSError as error:
        return _not_kept(error)
    if written:
        file.close()
        return written
    return Cache({}, file)


def _not_kept(error: OSError) -> Cache:
    """Return a cache for this process only."""
    _say_that_nothing_is_kept(error)
    return Cache({})


def _open_for_owner(path: str, flags: int) -> int:
    """Open a file that everybody can read, as an image's users do, but only its owner can write."""
    return os.open(path, flags, mode=0o644)


def _lock(file: IO[bytes]) -> None:
    """Lock a file until it is closed; wait for another process's lock, but not forever."""
    if _try_to_lock(file):
        return
    say("another process is compiling the rules engine; waiting ...")
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        time.sleep(0.2)
        if _try_to_lock(file):
            return
    say(f"the other process has not finished in {PATIENCE} s, so this process compiles, too.")


def _try_to_lock(file: IO[bytes]) -> bool:
    """Return whether this process could lock a file; True if locks are not available."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno not in WITHOUT_LOCKS:
            raise
    return True


def _say_that_nothing_is_kept(error: OSError) -> None:
    say(
        f"carc_env cannot keep compiled kernels ({error}), so every start compiles; set "
        "CARC_ENV_CACHE_DIR to a writable folder with 10 MB free."
    )
