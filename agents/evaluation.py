"""Evaluating a learner in matches against fixed agents, at intervals during training."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean

import numpy as np

from carc_env.envs.distributions import RulesDistribution
from carc_env.rules import Rules

from .arena import Agent, play_against
from .curve import WIN_RATE, Row

EVALUATION_SEED = 1_000_003
"""Seed of the evaluation decks, which are the same every time; matches use other seeds.

Training never uses their stream, :attr:`carc_env.seeds.Stream.EVALUATION`.
"""
N_DRAWN, MAX_DRAWS = 4, 100
"""Rules of a distribution under which a run is evaluated, and the most draws to find them."""


def evaluate(
    learner: Agent, rivals: Mapping[str, Agent], rules: Rules, n_games: int, records: str = ""
) -> Row:
    """Play a learner against each opponent, copies of which fill all other seats.

    Parameters
    ----------
    learner : Agent
        The agent to evaluate.
    rivals : mapping of str to Agent
        Its opponents, by name.
    rules : Rules
        The rules of all games.
    n_games : int
        Games against each opponent; every deck is played once from each seat.
    records : str
        Folder for the game records; empty: keep none.

    Returns
    -------
    dict
        For each opponent, ``<name> win_rate``, ``<name> score`` and ``<name> rival_score``: means
        over its games. ``rival_score`` is the score of the best opponent in each game.
    """
    row: Row = {}
    for name, rival in rivals.items():
        match = play_against(
            learner,
            rival,
            rules,
            n_games,
            names=("learner", name),
            seed=EVALUATION_SEED,
            records=records or None,
        )
        row[name + WIN_RATE] = match.standings[0].win_rate.value
        row[f"{name} score"] = match.standings[0].score.value
        row[f"{name} rival_score"] = float(match.scores[:, :, 1:].max(axis=2).mean())
    return row


def means_of(rows: Mapping[str, Row], names: Sequence[str]) -> Row:
    """Return the means over evaluations under several rules; nothing if one is without a suffix.

    Parameters
    ----------
    rows : mapping of str to dict
        The results of :func:`evaluate`, by the suffix of the opponents' names.
    names : sequence of str
        The opponents' names without suffixes.
    """
    if "" in rows:
        return {}
    return {
        f"{name} {what}": fmean(row[f"{name}{label} {what}"] for label, row in rows.items())
        for name in names
        for what in ("win_rate", "score", "rival_score")
    }


def labelled(tests: Mapping[str, Rules]) -> dict[str, Rules]:
    """Return rules by the suffix for opponents' names that their own name makes."""
    return {f" ({name})": rules for name, rules in tests.items()}


def drawn_from(distribution: RulesDistribution) -> dict[str, Rules]:
    """Return a few rules of a distribution, always the same, by suffix."""
    rng = np.random.default_rng(EVALUATION_SEED)
    drawn = dict.fromkeys(distribution.sample(rng) for _ in range(MAX_DRAWS))
    return labelled({f"rules {k}": rules for k, rules in enumerate([*drawn][:N_DRAWN], start=1)})
