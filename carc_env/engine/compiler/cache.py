"""Where compiled kernels are kept, and which older ones may go.

All lie in a subfolder of their own, one file for each version: words in which carc_env says that it
made the file, a checksum, and the kernels. No file without these words is ever removed.

Only the process that compiles a version writes its file, and holds a lock on it until then. A lock
goes with its process, and without the right checksum a file counts as not written yet.

Some wheels come with such files, compiled for a common processor. They are read where there are
none for the own processor, and never written.
"""

from __future__ import annotations

import errno
import hashlib
import os
import pickle
import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

SUBFOLDER = "kernels"
USERS = "kernels-of-users"
OF_PLAIN_NUMBA = "kernels-of-plain-numba"
"""Where a numba that ``known.py`` does not know keeps files of its own."""
SHIPPED = Path(__file__).with_name("shipped")
"""What came with the package, in the same subfolders."""
WORDS = b"carc_env keeps compiled kernels here; it removes this file when it is out of date.\n"
N_KEPT = {SUBFOLDER: 8, USERS: 256}
"""Files in each folder: versions of the engine, and users' entry points."""
PATIENCE = 600
"""Seconds to wait for a process that neither finishes nor ends."""
WITHOUT_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP)
"""What file systems answer that know no locks: there, processes that start together all compile."""

_NAME = re.compile("[0-9a-f]{16}")
_N_CHECKSUM = hashlib.sha256().digest_size


class Cache:
    """The compiled kernels of one version.

    Attributes
    ----------
    kernels
        What was compiled, by the names of kernels: read from disk, or added as it is compiled.
    is_complete
        Whether all of it was read from disk.
    is_shipped
        Whether it came with the package.
    """

    def __init__(self, kernels: dict[str, bytes], file: IO[bytes] | None = None) -> None:
        self.kernels = kernels
        self.is_complete = bool(kernels)
        self.is_shipped = False
        self._file = file

    def save(self) -> bool:
        """Write all kernels, once they are compiled; tell whether later starts will find them."""
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
        with suppress(OSError):  # another process may tidy up, too
            prune(path, is_own, N_KEPT[path.parent.name])
        return True

    @contextmanager
    def given_up_on_error(self) -> Iterator[None]:
        """Let others compile if this process fails, also while somebody keeps the error."""
        try:
            yield
        except BaseException:
            if self._file is not None:
                self._file.close()
                self._file = None
            raise


def open_cache(key: str, folder: str = SUBFOLDER, key_of_shipped: str = "") -> Cache:
    """The kernels of a version, or none yet where this process is to compile them.

    What came with the package under a key of its own is taken before anything is compiled. Waits
    for another process that is compiling. Where no file can be kept, says so once.
    """
    try:
        path = cache_root().with_name(folder) / key
    except FileNotFoundError as error:
        return _load_shipped(folder, key_of_shipped) or _not_kept(error)
    return _load(path) or _load_shipped(folder, key_of_shipped) or _claim(path)


def cache_root() -> Path:
    """The folder that holds the files of all versions.

    Raises
    ------
    FileNotFoundError
        If no variable names a folder, and the user has no home.
    """
    if chosen := os.environ.get("CARC_ENV_CACHE_DIR"):
        return Path(os.path.expanduser(chosen)) / SUBFOLDER
    if caches := os.environ.get("XDG_CACHE_HOME"):
        return Path(os.path.expanduser(caches)) / "carc_env" / SUBFOLDER
    try:
        return Path.home() / ".cache" / "carc_env" / SUBFOLDER
    except RuntimeError as error:
        raise FileNotFoundError("there is no home folder") from error


def say(sentence: str) -> None:
    """Tell the user what takes so long, or what to do."""
    print(f"carc_env: {sentence}", file=sys.stderr, flush=True)


def is_own(path: Path) -> bool:
    """Tell whether carc_env made a file: by its name, and by carc_env's words in it."""
    if not _NAME.fullmatch(path.name) or path.is_symlink() or not path.is_file():
        return False
    try:
        with path.open("rb") as file:
            return file.read(len(WORDS)) == WORDS
    except OSError:
        return False


def prune(keep: Path, is_own: Callable[[Path], bool], n_kept: int) -> None:
    """Remove the oldest files of other versions beside one, and nothing that is not our own."""
    others = sorted(
        (path for path in keep.parent.iterdir() if path != keep and is_own(path)),
        key=lambda path: path.stat().st_mtime,
    )
    for path in others[: max(0, len(others) - n_kept + 1)]:
        path.unlink()


def _load(path: Path) -> Cache | None:
    """The kernels of a version if they are on disk; no right to write is needed."""
    with suppress(OSError), path.open("rb") as file:
        return _read(file)
    return None


def _load_shipped(folder: str, key: str) -> Cache | None:
    """The kernels of a version if they came with the package."""
    if key and (cache := _load(SHIPPED / folder / key)):
        cache.is_shipped = True
        return cache
    return None


def _read(file: IO[bytes]) -> Cache | None:
    """The kernels in a file; None if it is empty, damaged or of somebody else."""
    words, checksum, content = file.read(len(WORDS)), file.read(_N_CHECKSUM), file.read()
    if words != WORDS or checksum != hashlib.sha256(content).digest():
        return None
    return Cache(pickle.loads(content))


def _claim(path: Path) -> Cache:
    """Lock the file of a version, to be written; or read it if another process just wrote it."""
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
    """A cache for this process alone."""
    _say_that_nothing_is_kept(error)
    return Cache({})


def _open_for_owner(path: str, flags: int) -> int:
    """Let others read a file, as an image's users do, but not write: pickles can run any code."""
    return os.open(path, flags, mode=0o644)


def _lock(file: IO[bytes]) -> None:
    """Lock a file until it is closed, after whoever has locked it; but wait for nobody forever."""
    if _try_to_lock(file):
        return
    say("another process is compiling the rules engine; waiting ...")
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        time.sleep(0.2)
        if _try_to_lock(file):
            return
    say(f"the other process has not finished in {PATIENCE} s, so this one compiles, too.")


def _try_to_lock(file: IO[bytes]) -> bool:
    """Lock a file, or else tell that another process has; where there are no locks, go on."""
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
        f"no cache can be kept ({error}), so every start compiles; "
        "set CARC_ENV_CACHE_DIR to a folder that can be written and has 10 MB free."
    )
