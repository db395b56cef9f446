"""Arguments that must be one of a few values."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import TypeVar

T = TypeVar("T")


def check_choice(name: str, value: T, allowed: Iterable[object]) -> T:
    """The value itself.

    Raises
    ------
    ValueError
        It is none of those allowed; the message gives the name of the argument, all of them, and
        the one that was probably meant.
    """
    known = [*allowed]
    if not any(type(value) is type(choice) and value == choice for choice in known):
        names = ", ".join(map(repr, known))
        raise ValueError(
            f"{name} must be one of {names}; got {value!r}{did_you_mean(value, known)}"
        )
    return value


def did_you_mean(value: object, known: Iterable[object]) -> str:
    """The end of a message about a name that nothing has: which of those known is close to it."""
    by_spelling = {name.casefold(): name for name in known if isinstance(name, str)}
    spelling = value.casefold() if isinstance(value, str) else ""
    close = get_close_matches(spelling, by_spelling, n=1, cutoff=0.7)
    return f"; did you mean {by_spelling[close[0]]!r}?" if close else ""
