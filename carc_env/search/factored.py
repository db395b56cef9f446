"""The weights of the learned value by a small network, which computes an entry from its indices.

Entries of a table differ by a few indices: who leads, how much time is left, how many open sides.
Here each value of each index has a *row* of ``units`` numbers, and so has each table. The rows of
an entry are summed and go through a hidden layer (ReLU), whose units each table weighs separately.
The output is added to the prior weight of the entry. So what is learned about one entry holds for
similar ones, and some thousand games teach what single weights need ten times as many for. Playing
needs only the weights: it takes no more time than tables that were learned entry by entry.
"""

from functools import cache

import numba
import numpy as np
import numpy.typing as npt

from carc_env.engine.compiler.jit import entry_point, i8, kernel, void
from carc_env.engine.flow.evaluation import Weights, f8
from carc_env.search.features import N_WEIGHTS, TABLES

f4, i4 = numba.float32, numba.int32
Ints, Longs = (numba.types.Array(kind, 1, "C") for kind in (i4, numba.int64))
Rows = numba.types.Array(i4, 2, "C")
Matrix = numba.types.Array(f4, 2, "C")
NO_ROW = -1
POINTS = 10.0
"""Points that 1 stands for after the hidden layer."""


@cache
def rows_of_entries() -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], int]:
    """Return the rows of each entry, and its table.

    Returns
    -------
    rows : ndarray of int32, shape (N_WEIGHTS, most)
        The row of its table, and one for each index; ``NO_ROW`` after the last.
    tables : ndarray of int32, shape (N_WEIGHTS,)
        The number of its table.
    n_rows : int
        The total number of rows.
    """
    most = 1 + max(map(len, TABLES.values()))
    rows = np.full((N_WEIGHTS, most), NO_ROW, np.int32)
    tables = np.zeros(N_WEIGHTS, np.int32)
    first = n_rows = 0
    for number, sizes in enumerate(TABLES.values()):
        n = int(np.prod(sizes))
        tables[first : first + n], rows[first : first + n, 0] = number, n_rows
        n_rows += 1
        for k, index in enumerate(np.unravel_index(np.arange(n), sizes), start=1):
            rows[first : first + n, k] = n_rows + index
            n_rows += sizes[k - 1]
        first += n
    return rows, tables, n_rows


@kernel(f8(Rows, Ints, Matrix, Matrix, i8, Matrix, i8))
def weigh(rows, tables, inner, outer, entry, units, q):
    """Write the hidden layer's output for an entry to ``units[q]``; return its points."""
    for j in range(units.shape[1]):
        units[q, j] = 0.0
    for k in range(rows.shape[1]):
        row = rows[entry, k]
        if row == NO_ROW:
            break
        for j in range(units.shape[1]):
            units[q, j] += inner[row, j]
    points, table = 0.0, tables[entry]
    for j in range(units.shape[1]):
        units[q, j] = max(units[q, j], f4(0.0))
        points += units[q, j] * outer[table, j]
    return POINTS * points


@entry_point(void(Rows, Ints, Matrix, Matrix, Weights, Matrix, Weights))
def write_weights(rows, tables, inner, outer, known, units, weights):
    """Write the weight of every entry: prior knowledge, and the output of the network."""
    for entry in range(len(weights)):
        weights[entry] = known[entry] + weigh(rows, tables, inner, outer, entry, units, 0)


@entry_point(
    f8(
        *(Rows, Ints, Matrix, Matrix, Weights, Ints, Longs, Weights, Weights, Longs),
        *(Matrix, Matrix, Matrix),
    )
)
def write_gradients(
    rows,
    tables,
    inner,
    outer,
    known,
    entries,
    begins,
    leads,
    targets,
    batch,
    units,
    to_inner,
    to_outer,
):
    """Write the gradients of the mean of half the squared errors; return the sum of the squares.

    Position ``p`` of the ``batch`` has the entries from ``begins[p]`` to ``begins[p + 1]``, its
    current lead and its target. ``units`` is scratch.
    """
    to_inner[:], to_outer[:], squares = 0.0, 0.0, 0.0
    for position in batch:
        first, found = begins[position], float(leads[position])
        n = begins[position + 1] - first
        for q in range(n):
            entry = entries[first + q]
            found += known[entry] + weigh(rows, tables, inner, outer, entry, units, q)
        error = found - targets[position]
        squares += error * error
        error *= POINTS / len(batch)
        for q in range(n):
            entry = entries[first + q]
            table = tables[entry]
            for j in range(units.shape[1]):
                to_outer[table, j] += error * units[q, j]
                units[q, j] = error * outer[table, j] if units[q, j] > 0.0 else 0.0
            for k in range(rows.shape[1]):
                row = rows[entry, k]
                if row == NO_ROW:
                    break
                for j in range(units.shape[1]):
                    to_inner[row, j] += units[q, j]
    return squares
