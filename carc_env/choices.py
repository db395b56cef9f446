"""Arguments that must be one of a few values, and seeds."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from difflib import get_close_matches
from typing import TypeVar

import numpy as np

T = TypeVar("T")
MAX_SEED = 2**64 - 1


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


def check_seed(seed: int | None) -> int:
    """The seed, or a fresh random one for None.

    Raises
    ------
    ValueError
        The seed is not from 0 to 2**64 - 1.
    """
    if seed is None:
        return int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
    if not 0 <= operator.index(seed) <= MAX_SEED:
        raise ValueError(f"seed must be from 0 to 2**64 - 1, got {seed}")
    return int(seed)
