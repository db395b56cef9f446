"""Read games of the independent engine from files with a suffix in ``ENDINGS``."""

from __future__ import annotations

import json
import lzma
import tarfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ENDINGS = (".jsonl", ".jsonl.xz", ".tar.xz")
"""Suffixes of a game, a compressed game and an archive of games."""


CUT = "cut"
"""Type of the last line of a game that was cut off on purpose."""


@dataclass(frozen=True, slots=True)
class Log:
    """One game of the independent engine."""

    header: dict[str, Any]
    messages: list[dict[str, Any]]
    end: dict[str, Any]
    """Scores and tiles at the end; only the line type if the rest was cut off."""

    @property
    def is_cut(self) -> bool:
        """Whether the game was cut off on purpose, after a message."""
        return bool(self.end.get("type") == CUT)

    @property
    def config(self) -> str:
        """Name of the configuration."""
        return str(self.header["config"])

    @property
    def number(self) -> int:
        """Number of the game in its configuration."""
        return int(self.header["game"])


def read_logs(path: Path) -> Iterator[Log]:
    """Yield all games of a file or folder.

    Raises
    ------
    ValueError
        The path is not a log, or a log is incomplete.
    """
    if path.is_dir():
        inside = sorted(file for file in path.rglob("*") if file.name.endswith(ENDINGS))
        if not inside:
            raise ValueError(f"{path}: no file in this folder ends in {' or '.join(ENDINGS)}")
        for file in inside:
            yield from read_logs(file)
    elif path.name.endswith(".tar.xz"):
        yield from _read_archive(path)
    elif path.name.endswith(".jsonl.xz"):
        yield _parse(lzma.decompress(path.read_bytes()).splitlines(), path.name)
    elif path.suffix == ".jsonl":
        yield _parse(path.read_bytes().splitlines(), path.name)
    else:
        raise ValueError(f"{path}: expected a folder or a file in {' or '.join(ENDINGS)}")


def _read_archive(path: Path) -> Iterator[Log]:
    with tarfile.open(path, "r|xz") as archive:
        for member in archive:
            if member.name.endswith(".jsonl") and (file := archive.extractfile(member)):
                yield _parse(file, member.name)


def _parse(lines: Iterable[bytes], name: str) -> Log:
    rows = [json.loads(line) for line in lines]
    if len(rows) < 2 or rows[0].get("type") != "setup" or rows[-1].get("type") not in ("end", CUT):
        raise ValueError(f"{name}: does not run from a setup to an end")
    return Log(rows[0], rows[1:-1], rows[-1])
