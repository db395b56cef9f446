"""Evaluating a learner in matches against fixed agents, at intervals during training."""

from __future__ import annotations

from collections.abc import Mapping

from carc_env.rules import Rules

from .arena import Agent, play_against
from .curve import WIN_RATE, Row

EVALUATION_SEED = 1_000_003
"""Seed of the evaluation decks, which are the same every time; matches use other seeds.

Training never uses their stream, :attr:`carc_env.seeds.Stream.EVALUATION`.
"""


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
