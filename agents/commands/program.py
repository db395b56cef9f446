"""How commands read their arguments and describe themselves."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Sequence
from typing import Any

import tyro

CODE = "``"
"""Marks around code in docstrings, which help leaves out."""
AS_WRITTEN = (
    tyro.conf.DisallowNone,
    tyro.conf.OmitArgPrefixes,
    tyro.conf.PositionalMetavarFromFieldName,
)
"""Arguments use only the names of their fields; leave an option out instead of negating it."""


def described(doc: str | None) -> str:
    """Return the description of a command as plain text that fits the terminal.

    Continued lines are indented, since tyro joins those that begin with a letter. Examples follow
    their text directly, since tyro doubles the empty line.
    """
    width, parts = shutil.get_terminal_size().columns, []
    for part in textwrap.dedent(doc or "").strip().replace(CODE, "").split("\n\n"):
        is_code = part.startswith(" ")
        shown = part if is_code else textwrap.fill(part, width, subsequent_indent="  ")
        parts.append(("\n" if is_code else "\n\n") + shown)
    return "".join(parts).strip()


def read_arguments(kind: Any, arguments: Sequence[str] | None, name: str, doc: str | None) -> Any:
    """Return the parsed arguments of a command.

    Parameters
    ----------
    kind : type or callable
        The type of the arguments, for ``tyro.cli``.
    arguments : sequence of str, optional
        Default: those of the process.
    name : str
        Of the command.
    doc : str, optional
        Its description.

    Raises
    ------
    SystemExit
        They ask for help, or are refused.
    """
    return tyro.cli(
        kind,
        args=arguments,
        prog=f"carc-env {name}",
        description=described(doc),
        config=AS_WRITTEN,
    )
