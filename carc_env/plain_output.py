"""Output in any encoding: characters that a terminal or a file cannot show become ASCII."""

from __future__ import annotations

import codecs
import io
import sys
import unicodedata

ERRORS = "carc_env.plain"
"""Name under which :func:`plainly` is registered as a Python error handler."""
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
"""Replacements for characters that we print; board characters keep their width."""


def plainly(error: UnicodeError) -> tuple[str, int]:
    r"""Return ASCII for characters that an encoding lacks: ``o`` for ``ö``, otherwise ``\\u2603``.

    Raises
    ------
    UnicodeError
        The error did not occur while encoding.
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
    """Let this process print every character, whatever the output encoding.

    The encoding itself is unchanged, since the reader of a pipe expects it. Windows pipes,
    ``LC_ALL=C`` and ``PYTHONIOENCODING`` can select encodings that lack most characters.
    """
    codecs.register_error(ERRORS, plainly)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a windowed program has none
            stream.reconfigure(errors=ERRORS)
