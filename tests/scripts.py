"""Scripts in the process of the tests, where all that they import is loaded already."""

import io
from contextlib import redirect_stderr, redirect_stdout
from importlib import import_module
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch


class Done(NamedTuple):
    """How a script has ended."""

    returncode: int
    stdout: str
    """All that it said, errors too."""


def run_here(script: str, *arguments: object) -> Done:
    """What a script of ``scripts/`` does with a command line, but for settings of the process."""
    main, said = import_module(Path(script).stem).main, io.StringIO()
    with redirect_stdout(said), redirect_stderr(said), patch("carc_env.agents.cpu.ctypes"):
        try:
            status = main([*map(str, arguments)])
        except SystemExit as end:
            status = end.code
    return Done(status, said.getvalue())
