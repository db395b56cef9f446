"""Resolve ``module:attribute`` and ``file.py:attribute`` strings."""

import os
import sys
from functools import reduce
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from carc_env.extras import extras_named


def attribute_of(entry_point: str) -> Any:
    """Import the module or file and return the attribute.

    Raises
    ------
    ModuleNotFoundError, AttributeError, FileNotFoundError
        There is no such module, attribute or file, or the module needs a package that is not
        installed.
    """
    module, _, path = entry_point.rpartition(":")
    with extras_named():
        found = _loaded(Path(module)) if module.endswith(".py") else import_module(module)
    return reduce(getattr, path.split("."), found)


def _loaded(file: Path) -> ModuleType:
    """Return a file's module, which has the file's path as its name."""
    name = str(file.resolve())
    if name not in sys.modules:
        spec = spec_from_file_location(name, name)
        assert spec is not None and spec.loader is not None
        module = sys.modules[name] = module_from_spec(spec)
        try:
            spec.loader.exec_module(module)
        except BaseException:
            del sys.modules[name]
            raise
    return sys.modules[name]


def look_here_too() -> str:
    """Add the current directory to the end of the module search path; return the directory."""
    if (here := os.getcwd()) not in sys.path:
        sys.path.append(here)
    return here
