"""Output in any encoding: characters that a terminal or a file cannot show are written in ASCII."""

from __future__ import annotations

import codecs
import io
import sys
import unicodedata

ERRORS = "carc_env.plain"
"""The name of :func:`plainly` among the error handlers of Python."""
PLAIN = {
    **dict.fromkeys("─╶╴━╸╺", "-"),
    **dict.fromkeys("│╵╷┃", "|"),
    **dict.fromkeys("└┌┐┘┬┤┴├┼╔╗╚╝╭╮╰╯╫╪┏┓┗┛┡┩", "+"),
    "═": "=",
    "║": '"',
    "±": "+-",
    "≤": "<=",
    "≥": ">=",
    "µ": "u",
    "…": "...",
    "•": "*",
}
"""Replacements of characters that we print; those of the board keep their width."""


def plainly(error: UnicodeError) -> tuple[str, int]:
    r"""Return the ASCII for characters that an encoding lacks: ``o`` for ``ö``, else ``\\u2603``.

    Raises
    ------
    UnicodeError
        The error is not about writing.
    """
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(map(_plain, error.object[error.start : error.end])), error.end


def _plain(character: str) -> str:
    if character in PLAIN:
        return PLAIN[character]
    letters = unicodedata.normalize("NFKD", character) if character.isalpha() else ""
    return letters.encode("ascii", "ignore").decode() or ascii(character)[1:-1]


def print_anywhere() -> None:
    """Let this process print every character, in any output encoding.

    The encoding stays, as the reader of a pipe expects it. A Windows pipe, ``LC_ALL=C`` and
    ``PYTHONIOENCODING`` choose one without most characters.
    """
    codecs.register_error(ERRORS, plainly)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a program with windows has none
            stream.reconfigure(errors=ERRORS)
