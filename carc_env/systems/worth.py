"""The terms in which a set declares a feature's points: "4 tiles x 2" is a term in a sum."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, TypedDict

import numpy as np
import numpy.typing as npt

from carc_env.engine.core.codes import Figure, Kind
from carc_env.engine.core.scoring import POINTS_PER_CITY_OF_A_FIELD
from carc_env.engine.core.state import BOARD, NO_SEGMENT
from carc_env.rules import Rules
from carc_env.systems.places import figures_on, segments_of


class Term(TypedDict):
    """A number of things and the points for each."""

    n: int
    of: str
    each: int


@dataclass(frozen=True)
class Feature:
    """A feature in a game's record, and the terms of its points so far.

    ``is_scored`` marks a feature that has just been scored: figures that changed its points may
    have left the board since then. A complete city gives a field ``each`` points, plus ``more`` for
    pigs and the like.
    """

    s: Any
    rules: Rules
    number: int
    is_complete: bool
    leaders: tuple[int, ...] = ()
    is_scored: bool = False
    each: int = POINTS_PER_CITY_OF_A_FIELD
    more: int = 0
    terms: tuple[Term, ...] = ()

    @property
    def record(self) -> Any:
        """The feature's record in the engine."""
        return self.s.features[self.number]

    @property
    def kind(self) -> Kind:
        """The kind of feature."""
        return Kind(int(self.record.kind))

    @property
    def cell(self) -> int:
        """The feature's cell, if it is a single segment."""
        return int(self.s.tiles[int(self.s.segments[self.number].tile)].cell)

    @property
    def around(self) -> Any:
        """The tiles on its cell and on the eight surrounding cells, if it is a single segment."""
        tiles = self.s.board[self.cell + np.add.outer((-BOARD, 0, BOARD), (-1, 0, 1))] - 1
        return tiles[tiles >= 0]

    @property
    def tiles(self) -> Any:
        """The tile of each of its segments."""
        return self.s.segments["tile"][segments_of(self.s, self.number)]

    @property
    def figures(self) -> list[tuple[int, Figure]]:
        """Seats and kinds of the figures on the feature."""
        return figures_on(self.s, self.number)

    @property
    def total(self) -> int:
        """The sum of its terms, in points."""
        return sum(term["n"] * term["each"] for term in self.terms)

    def holds(self, segments: npt.NDArray[Any]) -> bool:
        """Return whether any of the given segments, if there are any, belongs to the feature."""
        return self.number in self.s.segments["feature"][segments[segments != NO_SEGMENT]]

    def shows(self, table: npt.NDArray[Any]) -> bool:
        """Return whether a table indexed by design is true for any of its tiles."""
        return bool(table[self.s.tiles["design"][self.tiles]].any())

    def plus(self, n: int, of: str, each: int) -> Feature:
        """Return the feature with one more term."""
        return replace(self, terms=(*self.terms, {"n": n, "of": of, "each": each}))

    def with_each(self, each: int) -> Feature:
        """Return the feature with different points per thing in its terms."""
        return replace(self, terms=tuple({**term, "each": each} for term in self.terms))


Ways = Iterator[Feature]
"""A feature's possible results: one, or several if it has been scored."""
