"""How commands read their arguments and describe themselves."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Sequence
from typing import Any

import tyro

CODE = "``"
"""What encloses code in docstrings; help has none."""
AS_WRITTEN = (
    tyro.conf.DisallowNone,
    tyro.conf.OmitArgPrefixes,
    tyro.conf.PositionalMetavarFromFieldName,
)
"""Arguments go by the names of their fields alone; who wants none leaves an option out."""


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
    """What a command line asks of a command.

    Parameters
    ----------
    kind : type or callable
        What is made of the arguments, for ``tyro.cli``.
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
