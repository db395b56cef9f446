"""Resolution of a text ``module:attribute``."""

import os
import sys
from functools import reduce
from importlib import import_module
from typing import Any

from carc_env.extras import extras_named


def attribute_of(entry_point: str) -> Any:
    """Return the attribute; import its module.

    Raises
    ------
    ModuleNotFoundError, AttributeError
        There is no such module or attribute, or it needs a package that is not installed.
    """
    module, _, path = entry_point.partition(":")
    with extras_named():
        found = import_module(module)
    return reduce(getattr, path.split("."), found)


def look_here_too() -> str:
    """Let modules be found in the current directory, after all others; return the directory."""
    if (here := os.getcwd()) not in sys.path:
        sys.path.append(here)
    return here
