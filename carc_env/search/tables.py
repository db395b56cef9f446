"""The terms in which the search and each set declare features of the learned value.

A table is a block of the weights, with one for each entry; entries are numbers of weights. Sets
write theirs at the moments below, in the order of the tables that contain them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from carc_env.engine.compiler.jit import i8, void
from carc_env.engine.compiler.moments import COUNT, THREAD, moment
from carc_env.engine.compiler.python_ints import Numbers
from carc_env.engine.core.state import MAX_FIGURES, State
from carc_env.sets import import_all

N_TIMES = 10
"""Steps of the rest of the game."""
N_RELATIONS = 5
"""Number of standings of a seat on an occupied feature."""
N_FITS = 6
"""Steps of the number of fitting tiles."""

ORDER = (
    *("city", "city_link", "road", "road_link", "centre", "field", "field_growth"),
    *("meeples", "figures", "special", "stock", "goods", "markers", "castle", "lots", "phase"),
    *("flock", "pasture", "hill", "challenge", "vineyard", "pig_herd"),
    *("danger", "fairy", "range", "floors", "captive"),
)
"""The first tables in their fixed order: it determines the last digits of the sums of their
weights. All other tables follow, in the order of sets.
"""


def place_of(name: str) -> int:
    """Return the place of a table among all, which is also that of its kernel."""
    return ORDER.index(name) if name in ORDER else len(ORDER)


@dataclass(frozen=True, eq=False)
class Table:
    """A block of the weights.

    Attributes
    ----------
    name, sizes
        Its name in files of weights, and the sizes of its indices.
    most
        How many of its entries a state can have.
    labels
        The number of an index that grows with new systems, and the meaning of its numbers.
    start
        The initial weights: numbers for all indices.
    first
        The array from which kernels read the number of its first entry: ``GOODS[0]``, known when
        all tables are.
    """

    name: str
    sizes: tuple[int, ...]
    most: int = MAX_FIGURES
    labels: tuple[int, tuple[str, ...]] | None = None
    start: npt.ArrayLike = 0.0
    first: Any = field(default_factory=lambda: np.zeros(1, np.int64).view(Numbers))


def lay_out(own: Iterable[Table], last: Iterable[Table]) -> tuple[Table, ...]:
    """Return the tables of the search and of all sets in their order, with their first entries set.

    The tables of ``last`` follow.
    """
    of_sets = (table for found in import_all("value") for table in found.TABLES)
    tables = *sorted((*own, *of_sets), key=lambda table: place_of(table.name)), *last
    first = 0
    for table in tables:
        table.first[0] = first
        first += prod(table.sizes)
    return tables


@moment(i8(State, i8, i8[::1], i8), THREAD)
def also_shown(s, cell, features, n):
    """Features at an empty cell are listed: add others than a segment a side, after n."""


@moment(i8(State, i8, i8, i8, i8[::1]), COUNT)
def feature_surveyed(s, feature, seat, spread, entries):
    """The entries of an occupied feature are written; ``spread``: who leads, and how much time."""


@moment(i8(State, i8, i8, i8[::1]), COUNT)
def game_surveyed(s, seat, time, entries):
    """The entries of things on no feature are written; ``time`` is the rest of the game."""


@moment(void(State, i8[::1]))
def points_compared(s, points):
    """Everybody's points are compared next: pay promised points first."""
