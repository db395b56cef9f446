"""Append-only files, written line by line."""

from __future__ import annotations

import csv
import io
import json
import logging
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import IO, Any

from carc_env.files import read_text
from carc_env.game.records import written_to

_LOG = logging.getLogger(__name__)


def whole_lines(content: bytes) -> list[bytes]:
    """Return a file's lines, without an incomplete last line.

    A last line without a line ending counts as complete if it is a JSON object, since no prefix of
    an object is one.
    """
    *lines, last = content.split(b"\n")
    return [*lines, last] if _is_object(last) else lines


def whole_rows(path: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV file as dicts by column, without an incomplete last row."""
    text = read_text(path, may_be_cut=True)
    whole = text[: max(text.rfind("\n"), text.rfind("\r")) + 1]
    return [*csv.DictReader(io.StringIO(whole, newline=""))]


def add_lines(path: Path, lines: Iterable[Mapping[str, Any]]) -> None:
    """Append JSON lines to an existing file; a truncated last line is removed first.

    Raises
    ------
    OSError
        The lines cannot be written; all complete lines in the file are unchanged.
    """
    text = "".join(json.dumps(line, allow_nan=False) + "\n" for line in lines)
    end = None
    try:
        with written_to(path), open(path, "r+b", opener=_at_its_end) as file:
            torn = _last_line(file)
            end = file.seek(0, os.SEEK_END)
            if torn and not _is_object(torn):
                _LOG.warning("%s: the last line was cut off and is removed", path)
                end = file.truncate(end - len(torn))
                torn = b""
            file.write(b"\n" * bool(torn) + text.encode())
    except OSError:
        if end is not None:
            os.truncate(path, end)
        raise


def _at_its_end(path: str, flags: int) -> int:
    """Open a file in append mode."""
    return os.open(path, flags | os.O_APPEND)


def _last_line(file: IO[bytes]) -> bytes:
    """Return the part of a file after its last line ending."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(size - 1, 0))
    if file.read() in (b"", b"\n"):
        return b""
    file.seek(0)
    return file.read().rpartition(b"\n")[2]


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False
