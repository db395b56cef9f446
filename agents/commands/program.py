"""What commands call themselves in what they print: as they were called."""

from __future__ import annotations

import sys
from pathlib import Path

from carc_env.__main__ import COMMANDS, TRAINED_BY

SCRIPTS = "scripts"


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
    """The description of a command, with examples that call it as it was called."""
    command = " ".join(["carc-env", *name.split("_", 1)])
    return (doc or "").replace(command, program(name))
