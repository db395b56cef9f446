"""User-supplied files: their paths and their text."""

from __future__ import annotations

import codecs
import os
from pathlib import Path

ENCODINGS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
"""Byte order marks and their encodings, as Notepad and PowerShell write them."""


def user_path(path: str | os.PathLike[str]) -> Path:
    """Return a path written by a user, with ``~`` and ``~user`` expanded.

    Shells expand most of these, but not in ``--folder=~/runs``, in settings or in variables.
    """
    return Path(os.path.expanduser(path))


def read_text(path: str | os.PathLike[str], *, may_be_cut: bool = False) -> str:
    """Read a text file in UTF-8, or in UTF-16 with a byte order mark; drop the mark.

    If ``may_be_cut``, the file may end in the middle of a character, which is dropped.

    Raises
    ------
    ValueError
        The file has another encoding or is not text; the message names the file.
    OSError
        The file cannot be read.
    """
    content = user_path(path).read_bytes()
    encoding = next((name for mark, name in ENCODINGS.items() if content.startswith(mark)), "utf-8")
    try:
        text = codecs.getincrementaldecoder(encoding)().decode(content, final=not may_be_cut)
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{path} is not a text file in UTF-8: byte {error.start} is wrong; save it again "
            "with this encoding"
        ) from error
    if "\0" in text:
        raise ValueError(f"{path} is not a text file in UTF-8: it contains null bytes")
    return text
