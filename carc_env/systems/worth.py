"""The terms in which a set declares the points of features: "4 tiles x 2", as a term of a sum."""

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
    """A number of things, and the points for each of them."""

    n: int
    of: str
    each: int


@dataclass(frozen=True)
class Feature:
    """A feature of the record of a game, and the terms of its points so far.

    ``is_scored`` is for a feature that has just been scored: figures that changed its points may
    have left the board since. A complete city gives a field ``each`` points, and ``more`` for pigs
    and the like.
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
        """The engine's record of it."""
        return self.s.features[self.number]

    @property
    def kind(self) -> Kind:
        """Its kind."""
        return Kind(int(self.record.kind))

    @property
    def cell(self) -> int:
        """Its cell, if it is a single segment."""
        return int(self.s.tiles[int(self.s.segments[self.number].tile)].cell)

    @property
    def around(self) -> Any:
        """The tiles on its cell and the eight around, if it is a single segment."""
        tiles = self.s.board[self.cell + np.add.outer((-BOARD, 0, BOARD), (-1, 0, 1))] - 1
        return tiles[tiles >= 0]

    @property
    def tiles(self) -> Any:
        """The tile of each of its segments."""
        return self.s.segments["tile"][segments_of(self.s, self.number)]

    @property
    def figures(self) -> list[tuple[int, Figure]]:
        """Seats and kinds of the figures on it."""
        return figures_on(self.s, self.number)

    @property
    def total(self) -> int:
        """The points of its terms together."""
        return sum(term["n"] * term["each"] for term in self.terms)

    def holds(self, segments: npt.NDArray[Any]) -> bool:
        """Return whether any of some segments, of which there may be none, is part of it."""
        return self.number in self.s.segments["feature"][segments[segments != NO_SEGMENT]]

    def shows(self, table: npt.NDArray[Any]) -> bool:
        """Return whether a table of designs holds for any of its tiles."""
        return bool(table[self.s.tiles["design"][self.tiles]].any())

    def plus(self, n: int, of: str, each: int) -> Feature:
        """Return the feature with one more term."""
        return replace(self, terms=(*self.terms, {"n": n, "of": of, "each": each}))

    def with_each(self, each: int) -> Feature:
        """Return the feature with other points for each thing of its terms."""
        return replace(self, terms=tuple({**term, "each": each} for term in self.terms))


Ways = Iterator[Feature]
"""The possible results for a feature: one, or several if it has been scored."""
