"""What the rooms of sets declare, for tests that loop over them."""

from __future__ import annotations

from types import ModuleType

from carc_env.sets import import_all
from carc_env.systems.declaring import System


def room_of(module: ModuleType) -> str:
    """The package of the room that a file of a set is in."""
    return module.__name__.rpartition(".")[0]


SYSTEMS_OF = {
    room_of(module): [system for system in vars(module).values() if isinstance(system, System)]
    for module in import_all("surface")
}
"""Room -> the systems that it declares."""
