"""Many positions at once, for search in Python: afterstates and rollouts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from carc_env.choices import check_choice, check_seed
from carc_env.engine import entry
from carc_env.engine.core.codes import MAX_PLAYERS, Phase
from carc_env.engine.core.state import STATE, new_states
from carc_env.engine.flow.rollouts import RANDOM, ROLLOUT, ROLLOUT_SCRATCH
from carc_env.game.table import Table
from carc_env.rules import Rules
from carc_env.search.evaluation import GREEDY, NO_WEIGHTS, Evaluation
from carc_env.threads import Threads

PLAYERS = ("random", "greedy")
"""The built-in rollout players."""


@dataclass(frozen=True, slots=True)
class Afterstates:
    """The afterstates of a position; row k of each array belongs to action k.

    Attributes
    ----------
    rules : Rules
        The rules of the game.
    actions : ndarray of int64, shape (n,)
        The legal actions, ascending.
    states : ndarray of STATE, shape (n,)
        The game after each action, at the next decision.
    standings : ndarray of int64, shape (n, n_players)
        Every seat's points if the game ended there.
    deciders : ndarray of int64, shape (n,)
        The next decider; undefined if the game is over.
    is_over : ndarray of bool, shape (n,)
        Whether the game is over at that point.
    """

    rules: Rules
    actions: npt.NDArray[np.int64]
    states: npt.NDArray[Any]
    standings: npt.NDArray[np.int64]
    deciders: npt.NDArray[np.int64]
    is_over: npt.NDArray[np.bool_]

    def table(self, k: int) -> Table:
        """Return the game after action k as a table that shares its record; clone it to play on."""
        return Table.at(self.rules, self.states[k : k + 1])


def afterstates(table: Table) -> Afterstates:
    """Return all positions that are one decision away, in one call of the engine.

    Each action is carried out, followed by any decisions with only one choice, as in
    :meth:`Table.step`. The record contains the tile drawn after an action, so reading ``states``
    reveals a tile from the bag. The standings do not depend on that tile unless an automatic
    decision has placed it.

    Raises
    ------
    ValueError
        The game is over.
    """
    actions = np.array(table.legal_actions(), np.int64)
    if len(actions) == 0:
        raise ValueError("there are no afterstates because the game is over")
    states = new_states(len(actions))
    standings = np.empty((len(actions), table.rules.n_players), np.int64)
    entry.afterstates(table.states, actions, states, standings)
    return Afterstates(
        table.rules,
        actions,
        states,
        standings,
        states["decider"].astype(np.int64),
        states["phase"] == Phase.GAME_OVER,
    )


def rollouts(
    start: Table | npt.NDArray[Any],
    n: int,
    player: Literal["random", "greedy"] | Evaluation = "random",
    *,
    seed: int | None = None,
    num_threads: int = 1,
) -> npt.NDArray[np.int64]:
    """Return the final scores of all seats in games that a built-in player plays to the end.

    Before each game, the tiles that nobody can see are reordered, so the results reveal nothing
    about their order. Rollout k of state i starts from a clone of the game after
    ``reshuffle(seeds[i, k])``, whose random numbers also select random actions; ``seeds`` are
    ``np.random.default_rng(seed).integers(2**64, size=(n_states, n), dtype=np.uint64)``. The
    kernels release the GIL.

    Parameters
    ----------
    start : Table, or ndarray of STATE, shape (n_states,)
        The positions at which games begin: a table, or records as in ``table.states`` and
        ``afterstates(table).states``. They are not changed.
    n : int
        Number of games from each state.
    player : {"random", "greedy"} or Evaluation
        The player for all seats; an evaluation plays by looking one placement ahead.
    seed : int, optional
        0 to 2**64 - 1. Default: a random seed.
    num_threads : int
        Number of threads that share the games; results do not depend on it.

    Returns
    -------
    ndarray of int64, shape (n_states, n, n_players)

    Raises
    ------
    ValueError
        An argument has an invalid value, or the states are not game records for the same number of
        players.
    """
    states = start.states if isinstance(start, Table) else start
    n_players = _check_states(states)
    for name, value in (("n", n), ("num_threads", num_threads)):
        if type(value) is not int or value < 1:
            raise ValueError(f"{name} must be a positive int, got {value!r}")
    if not isinstance(player, Evaluation):
        check_choice("player", player, PLAYERS)
    random = np.random.default_rng(check_seed(seed))
    games = np.zeros(len(states) * n, ROLLOUT)
    games["game"] = np.repeat(np.arange(len(states)), n)
    games["seed"] = random.integers(2**64, size=len(games), dtype=np.uint64)
    evaluation = GREEDY if player == "greedy" else player
    games["evaluation"] = RANDOM if isinstance(evaluation, str) else evaluation.address
    weights = NO_WEIGHTS if isinstance(evaluation, str) else evaluation.weights
    _play(states, np.array_split(games, num_threads), weights)
    scores = games["scores"][:, :n_players]
    return scores.reshape(len(states), n, n_players)


def _check_states(states: object) -> int:
    """Return the games' number of players; raise a ``ValueError`` for an invalid array."""
    if not isinstance(states, np.ndarray) or states.dtype != STATE or states.ndim != 1:
        found = (
            f"{states.dtype} of shape {states.shape}"
            if isinstance(states, np.ndarray)
            else (f"an object of type {type(states).__name__}")
        )
        raise ValueError(
            "rollouts begin at a Table, or at an array of STATE records of shape (n_states,) "
            f"such as afterstates(table).states, got {found}"
        )
    if not states.flags.carray:
        raise ValueError("the states must be writable and contiguous: pass states.copy()")
    counts = set(states["rules"]["n_players"].tolist())
    if len(counts) != 1 or not counts <= set(range(2, MAX_PLAYERS + 1)):
        raise ValueError(
            f"the states must be games for the same number of players, 2 to {MAX_PLAYERS}; they "
            f"are for {sorted(counts)}"
        )
    return int(counts.pop())


def _play(
    states: npt.NDArray[Any], shares: Sequence[npt.NDArray[Any]], weights: npt.NDArray[np.float32]
) -> None:
    """Play all games, each share in its own thread."""

    def play(games: npt.NDArray[Any]) -> None:
        entry.play_rollouts(states, games, new_states(ROLLOUT_SCRATCH), weights)

    if len(shares) == 1:
        play(shares[0])
        return
    threads = Threads(len(shares))
    threads.each(play, shares)
    threads.close()
