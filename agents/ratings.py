"""Ratings: the strength of several agents, computed from who outscored whom.

The Bradley-Terry model is fitted with the ``choix`` library (``arena`` extra): an agent rated r Elo
above another outscores it with probability 1 / (1 + 10 ** (-r / 400)), and equal scores count as
half a win each. With more than two seats, every pair of seats held by different agents is compared.
Intervals come from a Bayesian bootstrap (Rubin 1981), which gives random weights to the prior and
to the decks, each with all its games. If one agent won everything against another, the likelihood
is unbounded. Then the weaker bound comes from the games (after ``n`` lost decks, a win probability
of at most ``-log(0.025) / n``), and its distance from the other bound comes from the prior.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from carc_env.extras import extras_named

from .arena import Played
from .intervals import Estimate, Statistic

ELO = 400 / math.log(10)
"""Elo per unit of the logistic model."""
PRIOR = 1
"""Number of won decks, and of lost decks, that the prior adds per agent, spread over its opponents,
so that every rating is finite."""
N_WEIGHTINGS = 200
MAX_ITERATIONS = 10_000
PRIOR_DECKS = 2
FAR, N_HALVINGS = 4_000.0, 50
"""Ratings against anchors lie within this distance of them, and are found by halving it."""


def wins_by_deck(played: Sequence[Played], agents: Sequence[str]) -> npt.NDArray[np.float64]:
    """Return how often each agent outscored each other one: shape (decks, agents, agents)."""
    number = {name: k for k, name in enumerate(agents)}
    place = {deck: k for k, deck in enumerate(sorted({p.deck for p in played}))}
    wins = np.zeros((len(place), len(agents), len(agents)))
    for deck in played:
        scores = np.array(deck.scores)
        for i, one in enumerate(deck.line_up):
            for j, other in enumerate(deck.line_up):
                if one != other:
                    more = np.sign(scores[:, i] - scores[:, j])
                    wins[place[deck.deck], number[one], number[other]] += ((1 + more) / 2).sum()
    return wins


def ratings(
    wins: npt.NDArray[np.float64], zero: int | None = None, *, seed: int = 0
) -> list[Estimate]:
    """Return each agent's Elo rating with its 95% interval.

    Parameters
    ----------
    wins : array
        Shape (decks, agents, agents), see :func:`wins_by_deck`; at least two agents must have met.
    zero : int, optional
        The agent whose rating is set to 0. Default: the mean rating is 0.
    seed : int
        The seed for the random weights of the decks.

    Raises
    ------
    ImportError
        The library is not installed.
    """
    n_decks = len(wins)
    rng, prior = np.random.default_rng(seed), prior_of(wins)
    first = fit(wins.sum(0) + prior)
    again = np.array(
        [
            fit(
                np.tensordot(rng.exponential(size=n_decks), wins, 1) + rng.exponential() * prior,
                first,
            )
            for _ in range(N_WEIGHTINGS)
        ]
    )
    if zero is not None:
        first, again = first - first[zero], again - again[:, zero : zero + 1]
    low, high = np.percentile(again, (2.5, 97.5), axis=0)
    return [
        Estimate(*(ELO * float(part) for part in (value, min(a, value), max(b, value))))
        for value, a, b in zip(first, low, high, strict=True)
    ]


def prior_of(wins: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the prior as an array of wins, (agents, agents)."""
    n_agents = wins.shape[1]
    met = wins + wins.transpose(0, 2, 1)
    of_deck = met[met > 0].mean()  # comparisons per deck and pair of agents
    prior: npt.NDArray[np.float64] = PRIOR * of_deck / (n_agents - 1) * (1 - np.eye(n_agents))
    return prior


def fit(
    wins: npt.NDArray[np.float64], start: npt.NDArray[np.float64] | None = None
) -> npt.NDArray[np.float64]:
    """Return the maximum-likelihood strengths, on the logistic scale with mean 0.

    ``wins`` has the shape (agents, agents); each agent needs some wins, possibly fractional,
    against each other agent.

    Raises
    ------
    ImportError
        The library is not installed.
    """
    with extras_named():
        import choix
    found: npt.NDArray[np.float64] = choix.ilsr_pairwise_dense(
        wins, initial_params=start, max_iter=MAX_ITERATIONS
    )
    found -= found.mean()
    return found


def rating_against(shares: npt.NDArray[np.float64], anchors: Sequence[float]) -> Statistic:
    """Return an agent's Elo rating against anchors, as a function of how often each deck counts.

    It is the maximum-likelihood rating in the model of :mod:`carc_env.agents.ratings`, in which the
    anchors' ratings are fixed. With more than two players, every opponent's seat is one comparison.
    The prior adds two decks, one won and one lost, spread over the anchors: every rating is finite,
    and resamples count them, too.

    Parameters
    ----------
    shares : array
        The share of opponents' seats that the agent outscored, (anchors, decks). The function that
        is returned takes counts of ``PRIOR_DECKS`` decks more.
    anchors : sequence of float
        Their ratings.
    """
    fixed = np.asarray(anchors, float)[:, None]
    padded = np.hstack([shares, np.ones_like(fixed), np.zeros_like(fixed)])
    weights = np.ones(padded.shape[1])
    weights[-PRIOR_DECKS:] = PRIOR / len(fixed)

    def rating(counts: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        won = (padded * weights) @ counts.T / (counts @ weights)  # (anchors, resamples)
        low = np.full(len(counts), fixed.min() - FAR)
        high = np.full(len(counts), fixed.max() + FAR)
        for _ in range(N_HALVINGS):
            middle = (low + high) / 2
            expected = 1 / (1 + np.exp((fixed - middle) / ELO))
            is_higher = won.sum(axis=0) > expected.sum(axis=0)
            low, high = np.where(is_higher, middle, low), np.where(is_higher, high, middle)
        found: npt.NDArray[np.float64] = (low + high) / 2
        return found

    return rating
