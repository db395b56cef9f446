"""Run scripts and commands in the test process, where their imports are already loaded."""

import io
from contextlib import redirect_stderr, redirect_stdout
from importlib import import_module
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch


class Done(NamedTuple):
    """Exit status and output of a script or command."""

    returncode: int
    stdout: str
    """Everything that it printed, including errors."""


def run_here(script: str, *arguments: object) -> Done:
    """Run a script (``ladder.py``) or command (``train_value``); keep the process settings."""
    name = Path(script).stem if script.endswith(".py") else f"carc_env.agents.commands.{script}"
    main, said = import_module(name).main, io.StringIO()
    with redirect_stdout(said), redirect_stderr(said), patch("carc_env.agents.cpu.ctypes"):
        try:
            status = main([*map(str, arguments)])
        except SystemExit as end:
            status = end.code
    return Done(status, said.getvalue())
