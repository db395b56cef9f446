"""The systems that each room (the package of a set) declares, for tests that loop over them."""

from __future__ import annotations

from types import ModuleType

from carc_env.sets import import_all
from carc_env.systems.declaring import System


def room_of(module: ModuleType) -> str:
    """Return the package of the room that contains a module of a set."""
    return module.__name__.rpartition(".")[0]


SYSTEMS_OF = {
    room_of(module): [system for system in vars(module).values() if isinstance(system, System)]
    for module in import_all("surface")
}
"""Room -> the systems that it declares."""
