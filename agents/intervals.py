"""Numbers with 95% intervals.

Games on the same deck are correlated: intervals are over decks, not over games.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Z95 = 1.959963984540054
"""Quantile of the normal distribution for 95% intervals."""
ADDED = 2
"""Decks won, and as many lost, that pull a share towards a half (Agresti and Coull)."""
N_RESAMPLES = 9_999
"""Number of resamples of a bootstrap interval."""


@dataclass(frozen=True)
class Estimate:
    """A number with its 95% interval."""

    value: float
    low: float
    high: float


def wilson(successes: int, n: int) -> Estimate:
    """Return a share of independent trials with Wilson's 95% interval.

    Raises
    ------
    ValueError
        ``n`` is not positive, or there are not 0 to ``n`` successes.
    """
    if not 0 <= successes <= n or n == 0:
        raise ValueError(f"{successes} successes in {n} trials")
    share, z2 = successes / n, Z95**2
    middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = Z95 / (1 + z2 / n) * math.sqrt(share * (1 - share) / n + z2 / (4 * n * n))
    # At 0 and n the bound is the share itself; do not let rounding change that.
    low = 0.0 if successes == 0 else middle - half
    high = 1.0 if successes == n else middle + half
    return Estimate(share, low, high)


def by_deck(rows: Collection[Mapping[int, float]]) -> npt.NDArray[np.float64]:
    """Return the results of line-ups at each deck, by its number, in the form of intervals.

    Shape (line-ups, decks), with NaN if a line-up has not played a deck.
    """
    values = np.full((len(rows), 1 + max(deck for row in rows for deck in row)), np.nan)
    for k, row in enumerate(rows):
        values[k, [*row]] = [*row.values()]
    return values


def share_interval(shares: npt.ArrayLike) -> Estimate:
    """Return the mean of the win rates of some decks, each 0 to 1, with its 95% interval.

    It is Agresti and Coull's interval, with the spread of the decks in place of that of single
    trials: it has a width even if all decks were won, or all went alike.

    Parameters
    ----------
    shares : array_like
        Shape (decks,), or (line-ups, decks) with NaN if a line-up has not played a deck: all
        line-ups have equal weight, regardless of their number of decks.
    """
    won = np.atleast_2d(np.asarray(shares, float))
    value, _ = _mean(won)
    padding = np.repeat([0.0, 1.0], ADDED) + np.zeros((len(won), 1))
    middle, error = _mean(np.hstack([won, padding]))
    low, high = max(0.0, middle - Z95 * error), min(1.0, middle + Z95 * error)
    return Estimate(value, min(low, value), max(high, value))


def mean_interval(values: npt.ArrayLike) -> Estimate:
    """Return a mean with its normal 95% interval; the width is 0 for a single value.

    ``values`` has the shapes of :func:`share_interval`.
    """
    mean, error = _mean(np.atleast_2d(np.asarray(values, float)), 1)
    return Estimate(mean, mean - Z95 * error, mean + Z95 * error)


def _mean(values: npt.NDArray[np.float64], free: int = 0) -> tuple[float, float]:
    """Return the mean of the means of rows, and its standard error; columns are correlated.

    ``free`` is subtracted from the number of entries of a row, like ``ddof`` of numpy.
    """
    n = np.sum(~np.isnan(values), axis=1, keepdims=True)
    means = np.nanmean(values, axis=1, keepdims=True)
    parts = np.nan_to_num((values - means) / np.sqrt(n * np.maximum(1, n - free)))
    return float(means.mean()), float(np.sqrt(np.square(parts.mean(axis=0)).sum()))


def iqm_interval(values: npt.ArrayLike) -> Estimate:
    """Return the interquartile mean of some runs with a 95% bootstrap interval over runs.

    It is the mean without the lowest and the highest quarter; with fewer than four runs it is their
    mean. The interval uses percentiles of resamples that are the same at each call.
    """
    runs = np.asarray(values, float).ravel()
    value = float(_iqm(runs))
    if np.ptp(runs) == 0:
        return Estimate(value, value, value)
    drawn = np.random.default_rng(0).integers(0, len(runs), (N_RESAMPLES, len(runs)))
    low, high = np.percentile(_iqm(runs[drawn]), [2.5, 97.5])
    return Estimate(value, float(low), float(high))


def _iqm(runs: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the means along the last axis without the lowest and the highest quarter."""
    cut = runs.shape[-1] // 4
    found: npt.NDArray[np.float64] = np.sort(runs)[..., cut : runs.shape[-1] - cut].mean(axis=-1)
    return found
