"""Files that users name: their paths, and their text."""

from __future__ import annotations

import codecs
import os
from pathlib import Path

ENCODINGS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
"""The first bytes of files that tell their encoding, as Notepad and PowerShell write them."""


def user_path(path: str | os.PathLike[str]) -> Path:
    """Return a path as a user wrote it, with ``~`` and ``~user`` expanded.

    Shells expand some of them, but not ``--folder=~/runs``, nor those in settings or variables.
    """
    return Path(os.path.expanduser(path))


def read_text(path: str | os.PathLike[str], *, may_be_cut: bool = False) -> str:
    """Read a text file in UTF-8, or in UTF-16 with a byte order mark; leave out the mark.

    A truncated file may end within a character, which is left out then.

    Raises
    ------
    ValueError
        The file is in another encoding, or not text; the message names the file.
    OSError
        It cannot be read.
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
