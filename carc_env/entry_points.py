"""Resolve ``module:attribute`` and ``file.py:attribute`` strings."""

import os
import re
import sys
from collections.abc import Iterable
from functools import reduce
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from carc_env.choices import did_you_mean
from carc_env.extras import extras_named
from carc_env.files import user_path

ENTRY_POINT = re.compile(r"([^\W\d][\w.]*|.+\.py):[^\W\d][\w.]*")
"""What names an attribute of a user's module or file."""


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


def imported(what: str, entry_point: str, names: Iterable[str] = ()) -> Any:
    """Return an attribute of a user's module, which may be in the current directory.

    Parameters
    ----------
    what : str
        The beginning of error messages.
    entry_point : str
        Matches :data:`ENTRY_POINT`.
    names : iterable of str
        Names that could be meant instead of a module.

    Raises
    ------
    ValueError
        There is no such file, module or attribute.
    ImportError
        A module that the user's module imports is missing.
    """
    here = look_here_too()
    module, _, path = entry_point.rpartition(":")
    is_file = module.endswith(".py")
    try:
        return attribute_of(f"{user_path(module)}:{path}" if is_file else entry_point)
    except FileNotFoundError as error:
        raise ValueError(f"{what}: there is no file {module}") from error
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise  # a module that their module imports is missing
        raise ValueError(
            f"{what}: there is no module {error.name!r} in {here} or on Python's "
            f"search path{did_you_mean(module, names)}"
        ) from error
    except AttributeError as error:
        loaded = vars(sys.modules.get(module) or sys.modules[str(user_path(module).resolve())])
        there = [name for name in loaded if not name.startswith("_")]
        raise ValueError(
            f"{what}: module {module!r} has no {path!r}{did_you_mean(path, there)}"
        ) from error


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
