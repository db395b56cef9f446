"""Commands' argument parsing and help texts."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Mapping, Sequence
from functools import reduce
from operator import or_
from typing import Annotated, Any

import tyro

from carc_env.choices import did_you_mean

CODE = "``"
"""Marks around code in docstrings, which help texts omit."""
AS_WRITTEN = (
    tyro.conf.DisallowNone,
    tyro.conf.OmitArgPrefixes,
    tyro.conf.PositionalMetavarFromFieldName,
)
"""Options are named after their fields only, and there are no negated options."""


def described(doc: str | None) -> str:
    """Return a command's description as plain text that fits the terminal.

    Continuation lines are indented, since tyro joins lines that begin with a letter. Examples
    directly follow their text, since tyro doubles empty lines.
    """
    width, parts = shutil.get_terminal_size().columns, []
    for part in textwrap.dedent(doc or "").strip().replace(CODE, "").split("\n\n"):
        is_code = part.startswith(" ")
        shown = part if is_code else textwrap.fill(part, width, subsequent_indent="  ")
        parts.append(("\n" if is_code else "\n\n") + shown)
    return "".join(parts).strip()


def read_arguments(kind: Any, arguments: Sequence[str] | None, name: str, doc: str | None) -> Any:
    """Parse a command's arguments.

    Parameters
    ----------
    kind : type or callable
        The type of the arguments, for ``tyro.cli``.
    arguments : sequence of str, optional
        The arguments. Default: those of the process.
    name : str
        The command's name.
    doc : str, optional
        The command's description.

    Raises
    ------
    SystemExit
        The arguments ask for help or are invalid.
    """
    return tyro.cli(
        kind,
        args=arguments,
        prog=f"carc-env {name}",
        description=described(doc),
        config=AS_WRITTEN,
    )


def read_subcommand(
    commands: Mapping[str, type[Any]], arguments: Sequence[str] | None, name: str, doc: str | None
) -> Any | None:
    """Parse the arguments of a command with subcommands; return the chosen one, filled in.

    If there is no such subcommand, print which there are and return None.

    Parameters
    ----------
    commands : mapping of str to type
        The types of the subcommands' arguments, by name.
    arguments, name, doc
        As for :func:`read_arguments`.

    Raises
    ------
    SystemExit
        As for :func:`read_arguments`.
    """
    words = [*(sys.argv[1:] if arguments is None else arguments)]
    if words and not words[0].startswith("-") and words[0] not in commands:
        known = f"choose one of {', '.join(commands)}{did_you_mean(words[0], commands)}"
        print(f"there is no carc-env {name} {words[0]}: {known}", file=sys.stderr)
        return None
    kinds = (Annotated[kind, tyro.conf.subcommand(one)] for one, kind in commands.items())
    return read_arguments(reduce(or_, kinds), words, name, doc)
