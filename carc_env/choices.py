"""Arguments that must be one of a few values."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

T = TypeVar("T")


def check_choice(name: str, value: T, allowed: Iterable[object]) -> T:
    """The value itself.

    Raises
    ------
    ValueError
        It is none of those allowed; the message gives the name of the argument and all of them.
    """
    known = [*allowed]
    if not any(type(value) is type(choice) and value == choice for choice in known):
        raise ValueError(f"{name} must be one of {', '.join(map(repr, known))}; got {value!r}")
    return value
