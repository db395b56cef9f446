"""Learning a value function by self-play: rounds with fixed weights, then learning from each.

A round does not depend on the number of threads: games are numbered, and learned from in numerical
order.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import local
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from carc_env.engine.core.codes import MAX_PLAYERS
from carc_env.engine.core.state import new_states
from carc_env.files import user_path
from carc_env.layout.template import template
from carc_env.rules import Rules
from carc_env.search.evaluation import GREEDY, Evaluation
from carc_env.search.features import MAX_ENTRIES, starting_weights
from carc_env.search.learning import GAME_SCRATCH, MAX_STEPS, play_game
from carc_env.search.players import OnePly, value_with
from carc_env.search.weights import INSIGHT, PLAIN, Weights, pack, unpack, weights_for
from carc_env.seeds import Stream, seed_of

from .checkpoint import Arrays, CheckpointError
from .curve import Row
from .run import Run
from .value_config import ValueConfig
from .value_teachers import Factored, Separate, Teacher, Trajectory

SHIPPED = "shipped"
VALUE = "value.npz"
"""File name of the learned weights in a run's folder."""


class Deal(NamedTuple):
    """A game to be played."""

    seed: int
    """Seed of the deck."""
    greedy_seats: int = 0
    """Bit mask of the seats that ``greedy`` plays; the others learn."""


class SelfPlay:
    """Plays training games in one thread.

    Parameters
    ----------
    rules : Rules
        The rules of the games.
    """

    def __init__(self, rules: Rules) -> None:
        self._template = template(rules)
        self._states = new_states(GAME_SCRATCH)
        self._entries = np.zeros((MAX_STEPS, MAX_ENTRIES), np.int32)
        self._ends, self._seats = np.zeros((2, MAX_STEPS), np.int32)
        self._leads = np.zeros(MAX_STEPS, np.float32)

    def play(self, evaluation: Evaluation, deal: Deal) -> Trajectory:
        """Play a game with one-ply search and an evaluation; return the learners' steps."""
        final = np.zeros(MAX_PLAYERS, np.float32)
        n = play_game(
            self._states,
            self._template,
            np.uint64(deal.seed),
            evaluation.evaluator,
            evaluation.name == INSIGHT,
            GREEDY.evaluator,
            deal.greedy_seats,
            self._entries,
            self._ends,
            self._leads,
            self._seats,
            final,
        )
        width = int(self._ends[:n].max(initial=1))
        return Trajectory(
            self._entries[:n, :width].copy(),
            self._ends[:n].copy(),
            self._leads[:n].copy(),
            self._seats[:n].copy(),
            final,
        )


class ThreadedGames:
    """Plays a round's games in threads, whose kernels run in parallel.

    Parameters
    ----------
    rules : Rules
        The rules of the games.
    threads : int
        Number of threads; 0: one per processor core.
    evaluation : str
        The evaluation that learns: ``value``, or ``insight``, which has more features.
    """

    def __init__(self, rules: Rules, threads: int = 0, evaluation: str = PLAIN) -> None:
        self._rules, self._own, self._evaluation = rules, local(), evaluation
        self._threads = ThreadPoolExecutor(threads or len(os.sched_getaffinity(0)))

    def play(self, weights: npt.NDArray[np.float32], deals: Sequence[Deal]) -> Iterable[Trajectory]:
        """Yield all games in order."""
        value = value_with(weights, self._evaluation)
        return self._threads.map(lambda deal: self._table().play(value, deal), deals)

    def close(self) -> None:
        """End the threads."""
        self._threads.shutdown()

    def _table(self) -> SelfPlay:
        if not hasattr(self._own, "table"):
            self._own.table = SelfPlay(self._rules)
        table: SelfPlay = self._own.table
        return table


class ValueLearner(Run[ValueConfig]):
    """A run that learns a value function; :meth:`update` plays a round and learns from it.

    Parameters
    ----------
    config : ValueConfig
        All settings.
    """

    SETTINGS = ValueConfig
    FIXED = ("rules", "evaluation", "hidden_units")

    def __init__(self, config: ValueConfig) -> None:
        super().__init__(config, config.rules)
        self._teacher = teacher_of(config)
        self._games = ThreadedGames(config.rules, config.threads, config.evaluation)

    @property
    def weights(self) -> npt.NDArray[np.float32]:
        """The current weights."""
        return self._teacher.learned

    @property
    def games(self) -> int:
        """Number of games so far, which are the run's steps."""
        return self.steps

    def learn(self) -> Row:
        """Play a round of games and learn from each.

        Returns
        -------
        dict
            ``error``, the values' root mean square error.
        """
        config = self.config
        end = min(self.steps + config.round_games, config.total_games)
        deals = [self.deal(game) for game in range(self.steps, end)]
        games = list(self._games.play(self._teacher.weights, deals))
        error = self._teacher.learn(games, end / config.total_games)
        self.steps = end
        return {"error": error}

    def deal(self, game: int) -> Deal:
        """Return the deck and the players for the game with the given number."""
        config, n_players = self.config, self.config.rules.n_players
        deck = seed_of(Stream.TRAINING, config.seed, game)
        rng = np.random.default_rng([config.seed, 1, game])
        if rng.random() >= config.greedy_share:
            return Deal(deck)
        return Deal(deck, ((1 << n_players) - 1) ^ (1 << int(rng.integers(n_players))))

    def player(self) -> OnePly:
        """Return the agent that plays with the current weights."""
        return OnePly(value_with(self.weights.copy(), self.config.evaluation))

    evaluated = player

    def packed(self) -> bytes:
        """Return the content of a weights file, see :mod:`carc_env.search.weights`."""
        found: dict[str, Any] = {"games": self.games}
        if self.config.greedy_share:
            found["greedy_share"] = self.config.greedy_share
        return pack(Weights(self.config.rules, self.weights, found, self.config.evaluation))

    def state(self) -> tuple[dict[str, Any], Arrays]:
        """Return the learned state; the steps are named ``games``."""
        return {"games": self.games}, self._teacher.state()

    def restore(self, path: str | os.PathLike[str], meta: dict[str, Any], arrays: Arrays) -> None:
        """Restore the result of :meth:`state`.

        Raises
        ------
        CheckpointError
            The weight tables have another version.
        """
        super().restore(path, {**meta, "steps": meta["games"]}, arrays)
        try:
            self._teacher.restore(arrays)
        except (KeyError, ValueError) as error:
            raise CheckpointError(
                path, f"its tables have other sizes ({error}): begin again from its value.npz"
            ) from error

    def close(self) -> None:
        """End the threads that play games."""
        self._games.close()


def teacher_of(config: ValueConfig) -> Teacher:
    """Return a teacher with the weights that a run begins with."""
    teacher = Separate if config.hidden_units == 0 else Factored
    return teacher(first_weights(config), config)


def first_weights(config: ValueConfig) -> npt.NDArray[np.float32]:
    """Return the weights that a run begins with.

    Raises
    ------
    ValueError, OSError
        The weights file does not exist or is refused.
    """
    if not config.init:
        return starting_weights()
    if config.init == SHIPPED:
        return weights_for(config.rules, config.evaluation).values.copy()
    return unpack(config.init, user_path(config.init).read_bytes()).values
