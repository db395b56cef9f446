"""Records and arrays that return Python numbers instead of numpy's small integers.

Compiled code widens every integer that it reads to 64 bits. Without the JIT, numpy's int16 and int8
would wrap around in the same arithmetic, and its bool does not support subtraction. Python's int
and bool give the same results as compiled code, and are faster. A number that does not fit into a
field is rejected when it is stored: numpy raises OverflowError for Python integers, where compiled
code drops bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np

NUMBERS = (np.number, np.bool_)
"""Numpy's number types."""


class Numbers(np.ndarray[Any, Any]):
    """An array, or a view of one, whose elements are Python numbers: ``table.view(Numbers)``."""

    def __getitem__(self, index: Any) -> Any:
        """Return an element as a Python int, bool or float, and a subarray as ``Numbers``."""
        found = np.ndarray.__getitem__(self, index)
        return found.item() if isinstance(found, NUMBERS) else found


class Record(np.void):  # type: ignore[misc]  # numpy's stubs call it final, np.record is one
    """A record whose fields are attributes: Python numbers, ``Numbers``, or further records.

    Kernels read and write fields as attributes, which numpy's plain structured scalars lack.
    """

    def __getattr__(self, name: str) -> Any:
        """Return a field; names that numpy's scalars use themselves are never fields."""
        try:
            found = self[name]
        except ValueError as error:
            raise AttributeError(f"{error}; its fields are {self.dtype.names}") from None
        if isinstance(found, np.ndarray):
            return found.view(Numbers)
        return found.item() if isinstance(found, np.number) else found

    def __setattr__(self, name: str, value: Any) -> None:
        """Write a field; raise OverflowError for a number that does not fit."""
        self[name] = value
