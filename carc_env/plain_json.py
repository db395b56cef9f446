"""Untrusted JSON: only values that can be traversed and written are accepted."""

from __future__ import annotations

import json
import math
from itertools import chain
from typing import Any

from pydantic import ValidationError

MAX_DEPTH = 64
"""Nesting limit; deeper values would exhaust the stack of functions that traverse them."""
MAX_DIGITS = 300
"""Digit limit for whole numbers, chosen so that they still fit into a float."""


def read_json(what: str, text: str | bytes) -> Any:
    """Return the value of a JSON text; ``what`` names its content in error messages.

    Numbers that JSON does not have (``NaN``, ``Infinity``), numbers too large for a float, deep
    nesting and unpaired surrogates are refused. A byte order mark is dropped.

    Raises
    ------
    ValueError
        The text is not JSON of this kind.
    """
    try:
        if isinstance(text, str):  # for bytes, the mark is dropped anyway
            text = text.removeprefix("\ufeff")
        value = json.loads(
            text, parse_int=_whole, parse_float=_finite, parse_constant=_refuse_constant
        )
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{what}: not valid JSON: {error}") from error
    check_plain(what, value)
    return value


def check_plain(what: str, value: Any) -> None:
    """Refuse plain values that cannot be traversed or written.

    Raises
    ------
    ValueError
        The values are nested too deeply, or contain a text with an unpaired surrogate.
    """
    level = [value]
    for _ in range(MAX_DEPTH):
        inside: list[Any] = []
        for part in level:
            if isinstance(part, str):
                _check_text(what, part)
            elif isinstance(part, dict):
                inside.extend(chain(part, part.values()))
            elif isinstance(part, list | tuple):
                inside.extend(part)
        if not inside:
            return
        level = inside
    raise ValueError(f"{what}: nested more than {MAX_DEPTH} deep")


def _check_text(what: str, text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        half = text[error.start]
        raise ValueError(
            f"{what}: {half!a} is half of a character, so this is not valid text"
        ) from None


def first_problem(error: ValidationError) -> str:
    """Return where and why plain values violate the declared form: ``turns.3.player: ...``."""
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    where = ".".join(str(part)[:40] for part in first["loc"][:6])
    return f"{where}: {first['msg'][:300]}" if where else first["msg"][:300]


def _whole(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise ValueError(f"a number of {len(digits)} digits")
    return int(digits)


def _finite(digits: str) -> float:
    if not math.isfinite(number := float(digits)):
        raise ValueError(f"{digits[:20]} is too large")
    return number


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a number")
