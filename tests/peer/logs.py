"""Read games of the independent engine: a ``.jsonl``, a ``.tar.xz``, or a folder of them."""

from __future__ import annotations

import json
import tarfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Log:
    """One game of the independent engine."""

    header: dict[str, Any]
    messages: list[dict[str, Any]]
    end: dict[str, Any]

    @property
    def config(self) -> str:
        """Name of the configuration."""
        return str(self.header["config"])

    @property
    def number(self) -> int:
        """Number of the game in its configuration."""
        return int(self.header["game"])


def read_logs(path: Path) -> Iterator[Log]:
    """All games of a file or folder.

    Raises
    ------
    ValueError
        The path is no log, or a log is cut off.
    """
    if path.is_dir():
        inside = sorted([*path.rglob("*.jsonl"), *path.rglob("*.tar.xz")])
        if not inside:
            raise ValueError(f"{path}: no .jsonl and no .tar.xz in this folder")
        for file in inside:
            yield from read_logs(file)
    elif path.name.endswith(".tar.xz"):
        yield from _read_archive(path)
    elif path.suffix == ".jsonl":
        yield _parse(path.read_bytes().splitlines(), path.name)
    else:
        raise ValueError(f"{path}: expected a .jsonl, a .tar.xz or a folder of them")


def _read_archive(path: Path) -> Iterator[Log]:
    with tarfile.open(path, "r|xz") as archive:
        for member in archive:
            if member.name.endswith(".jsonl") and (file := archive.extractfile(member)):
                yield _parse(file, member.name)


def _parse(lines: Iterable[bytes], name: str) -> Log:
    rows = [json.loads(line) for line in lines]
    if len(rows) < 2 or rows[0].get("type") != "setup" or rows[-1].get("type") != "end":
        raise ValueError(f"{name}: does not run from a setup to an end")
    return Log(rows[0], rows[1:-1], rows[-1])
