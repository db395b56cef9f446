"""The players in this package as agents with names and options.

``one-ply:evaluation=my_bots:careful``, ``search:seconds=1``, ``mcts:sims=2000,seed=3``: see
:mod:`carc_env.envs.naming`.
"""

from __future__ import annotations

from pathlib import Path

from carc_env.choices import check_choice
from carc_env.entry_points import attribute_of, look_here_too
from carc_env.rules import Rules
from carc_env.search.evaluation import GREEDY, Evaluation
from carc_env.search.expectimax import Expectimax
from carc_env.search.mcts import Mcts
from carc_env.search.players import InsightPlayer, OnePly, ValuePlayer

SECONDS = 0.1
"""Time per decision, in seconds, if no limit is given."""
EVALUATIONS = ("insight", "value", "greedy")


def evaluation_of(name: str, weights: Path | None = None, rules: Rules | None = None) -> Evaluation:
    """Return an evaluation by name.

    Parameters
    ----------
    name : str
        ``insight``, ``value``, ``greedy``, or ``package.module:name`` for an evaluation of your
        own.
    weights : path, optional
        Weights for ``insight`` or ``value``, see :class:`.players.ValuePlayer`.
    rules : Rules, optional
        The rules of the game.

    Raises
    ------
    ValueError
        If no evaluation has this name.
    """
    if ":" not in name:
        check_choice("evaluation", name, EVALUATIONS)
        if name == "greedy":
            return GREEDY
        player = InsightPlayer if name == "insight" else ValuePlayer
        return player(weights, rules).evaluation
    look_here_too()
    try:
        found = attribute_of(name)
    except (ModuleNotFoundError, AttributeError) as error:
        raise ValueError(f"evaluation {name!r}: {error}") from error
    if not isinstance(found, Evaluation):
        raise ValueError(
            f"evaluation {name!r} is not an evaluation: decorate a function with @evaluation"
        )
    return found


def one_ply(
    evaluation: str = "value", weights: Path | None = None, rules: Rules | None = None
) -> OnePly:
    """Create a player that looks one placement ahead with an evaluation."""
    return OnePly(evaluation_of(evaluation, weights, rules))


def search(
    seconds: float | None = None,
    sims: int | None = None,
    seed: int = 0,
    threads: int = 1,
    evaluation: str = "insight",
    weights: Path | None = None,
    rules: Rules | None = None,
) -> Expectimax:
    """Create an expectimax agent; ``sims`` is the number of positions to evaluate."""
    if seconds is None and sims is None:
        seconds = SECONDS
    chosen = evaluation_of(evaluation, weights, rules)
    return Expectimax(chosen, seconds=seconds, nodes=sims, seed=seed, threads=threads)


def mcts(
    seconds: float | None = None,
    sims: int | None = None,
    c: float = 1.0,
    seed: int = 0,
    threads: int = 1,
    evaluation: str = "insight",
    weights: Path | None = None,
    rules: Rules | None = None,
) -> Mcts:
    """Create a Monte Carlo tree search agent."""
    chosen = evaluation_of(evaluation, weights, rules)
    return Mcts(chosen, sims=sims, seconds=seconds, c=c, seed=seed, threads=threads)
