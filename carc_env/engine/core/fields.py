"""The types with which the core and each set declare their part of the game record."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from carc_env.engine.core.codes import Figure, Kind

ABSENT = -1
"""Number that stands for an absent item; each kind of item has its own name for it."""


@dataclass(frozen=True)
class Field:
    """A field of the record.

    Attributes
    ----------
    name, shape
        The name and shape that kernels use: ``s.towers[k].height``.
    type
        The numpy type code, or the fields of a nested record.
    most
        The largest value, or the name of the items that it counts or indexes: ``"tiles"`` if it is
        at most ``n_tiles - 1``. None if it is never used as an index, only compared.
    least
        The smallest value, unless that is the number for an absent item, or 0.
    empty
        The initial value.
    is_history
        Whether the field belongs to the history, which is not part of a position.
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
        """Whether the field holds a set of numbers as bits of words."""
        return self.type == "u8" and self.most is not None


Fields = tuple[Field, ...]


@dataclass(frozen=True)
class Standing:
    """The segments on which a figure kind may stand, and its strength in a majority there."""

    figure: Figure
    suitable: tuple[Kind, ...]
    strength: int = 1


@dataclass(frozen=True)
class Part:
    """A set's additions to the game, to each player and to the rules, and its figures.

    ``events``: the number of times a decision can score apart from features; ``marks``: the number
    of places on the board that it marks for a decision; ``besides``: the number of actions that it
    offers in addition to the figure action; ``changes``: the number of features elsewhere that a
    placement can change; ``watched``: the number of features that it reports because their look may
    have changed.
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
    """Return the fields in the form in which numpy declares a record type."""
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
    """Yield every leaf field: the field, its path and its numbers."""
    for field in fields:
        found, name = record[field.name], path + field.name
        if isinstance(field.type, tuple):
            yield from with_numbers(found, field.type, f"{name}.")
        else:
            yield name, field, members(found) if field.is_set else np.ravel(found)


def members(bits: Any) -> npt.NDArray[np.int64]:
    """Return the numbers in a set stored as bits of words."""
    return np.flatnonzero(np.unpackbits(bits.view(np.uint8), bitorder="little"))


def is_same(one: Any, other: Any) -> bool:
    """Return whether two records or arrays hold the same numbers; padding does not count."""
    if one.dtype.names is None:
        return bool(np.array_equal(one, other))
    return all(is_same(one[name], other[name]) for name in one.dtype.names)
