"""The terms in which the core and each set declare what they keep in the record of a game."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from carc_env.engine.core.codes import Figure, Kind

ABSENT = -1
"""Number of what is absent; each kind of thing has a name of its own for it."""


@dataclass(frozen=True)
class Field:
    """A field of the record.

    Attributes
    ----------
    name, shape
        As kernels read it: ``s.towers[k].height``.
    type
        The code of numpy's type, or the fields of a record.
    most
        The largest number in it; or the name of what it counts or indexes: ``"tiles"`` if it is at
        most ``n_tiles - 1``. None if it is never an index: it is only compared.
    least
        The smallest number, unless it is the one for what is absent, or 0.
    empty
        Its content when a game begins.
    is_history
        Whether no position contains it.
    """

    name: str
    type: str | tuple[Field, ...]
    shape: tuple[int, ...] = ()
    most: int | str | None = None
    empty: int = 0
    least: int | None = None
    is_history: bool = False

    @property
    def is_set(self) -> bool:
        """Whether it holds a set of numbers as bits of words."""
        return self.type == "u8" and self.most is not None


Fields = tuple[Field, ...]


@dataclass(frozen=True)
class Standing:
    """The segments on which a kind of figure may stand, and what it counts in a majority there."""

    figure: Figure
    suitable: tuple[Kind, ...]
    strength: int = 1


@dataclass(frozen=True)
class Part:
    """What a set keeps of the game, of every player and in the rules, and its figures.

    ``events``: how many times a decision can score besides features; ``marks``: how many places of
    the board it marks for a decision; ``besides``: how many actions it offers beside the figure
    action; ``changes``: how many features elsewhere a placement can change with it; ``watched``:
    how many features it names whose look may have changed.
    """

    game: Fields = ()
    player: Fields = ()
    rules: Fields = ()
    figures: tuple[Standing, ...] = ()
    events: int = 0
    marks: int = 0
    besides: int = 0
    changes: int = 0
    watched: int = 0


def layout_of(fields: Fields) -> list[tuple[str, Any, tuple[int, ...]]]:
    """Return the fields in the form in which numpy declares the type of a record."""
    return [
        (f.name, f.type if isinstance(f.type, str) else layout_of(f.type), f.shape) for f in fields
    ]


def write_empty(record: Any, fields: Fields) -> None:
    """Write the initial content of a record, or of each record in an array."""
    for field in fields:
        if isinstance(field.type, str):
            record[field.name] = field.empty
        else:
            write_empty(record[field.name], field.type)


def with_numbers(
    record: Any, fields: Fields, path: str = ""
) -> Iterator[tuple[str, Field, npt.NDArray[Any]]]:
    """Yield every field without subfields: the field, its path, and its numbers."""
    for field in fields:
        found, name = record[field.name], path + field.name
        if isinstance(field.type, tuple):
            yield from with_numbers(found, field.type, f"{name}.")
        else:
            yield name, field, members(found) if field.is_set else np.ravel(found)


def members(bits: Any) -> npt.NDArray[np.int64]:
    """Return the numbers in a set that is kept as bits of words."""
    return np.flatnonzero(np.unpackbits(bits.view(np.uint8), bitorder="little"))


def is_same(one: Any, other: Any) -> bool:
    """Return whether two records or arrays hold the same numbers; padding does not count."""
    if one.dtype.names is None:
        return bool(np.array_equal(one, other))
    return all(is_same(one[name], other[name]) for name in one.dtype.names)
