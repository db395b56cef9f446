"""Resolve ``module:attribute`` and ``file.py:attribute`` strings."""

import os
import re
import sys
from collections.abc import Iterable, Sequence
from functools import reduce
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from carc_env.choices import did_you_mean
from carc_env.extras import extras_named
from carc_env.files import user_path

ENTRY_POINT = re.compile(r"([^\W\d][\w.]*|.+\.py):[^\W\d][\w.]*")
"""What names an attribute of a user's module or file."""
DOT = "\N{ONE DOT LEADER}"
"""Stands for a dot in the name of a file's module."""


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
        is_file = module.endswith(".py")
        found = import_module(_name_of(Path(module)) if is_file else module)
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
        loaded = vars(sys.modules[_name_of(user_path(module)) if is_file else module])
        there = [name for name in loaded if not name.startswith("_")]
        raise ValueError(
            f"{what}: module {module!r} has no {path!r}{did_you_mean(path, there)}"
        ) from error


def _name_of(file: Path) -> str:
    """Return the name of a file's module: the path, without dots, which separate packages."""
    return str(file.resolve()).replace(".", DOT)


class _Files(MetaPathFinder):
    """Imports files by the names of their modules, so that pickles of their objects can be read."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        file = Path(fullname.replace(DOT, "."))
        return spec_from_file_location(fullname, file) if file.is_absolute() else None


sys.meta_path.append(_Files())


def look_here_too() -> str:
    """Add the current directory to the end of the module search path; return the directory."""
    if (here := os.getcwd()) not in sys.path:
        sys.path.append(here)
    return here
