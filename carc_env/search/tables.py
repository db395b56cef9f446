"""The words in which the search and each set declare what the learned value sees.

A table is a block of the weights, with one for each entry; entries are numbers of weights. Sets
write theirs at the moments below, in the order of the tables that these are in.
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
"""Steps of how much of the game is left."""
N_RELATIONS = 5
"""How a seat can stand on an occupied feature."""
N_FITS = 6
"""Steps of how many tiles fit."""

ORDER = (
    *("city", "city_link", "road", "road_link", "centre", "field", "field_growth"),
    *("meeples", "figures", "special", "stock", "goods", "markers", "castle", "lots", "phase"),
    *("flock", "pasture", "hill", "challenge", "vineyard", "pig_herd"),
    *("danger", "fairy", "range", "floors", "captive"),
)
"""The first tables as they have always followed each other: so do the sums of their weights, whose
last digits depend on it. All other tables come behind, in the order of sets.
"""


def place_of(name: str) -> int:
    """Where a table stands among all, and with it the kernel that writes its entries."""
    return ORDER.index(name) if name in ORDER else len(ORDER)


@dataclass(frozen=True, eq=False)
class Table:
    """A block of the weights.

    Attributes
    ----------
    name, sizes
        What files of weights call it, and the sizes of its indices.
    most
        How many of its entries a state can have.
    labels
        The number of an index that grows with new systems, and what its numbers stand for.
    start
        What is known before anything is learned: numbers for all indices.
    first
        What kernels read the number of its first entry from: ``GOODS[0]``, known when all are.
    """

    name: str
    sizes: tuple[int, ...]
    most: int = MAX_FIGURES
    labels: tuple[int, tuple[str, ...]] | None = None
    start: npt.ArrayLike = 0.0
    first: Any = field(default_factory=lambda: np.zeros(1, np.int64).view(Numbers))


def lay_out(own: Iterable[Table], last: Iterable[Table]) -> tuple[Table, ...]:
    """The tables of the search and those of all sets in their order, each told where it begins.

    Behind them come those of ``last``.
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
    """What shows to an empty cell is listed: what else does so than a segment a side, behind n."""


@moment(i8(State, i8, i8, i8, i8[::1]), COUNT)
def feature_surveyed(s, feature, seat, spread, entries):
    """The entries of an occupied feature are written; ``spread``: who leads, and how much time."""


@moment(i8(State, i8, i8, i8[::1]), COUNT)
def game_surveyed(s, seat, time, entries):
    """The entries of what is on no feature are written; ``time`` is how much is left."""


@moment(void(State, i8[::1]))
def points_compared(s, points):
    """What everybody would have is compared next: what is promised is paid before."""
