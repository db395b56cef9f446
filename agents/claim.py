"""Claims on a folder or file, so that only one process writes it at a time.

A claim is a lock on a file in the folder, or next to the file. It ends when its process does, for
whatever reason; a lock file left behind by a killed process claims nothing.
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
"""File that exists in the folder while a process writes there; it names the process."""
PLACE = 1 << 30
"""Offset of the byte that Windows locks: far past the text, so that others can read it."""
BETWEEN_LOOKS = 0.02
"""Seconds between two checks of a lock held by another process."""
WITHOUT_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP)
"""Errors from file systems without locks, where conflicts go undetected and all may write."""


@contextmanager
def claimed(folder: Path) -> Iterator[None]:
    """Claim a folder for the duration of a ``with`` block; it is created if necessary.

    Raises
    ------
    ValueError
        Another process has claimed it; the message names it.
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
    """Keep other processes from changing a file while a ``with`` block reads and replaces it.

    Another process that wants to change the file waits until the block ends. The folder is created
    if necessary.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with _held(path.with_name(f".{path.name}.lock"), lambda _: time.sleep(BETWEEN_LOOKS)):
        yield


@contextmanager
def _held(path: Path, on_busy: Callable[[IO[str]], None]) -> Iterator[IO[str]]:
    """Open a file, keep it locked during a ``with`` block, and remove it at the end.

    While another process holds the lock, ``on_busy`` is called repeatedly.
    """
    while True:
        with path.open("a+", encoding="utf-8") as file:
            if not _lock(file):
                on_busy(file)
                continue
            if not _is_at(file, path):  # its holder removed it after we opened it
                continue
            try:
                yield file
            finally:
                with suppress(OSError):  # Windows cannot remove an open file
                    path.unlink()
            return


def _lock(file: IO[str]) -> bool:
    """Lock a file until it is closed; return False if another process has locked it."""
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
    """Return whether an open file is still the one at its path."""
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
