"""Numbers with 95% intervals.

Games on the same deck are correlated, so intervals are computed over decks, not over games. All
runs play the same decks, so an interval over both resamples runs, and decks that these share.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

Z95 = 1.959963984540054
"""Normal quantile for 95% intervals."""
ADDED = 2
"""Number of won decks, and of lost decks, to add to a sample (Agresti and Coull)."""
N_RESAMPLES = 9_999
"""Number of resamples of a bootstrap interval."""
N_DECK_RESAMPLES = 1_999
"""The same if decks are resampled too."""
Statistic = Callable[[npt.NDArray[np.float64]], npt.NDArray[np.float64]]
"""A run's number by how often each deck counts: from (resamples, decks) to (resamples,)."""


@dataclass(frozen=True)
class Estimate:
    """A number with its 95% interval."""

    value: float
    low: float
    high: float


def wilson(successes: int, n: int) -> Estimate:
    """Return a proportion of independent trials with its 95% Wilson interval.

    Raises
    ------
    ValueError
        ``n`` is not positive, or ``successes`` is not between 0 and ``n``.
    """
    if not 0 <= successes <= n or n == 0:
        raise ValueError(f"{successes} successes in {n} trials")
    share, z2 = successes / n, Z95**2
    middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = Z95 / (1 + z2 / n) * math.sqrt(share * (1 - share) / n + z2 / (4 * n * n))
    # At 0 and n the bound is the proportion itself; rounding must not change that.
    low = 0.0 if successes == 0 else middle - half
    high = 1.0 if successes == n else middle + half
    return Estimate(share, low, high)


def by_deck(rows: Collection[Mapping[int, float]]) -> npt.NDArray[np.float64]:
    """Return line-ups' results by deck number as an array for the interval functions.

    The shape is (line-ups, decks), with NaN where a line-up has not played a deck.
    """
    values = np.full((len(rows), 1 + max(deck for row in rows for deck in row)), np.nan)
    for k, row in enumerate(rows):
        values[k, [*row]] = [*row.values()]
    return values


def share_interval(shares: npt.ArrayLike) -> Estimate:
    """Return the mean of per-deck win rates, each from 0 to 1, with its 95% interval.

    This is the Agresti-Coull interval, with the spread between decks replacing that of single
    trials: its width is positive even if all decks were won or had the same result.

    Parameters
    ----------
    shares : array_like
        Shape (decks,), or (line-ups, decks) with NaN where a line-up has not played a deck. All
        line-ups have equal weight, regardless of their number of decks.
    """
    won = np.atleast_2d(np.asarray(shares, float))
    value, _ = _mean(won)
    padding = np.repeat([0.0, 1.0], ADDED) + np.zeros((len(won), 1))
    middle, error = _mean(np.hstack([won, padding]))
    low, high = max(0.0, middle - Z95 * error), min(1.0, middle + Z95 * error)
    return Estimate(value, min(low, value), max(high, value))


def mean_interval(values: npt.ArrayLike) -> Estimate:
    """Return a mean with its normal 95% interval, whose width is 0 for a single value.

    ``values`` can have the same shapes as in :func:`share_interval`.
    """
    mean, error = _mean(np.atleast_2d(np.asarray(values, float)), 1)
    return Estimate(mean, mean - Z95 * error, mean + Z95 * error)


def _mean(values: npt.NDArray[np.float64], free: int = 0) -> tuple[float, float]:
    """Return the mean of the row means and its standard error; columns are correlated.

    ``free`` is subtracted from the number of entries in a row, like numpy's ``ddof``.
    """
    n = np.sum(~np.isnan(values), axis=1, keepdims=True)
    means = np.nanmean(values, axis=1, keepdims=True)
    parts = np.nan_to_num((values - means) / np.sqrt(n * np.maximum(1, n - free)))
    return float(means.mean()), float(np.sqrt(np.square(parts.mean(axis=0)).sum()))


def iqm_interval(values: npt.ArrayLike) -> Estimate:
    """Return the interquartile mean of several runs with a 95% bootstrap interval over runs.

    The interquartile mean excludes the lowest and the highest quarter; with fewer than four runs it
    is the plain mean. The interval uses percentiles of resamples, which are the same at every call.
    """
    runs = np.asarray(values, float).ravel()
    value = float(iqm(runs))
    if np.ptp(runs) == 0:
        return Estimate(value, value, value)
    drawn = np.random.default_rng(0).integers(0, len(runs), (N_RESAMPLES, len(runs)))
    low, high = np.percentile(iqm(runs[drawn]), [2.5, 97.5])
    return Estimate(value, float(low), float(high))


def two_level_interval(runs: Sequence[Statistic], n_decks: int) -> Estimate:
    """Return the interquartile mean of runs with a 95% bootstrap interval over runs and decks.

    Each resample draws runs, and decks that are the same for all runs. With a single run, the
    interval is over decks.
    """
    value = float(iqm(np.array([run(np.ones((1, n_decks)))[0] for run in runs])))
    counts = _resampled_decks(n_decks)
    found = np.stack([run(counts) for run in runs], axis=1)
    drawn = np.random.default_rng(0).integers(0, len(runs), found.shape)
    low, high = np.percentile(iqm(np.take_along_axis(found, drawn, axis=1)), [2.5, 97.5])
    return Estimate(value, float(min(low, value)), float(max(high, value)))


def gap_interval(better: npt.ArrayLike, worse: npt.ArrayLike) -> Estimate:
    """Return how much higher some win rates are than others, with its 95% interval.

    For example, those under the rules of the training and under held-out rules. The interval is
    that of :func:`two_level_interval`.

    Parameters
    ----------
    better, worse : array_like
        Win rates by deck. Shape (runs, rules, decks), or (rules, decks) for one run; the same runs
        and decks in both, and any rules.

    Raises
    ------
    ValueError
        The numbers of runs or decks differ.
    """
    high, low = (np.array(one, float, ndmin=3) for one in (better, worse))
    if high.shape[::2] != low.shape[::2]:
        raise ValueError(f"both need the same runs and decks, got {high.shape} and {low.shape}")

    def gap(one: Statistic, other: Statistic) -> Statistic:
        return lambda counts: one(counts) - other(counts)

    runs = zip(map(weighted_mean, high), map(weighted_mean, low), strict=True)
    return two_level_interval([gap(*pair) for pair in runs], high.shape[2])


def weighted_mean(values: npt.NDArray[np.float64]) -> Statistic:
    """Return the mean over line-ups of their means over decks, as a function of the decks' counts.

    ``values`` has the shape (line-ups, decks), with NaN where a line-up has not played a deck.
    """
    rows = np.atleast_2d(np.asarray(values, float))
    known = (~np.isnan(rows)).astype(float)
    sums, plain = np.nan_to_num(rows), np.nanmean(rows, axis=1)

    def mean(counts: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        n = counts @ known.T
        means = np.where(n > 0, counts @ sums.T / np.maximum(n, 1), plain)
        found: npt.NDArray[np.float64] = means.mean(axis=1)
        return found

    return mean


@lru_cache(maxsize=4)
def _resampled_decks(n_decks: int) -> npt.NDArray[np.float64]:
    """Return how often each deck is drawn in each resample."""
    rng = np.random.default_rng(1)
    return rng.multinomial(n_decks, [1 / n_decks] * n_decks, N_DECK_RESAMPLES).astype(float)


def iqm(runs: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the means along the last axis without the lowest and the highest quarter."""
    cut = runs.shape[-1] // 4
    found: npt.NDArray[np.float64] = np.sort(runs)[..., cut : runs.shape[-1] - cut].mean(axis=-1)
    return found
