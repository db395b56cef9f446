"""Resolve ``module:attribute`` strings."""

import os
import sys
from functools import reduce
from importlib import import_module
from typing import Any

from carc_env.extras import extras_named


def attribute_of(entry_point: str) -> Any:
    """Import the module and return the attribute.

    Raises
    ------
    ModuleNotFoundError, AttributeError
        There is no such module or attribute, or the module needs a package that is not installed.
    """
    module, _, path = entry_point.partition(":")
    with extras_named():
        found = import_module(module)
    return reduce(getattr, path.split("."), found)


def look_here_too() -> str:
    """Add the current directory to the end of the module search path; return the directory."""
    if (here := os.getcwd()) not in sys.path:
        sys.path.append(here)
    return here
