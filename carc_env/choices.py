"""Checks for seeds and for arguments that must be one of a few values."""

from __future__ import annotations

import operator
import re
from collections.abc import Iterable
from difflib import get_close_matches
from typing import SupportsIndex, TypeVar

import numpy as np

T = TypeVar("T")
MAX_SEED = 2**64 - 1
MOST_NAMED = 40
"""If there are more values, messages about a likely misspelling do not list all of them."""


def check_choice(name: str, value: T, allowed: Iterable[object]) -> T:
    """Return the value if it is allowed.

    Raises
    ------
    ValueError
        The value is not allowed. The message gives the argument's name, all allowed values (or only
        the closest, if there are many), and the value that was probably meant.
    """
    known = [*allowed]
    for choice in known:
        if type(value) is type(choice) and value == choice:
            return value
    close = close_to(value, known)
    is_short = len(known) > MOST_NAMED and close
    names = ", ".join(map(repr, close if is_short else known))
    rest = f" and {len(known) - len(close)} others" if is_short else ""
    raise ValueError(
        f"{name} must be one of {names}{rest}; got {value!r}{did_you_mean(value, known)}"
    )


def close_to(value: object, known: Iterable[object]) -> list[str]:
    """Return up to five known names that are close to an unknown name, closest first.

    Names are close if their spelling is similar or if they share the first word, as ``corn`` and
    ``corn-circles`` do.
    """
    by_spelling = {name.casefold(): name for name in known if isinstance(name, str)}
    spelling = value.casefold() if isinstance(value, str) else ""
    close = get_close_matches(spelling, by_spelling, n=5, cutoff=0.7)
    word = _first_word(spelling)
    close += [name for name in by_spelling if word and _first_word(name) == word]
    return [by_spelling[name] for name in dict.fromkeys(close)][:5]


def _first_word(name: str) -> str:
    """Return the first word of a name, up to a hyphen or similar character."""
    return re.split(r"[\W_]", name)[0]


def did_you_mean(value: object, known: Iterable[object]) -> str:
    """Return the end of a message about an unknown name: the known name that is closest."""
    close = close_to(value, known)
    return f"; did you mean {close[0]!r}?" if close else ""


def whole_seed(seed: SupportsIndex) -> int:
    """Return a seed as a Python int; numpy and torch integers are accepted.

    Raises
    ------
    TypeError
        The seed is not an integer.
    ValueError
        The seed is negative.
    """
    if (number := _integer(seed)) < 0:
        raise ValueError(f"a seed must be 0 or more, got {number}")
    return number


def check_seed(seed: SupportsIndex | None) -> int:
    """Return the seed, or a fresh random one for None.

    Raises
    ------
    TypeError
        The seed is not an integer.
    ValueError
        The seed is not from 0 to 2**64 - 1.
    """
    if seed is None:
        return int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
    if not 0 <= (number := _integer(seed)) <= MAX_SEED:
        raise ValueError(f"seed must be from 0 to 2**64 - 1, got {number}")
    return number


def _integer(seed: SupportsIndex) -> int:
    try:
        return operator.index(seed)
    except TypeError:
        kind = type(seed).__name__
        raise TypeError(f"a seed must be an int, got {seed!r} of type {kind}") from None
