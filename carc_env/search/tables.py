"""The types with which the search and each set declare features of the learned value.

A table is a block of the weights, with one weight per entry; entries are weight indices. Sets write
their entries at the moments below, in the order of the tables that contain them.
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
"""Number of steps for the rest of the game."""
N_RELATIONS = 5
"""Number of possible standings of a seat on an occupied feature."""
N_FITS = 6
"""Number of steps for the number of fitting tiles."""

ORDER = (
    *("city", "city_link", "road", "road_link", "centre", "field", "field_growth"),
    *("meeples", "figures", "special", "stock", "goods", "markers", "castle", "lots", "phase"),
    *("flock", "pasture", "hill", "challenge", "vineyard", "pig_herd"),
    *("danger", "fairy", "range", "floors", "captive"),
)
"""The first tables in their fixed order, which determines the last digits of weight sums. All other
tables follow, in the order of their sets."""


def place_of(name: str) -> int:
    """Return a table's position among all tables, which is also the position of its kernel."""
    return ORDER.index(name) if name in ORDER else len(ORDER)


@dataclass(frozen=True, eq=False)
class Table:
    """A block of the weights.

    Attributes
    ----------
    name, sizes
        The table's name in weights files, and the sizes of its indices.
    most
        The maximum number of its entries that a state can have.
    labels
        The number of an index that grows when systems are added, and the meanings of its values.
    start
        The initial weights, broadcast over all indices.
    first
        The array from which kernels read the number of its first entry: ``GOODS[0]``. It is filled
        in once all tables are known.
    """

    name: str
    sizes: tuple[int, ...]
    most: int = MAX_FIGURES
    labels: tuple[int, tuple[str, ...]] | None = None
    start: npt.ArrayLike = 0.0
    first: Any = field(default_factory=lambda: np.zeros(1, np.int64).view(Numbers))


def lay_out(own: Iterable[Table], last: Iterable[Table]) -> tuple[Table, ...]:
    """Return the tables of the search and all sets in order, with their first entries set.

    The tables in ``last`` come at the end.
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
    """Features at an empty cell are listed: after n, add those beyond one segment per side."""


@moment(i8(State, i8, i8, i8, i8[::1]), COUNT)
def feature_surveyed(s, feature, seat, spread, entries):
    """An occupied feature's entries are written; ``spread`` combines standing and time left."""


@moment(i8(State, i8, i8, i8[::1]), COUNT)
def game_surveyed(s, seat, time, entries):
    """The entries of items that are on no feature are written; ``time``: the rest of the game."""


@moment(void(State, i8[::1]))
def points_compared(s, points):
    """All seats' points are compared next: pay promised points first."""
