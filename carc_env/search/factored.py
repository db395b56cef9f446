"""Weights of the learned value from a small network, which computes entries from their indices.

The entries of a table differ in a few indices: who leads, how much time is left, how many sides are
open. Here, each value of each index has a *row* of ``units`` numbers, and so does each table. The
rows of an entry are summed and passed through a hidden layer (ReLU), whose units have separate
weights for each table. The output is added to the entry's prior weight. Anything learned about one
entry thus also applies to similar entries, and a few thousand games teach as much as ten times as
many games with separate weights. Playing requires only the resulting weights, so it takes no more
time than with tables that were learned entry by entry.
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
"""Points that an output of 1 after the hidden layer stands for."""


@cache
def rows_of_entries() -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], int]:
    """Return the rows and the table of each entry.

    Returns
    -------
    rows : ndarray of int32, shape (N_WEIGHTS, most)
        The row of the entry's table, then one row per index; padded with ``NO_ROW``.
    tables : ndarray of int32, shape (N_WEIGHTS,)
        The number of the entry's table.
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
    """Write the hidden layer's output for an entry to ``units[q]``; return the entry's points."""
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
    """Write each entry's weight: prior knowledge plus the network's output."""
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
    """Write the gradients of the mean of half the squared errors; return the sum of squared errors.

    Each position ``p`` in the ``batch`` has the entries from ``begins[p]`` to ``begins[p + 1]``, a
    current lead and a target. ``units`` is scratch.
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
