"""Drawing results, cached on disk for later processes.

A tile's locations, its drawing and its pixels depend only on its design. They are stored in an
SQLite database next to the compiled kernels, which several processes may read and write at the same
time. The database is named after a hash of the sources and libraries that the results come from.
Without a writable folder, everything is recomputed, and nothing else changes.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np

from carc_env.engine.compiler.cache import cache_root, prune

SUBFOLDER = "pictures"
MARK = 0x63617263
"""SQLite application ID of our databases: no file without it is ever removed."""
N_KEPT = 2
"""Number of databases to keep: this version's, and the one used before it."""
PATIENCE = 2.0
"""Seconds to wait for another process that is writing."""


def kept(name: str, compute: Callable[[], bytes]) -> bytes:
    """Return a cached result by name, or else compute it and cache it.

    Parameters
    ----------
    name
        Identifies everything that the result depends on, except sources and libraries.
    compute
        Computes the result.
    """
    shelf = _shelf(os.getpid())
    if shelf is None:
        return compute()
    with suppress(sqlite3.Error):
        row = shelf.execute("SELECT content, sum FROM kept WHERE name = ?", (name,)).fetchone()
        if row is not None and _sum(row[0]) == row[1]:
            content: bytes = row[0]
            return content
    content = compute()
    with suppress(sqlite3.Error):  # full, damaged or locked: later processes compute it again
        shelf.execute(
            "INSERT OR REPLACE INTO kept VALUES (?, ?, ?)", (name, content, _sum(content))
        )
    return content


def _sum(content: bytes) -> bytes:
    """Return a checksum that shows whether a result is complete, since writes are not synced."""
    return hashlib.blake2b(content, digest_size=8).digest()


@cache
def _shelf(_: int) -> sqlite3.Connection | None:
    """Return this process's own connection to the database; None if there is no database."""
    try:
        path = cache_root().with_name(SUBFOLDER) / f"{_key()}.sqlite"
        path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
        is_new = not path.exists()
        shelf = sqlite3.connect(
            path, timeout=PATIENCE, isolation_level=None, check_same_thread=False
        )
    except (OSError, sqlite3.Error):
        return None
    with suppress(sqlite3.Error):  # another user's read-only database is good enough
        shelf.execute("PRAGMA synchronous = OFF")
        if is_new:
            shelf.execute(f"PRAGMA application_id = {MARK}")
        shelf.execute(
            "CREATE TABLE IF NOT EXISTS kept (name TEXT PRIMARY KEY, content BLOB, sum BLOB)"
        )
    if is_new:
        with suppress(OSError):
            prune(path, _is_own, N_KEPT)
    return shelf


def _key() -> str:
    """Return a name for everything that pictures depend on: drawing code, tiles and libraries."""
    package = Path(__file__).parents[1]
    folders = (package / "render", package / "engine" / "core", package / "layout")
    digest = hashlib.sha256(f"{np.__version__} {_version_of('resvg-py')}".encode())
    others = (package / "web/art.py", *(package / "sets").rglob("drawing.py"))
    for path in sorted((*others, *(p for folder in folders for p in folder.rglob("*")))):
        if path.suffix in (".py", ".json"):
            digest.update(str(path.relative_to(package)).encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def _version_of(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "none"


def _is_own(path: Path) -> bool:
    """Return whether a file is a database with our mark, which SQLite stores at byte 68."""
    if path.suffix != ".sqlite" or path.is_symlink() or not path.is_file():
        return False
    with path.open("rb") as file:
        head = file.read(72)
    return head.startswith(b"SQLite format 3\0") and head[68:] == MARK.to_bytes(4, "big")
