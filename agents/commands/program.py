"""How commands read their arguments, and what they call themselves: as they were called."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import tyro

from carc_env.__main__ import COMMANDS, TRAINED_BY

SCRIPTS = "scripts"
CODE = "``"
"""What encloses code in docstrings; help has none."""
AS_WRITTEN = (
    tyro.conf.DisallowNone,
    tyro.conf.OmitArgPrefixes,
    tyro.conf.PositionalMetavarFromFieldName,
)
"""Arguments go by the names of their fields alone; who wants none leaves an option out."""


def program(name: str) -> str:
    """How to call a command: ``carc-env train ppo``, or ``python scripts/train_ppo.py``.

    Parameters
    ----------
    name : str
        Of the script, without its ending. Where a script is running the others are called as it
        was; what is a script alone always is one.
    """
    called = Path(sys.argv[0])
    is_script = called.suffix == ".py" and called.parent.name == SCRIPTS
    verb, _, what = name.partition("_")
    if not is_script and (name in COMMANDS or (verb == "train" and what in TRAINED_BY)):
        return " ".join(["carc-env", verb, what]).rstrip()
    folder = called.parent if is_script else Path(SCRIPTS)
    return f"python {folder / name}.py"


def described(name: str, doc: str | None) -> str:
    """The description of a command as plain text that fits the terminal.

    Examples call the command as it was called. Lines that go on are indented, since tyro joins
    those that begin with a letter, and examples follow at once, since it doubles the empty line.
    """
    command = " ".join(["carc-env", *name.split("_", 1)])
    width, parts = shutil.get_terminal_size().columns, []
    for part in textwrap.dedent(doc or "").strip().replace(CODE, "").split("\n\n"):
        is_code = part.startswith(" ")
        shown = part if is_code else textwrap.fill(part, width, subsequent_indent="  ")
        parts.append(("\n" if is_code else "\n\n") + shown)
    return "".join(parts).strip().replace(command, program(name))


def read_arguments(kind: Any, arguments: Sequence[str] | None, name: str, doc: str | None) -> Any:
    """What a command line asks of a command.

    Parameters
    ----------
    kind : type or callable
        What is made of the arguments, for ``tyro.cli``.
    arguments : sequence of str, optional
        Default: those of the process.
    name : str
        Of the command, for :func:`program`.
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
        prog=program(name),
        description=described(name, doc),
        config=AS_WRITTEN,
    )
