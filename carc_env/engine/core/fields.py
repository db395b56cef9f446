"""The words in which the core and each set declare what they keep in the record of a game."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from carc_env.engine.core.codes import Figure, Kind

ABSENT = -1
"""Number of what is not there; each kind of thing has a name of its own for it."""


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
        The largest number in it; or what it is the number of, ``"tiles"`` where it is at most
        ``n_tiles - 1``. None where nothing is looked up with it: it is compared alone.
    least
        The smallest number, where that is not the one for what is absent, or 0.
    empty
        What stands in it when a game begins.
    is_history
        Whether no position tells it.
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
        """Whether it holds numbers as bits of words."""
        return self.type == "u8" and self.most is not None


Fields = tuple[Field, ...]


@dataclass(frozen=True)
class Standing:
    """What a kind of figure may stand on, and what it counts in a majority there."""

    figure: Figure
    suitable: tuple[Kind, ...]
    strength: int = 1


@dataclass(frozen=True)
class Part:
    """What a set keeps of the game, of every player and in the rules, and its figures.

    ``events`` is how much a decision can score besides features, ``marks`` in how many places of
    the board it shows what holds for a decision, ``besides`` how many actions it offers beside the
    figure action, ``changes`` how many features a placement can change with it elsewhere,
    ``watched`` how many features it names that may look otherwise than before.
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
    """The fields as numpy declares the type of a record."""
    return [
        (f.name, f.type if isinstance(f.type, str) else layout_of(f.type), f.shape) for f in fields
    ]


def write_empty(record: Any, fields: Fields) -> None:
    """Write what stands in a record, or in each of an array, when a game begins."""
    for field in fields:
        if isinstance(field.type, str):
            record[field.name] = field.empty
        else:
            write_empty(record[field.name], field.type)


def with_numbers(
    record: Any, fields: Fields, path: str = ""
) -> Iterator[tuple[str, Field, npt.NDArray[Any]]]:
    """Every field that has no fields itself, its path, and the numbers in it."""
    for field in fields:
        found, name = record[field.name], path + field.name
        if isinstance(field.type, tuple):
            yield from with_numbers(found, field.type, f"{name}.")
        else:
            yield name, field, members(found) if field.is_set else np.ravel(found)


def members(bits: Any) -> npt.NDArray[np.int64]:
    """The numbers in a set that is kept as bits of words."""
    return np.flatnonzero(np.unpackbits(bits.view(np.uint8), bitorder="little"))


def is_same(one: Any, other: Any) -> bool:
    """Whether two records or arrays of them hold the same numbers; padding does not count."""
    if one.dtype.names is None:
        return bool(np.array_equal(one, other))
    return all(is_same(one[name], other[name]) for name in one.dtype.names)
