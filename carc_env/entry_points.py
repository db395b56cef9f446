"""What a text ``module:attribute`` stands for."""

import os
import sys
from functools import reduce
from importlib import import_module
from typing import Any


def attribute_of(entry_point: str) -> Any:
    """The attribute; its module is imported.

    Raises
    ------
    ModuleNotFoundError, AttributeError
        There is none.
    """
    module, _, path = entry_point.partition(":")
    return reduce(getattr, path.split("."), import_module(module))


def look_here_too() -> str:
    """Let modules be found in the current directory, behind all others; returns the directory."""
    if (here := os.getcwd()) not in sys.path:
        sys.path.append(here)
    return here
