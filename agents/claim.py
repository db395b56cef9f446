"""A folder, or a file, that one process at a time may write to.

The claim is a lock on a file in the folder, or beside the file. It goes with its process, however
that ends; a lock file that was left by a process that was killed claims nothing.
"""

from __future__ import annotations

import errno
import os
import platform
import shlex
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

try:
    import fcntl
except ImportError:  # Windows
    import msvcrt

LOCK = "run.lock"
"""In the folder, while somebody writes there; says who."""
PLACE = 1 << 30
"""Of the byte that Windows locks: far behind the words, which others may then read."""
BETWEEN_LOOKS = 0.02
"""Seconds between two looks at a lock that another process has."""
WITHOUT_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP)
"""What file systems answer that know no locks: there is nothing to go by, and all may write."""


@contextmanager
def claimed(folder: Path) -> Iterator[None]:
    """A folder that no other process claims, for the time of a ``with`` block; made if need be.

    Raises
    ------
    ValueError
        Another one has claimed it; the message says which.
    """

    def refuse(file: IO[str]) -> None:
        raise ValueError(
            f"{folder} is in use by {_holder(file)}: wait for it to end, or choose another --folder"
        )

    folder.mkdir(parents=True, exist_ok=True)
    with _held(folder / LOCK, refuse) as file:
        file.truncate(0)
        file.write(_who_we_are())
        file.flush()
        yield


@contextmanager
def changing(path: Path) -> Iterator[None]:
    """Let no other process change a file during a ``with`` block, which reads and replaces it.

    Another process that wants to change it waits until then. The folder is made if need be.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with _held(path.with_name(f".{path.name}.lock"), lambda _: time.sleep(BETWEEN_LOOKS)):
        yield


@contextmanager
def _held(path: Path, on_busy: Callable[[IO[str]], None]) -> Iterator[IO[str]]:
    """A file that is locked during a ``with`` block, and removed at its end.

    While somebody else has locked it, ``on_busy`` is called again and again.
    """
    while True:
        with path.open("a+", encoding="utf-8") as file:
            if not _lock(file):
                on_busy(file)
                continue
            if not _is_at(file, path):  # its holder has removed it since it was opened
                continue
            try:
                yield file
            finally:
                with suppress(OSError):  # Windows removes no open file
                    path.unlink()
            return


def _lock(file: IO[str]) -> bool:
    """Lock a file until it is closed, or tell that somebody else has."""
    try:
        if sys.platform == "win32":
            file.seek(PLACE)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno in WITHOUT_LOCKS
    return True


def _is_at(file: IO[str], path: Path) -> bool:
    """Whether an open file is still the one of its path."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False


def _who_we_are() -> str:
    since = time.strftime("%Y-%m-%d %H:%M:%S")
    command = shlex.join(sys.argv)
    return f"process {os.getpid()} on {platform.node()} since {since} ({command})"


def _holder(file: IO[str]) -> str:
    file.seek(0)
    return file.read() or "another process"
