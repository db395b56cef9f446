"""A sequential test of strength: it ends as soon as the games decide it, either way.

This is the generalised sequential probability ratio test over decks, as used by chess engine
testers. A deck played from every seat is one observation: its share of first places (with two seats
0, 1/4, 1/2, 3/4 or 1: *pentanomial*). So the luck of the tiles, which all seats share, counts only
once. The log-likelihood ratio compares the most likely distributions of this share under the two
hypotheses about its mean.

M. Van den Bergh: *A practical introduction to the GSPRT* (2020); *Comments on normalized Elo*
(2020).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

Decision = Literal["elo1", "elo0"]
"""The accepted hypothesis."""

PRIOR = 1e-3
"""Number of lost decks, and of won decks, that the prior adds, so that both occur."""
BISECTIONS = 40


@dataclass(frozen=True)
class Sprt:
    """Hypotheses about the Elo of a line-up's first agent against the others, and error rates.

    Raises
    ------
    ValueError
        The hypotheses are in the wrong order, or an error rate is not between 0 and 0.5.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    """Maximum probability of accepting ``elo1`` if ``elo0`` is true."""
    beta: float = 0.05
    """Maximum probability of accepting ``elo0`` if ``elo1`` is true."""

    def __post_init__(self) -> None:
        if not self.elo0 < self.elo1:
            raise ValueError(f"sprt: elo0 must be less than elo1, got {self.elo0}, {self.elo1}")
        for name in ("alpha", "beta"):
            if not 0 < getattr(self, name) < 0.5:
                raise ValueError(f"sprt: {name} must be between 0 and 0.5")

    @property
    def bounds(self) -> tuple[float, float]:
        """The log-likelihood ratios at which ``elo0`` and ``elo1`` are accepted."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)


class Sequence:
    """A test in progress.

    Parameters
    ----------
    sprt : Sprt
        The hypotheses.
    n_seats : int
        Number of seats; the agent plays against one other agent, with copies of it in further
        seats.
    """

    def __init__(self, sprt: Sprt, n_seats: int) -> None:
        self.sprt = sprt
        self.means = share_at(sprt.elo0, n_seats), share_at(sprt.elo1, n_seats)
        self.llr = 0.0
        self.decision: Decision | None = None
        self.n_decks = 0
        self._seen = {0.0: PRIOR, 1.0: PRIOR}

    def add(self, share: float) -> None:
        """Add a deck's share of first places; once the test is decided, this changes nothing."""
        if self.decision is not None:
            return
        self.n_decks += 1
        share = round(share, 9)  # equal however the parts were added
        self._seen[share] = self._seen.get(share, 0.0) + 1
        values, counts = np.array([*self._seen.items()], float).T
        self.llr = log_likelihood_ratio(values, counts, *self.means)
        low, high = self.sprt.bounds
        if self.llr >= high:
            self.decision = "elo1"
        elif self.llr <= low:
            self.decision = "elo0"


def share_at(elo: float, n_seats: int) -> float:
    """Return the expected share of first places for an agent ``elo`` above the others."""
    return float(1 / (1 + (n_seats - 1) * 10 ** (-elo / 400)))


def log_likelihood_ratio(
    values: npt.NDArray[np.float64], counts: npt.NDArray[np.float64], mean0: float, mean1: float
) -> float:
    """Return the log-likelihood ratio of two means for a sample that includes 0 and 1."""
    tilts = [1 + _tilt(values, counts, mean) * (values - mean) for mean in (mean0, mean1)]
    return float(counts @ (np.log(tilts[0]) - np.log(tilts[1])))


def _tilt(values: npt.NDArray[np.float64], counts: npt.NDArray[np.float64], mean: float) -> float:
    """Return the tilt in a mean's most likely distribution, counts / (1 + tilt * (values - mean)).

    The mean of that distribution falls as the tilt grows, so the tilt is found by bisection.
    """
    away = values - mean
    low, high = -1 / away.max(), -1 / away.min()
    for _ in range(BISECTIONS):
        tilt = (low + high) / 2
        low, high = (tilt, high) if counts @ (away / (1 + tilt * away)) > 0 else (low, tilt)
    return float((low + high) / 2)
