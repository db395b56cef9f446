"""Learning a value function by self-play: rounds with fixed weights, then learning from each.

A round does not depend on the number of threads: games are numbered, and learned from in numerical
order. A checkpoint has the complete state of a run, so a resumed run equals an uninterrupted one.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import local
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from carc_env.engine.core.codes import MAX_PLAYERS
from carc_env.engine.core.state import new_states
from carc_env.envs.naming import make_agent
from carc_env.files import user_path
from carc_env.layout.template import template
from carc_env.rules import Rules
from carc_env.search.evaluation import GREEDY, Evaluation
from carc_env.search.features import MAX_ENTRIES, starting_weights
from carc_env.search.learning import GAME_SCRATCH, MAX_STEPS, play_game
from carc_env.search.players import OnePly, value_with
from carc_env.search.weights import INSIGHT, PLAIN, Weights, pack, unpack, weights_for
from carc_env.seeds import DECKS, Stream, seed_of

from .arena import play_against
from .checkpoint import CheckpointError, read_checkpoint, write_checkpoint
from .curve import WIN_RATE, Row, passed
from .value_config import MARK, ValueConfig
from .value_teachers import Factored, Separate, Teacher, Trajectory

SHIPPED = "shipped"
VALUE = "value.npz"
"""File name of the learned weights in a run's folder."""
EVALUATION_SEED = 1_000_003
"""Seed of the evaluation decks, which are the same every time; matches use other seeds.

Training never uses their stream, :attr:`carc_env.seeds.Stream.EVALUATION`.
"""
FIXED = ("rules", "evaluation", "hidden_units")
"""Settings that a resumed run cannot change: they determine the shape of the saved state."""


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


class ValueLearner:
    """A run that learns a value function; :meth:`update` plays a round and learns from it.

    Parameters
    ----------
    config : ValueConfig
        All settings.

    Attributes
    ----------
    curve : list of dict
        A row for each update.
    games : int
        Number of games so far.
    processor_seconds : float
        Processor seconds spent on learning so far, in all threads, excluding evaluations.

    Raises
    ------
    ValueError, OSError
        The game is not that of the task, an opponent does not exist, or the initial weights are
        refused.
    """

    def __init__(self, config: ValueConfig) -> None:
        config.check_task()
        self.config = config
        self.curve: list[Row] = []
        self.games, self.processor_seconds = 0, 0.0
        self._rivals = {spec: make_agent(spec, config.rules) for spec in config.eval_against}
        self._teacher = teacher_of(config)
        self._rounds = ThreadedGames(config.rules, config.threads, config.evaluation)

    @property
    def weights(self) -> npt.NDArray[np.float32]:
        """The current weights."""
        return self._teacher.learned

    @property
    def is_done(self) -> bool:
        """Whether all games are played, or the last evaluation reached ``stop_at_win_rate``."""
        return self.config.is_done(self.curve)

    def update(self) -> Row:
        """Play a round and learn from it, and evaluate when due; the first call only evaluates.

        Returns
        -------
        dict
            The new row of ``curve``: ``steps``, the games so far; ``error``, the values' root mean
            square error; and after an evaluation the results of :meth:`evaluate`.
        """
        before, began = self.games, time.process_time()
        try:
            told = self.learn() if self.curve else {}
        finally:
            self.processor_seconds += time.process_time() - began
        row: Row = {"steps": self.games, **told}
        is_last = self.games >= self.config.total_games
        if not self.curve or is_last or passed(self.config.eval_every, before, self.games):
            row |= self.evaluate()
        self.curve.append(row)
        return row

    def learn(self) -> Row:
        """Play a round of games and learn from each; return ``error``."""
        config = self.config
        end = min(self.games + config.round_games, config.total_games)
        deals = [self.deal(game) for game in range(self.games, end)]
        games = list(self._rounds.play(self._teacher.weights, deals))
        error = self._teacher.learn(games, end / config.total_games)
        self.games = end
        return {"error": error}

    def evaluate(self) -> Row:
        """Play against copies of each agent in ``eval_against``.

        Returns
        -------
        dict
            For each opponent, ``<name> win_rate``, ``<name> score`` and ``<name> rival_score``,
            which are means. ``rival_score`` is the score of the best opponent in each game.
        """
        row: Row = {}
        for name, rival in self._rivals.items():
            match = play_against(
                self.player(),
                rival,
                self.config.rules,
                self.config.eval_games,
                names=("learner", name),
                seed=EVALUATION_SEED,
                records=self.config.records or None,
            )
            row[name + WIN_RATE] = match.standings[0].win_rate.value
            row[f"{name} score"] = match.standings[0].score.value
            row[f"{name} rival_score"] = float(match.scores[:, :, 1:].max(axis=2).mean())
        return row

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

    def packed(self) -> bytes:
        """Return the content of a weights file, see :mod:`carc_env.search.weights`."""
        found: dict[str, Any] = {"games": self.games}
        if self.config.greedy_share:
            found["greedy_share"] = self.config.greedy_share
        return pack(Weights(self.config.rules, self.weights, found, self.config.evaluation))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a checkpoint with the complete state; the folder must exist."""
        config = self.config.to_dict()
        run = {"rules": config["rules"], "config": config, "steps": self.games}
        run |= {"games": self.games, "curve": self.curve, "decks": DECKS}
        write_checkpoint(path, MARK | run, self._teacher.state())

    @classmethod
    def resume(cls, path: str | os.PathLike[str], config: ValueConfig | None = None) -> Self:
        """Resume where :meth:`save` was called.

        Parameters
        ----------
        path : path
            The checkpoint.
        config : ValueConfig, optional
            Settings to continue with. Default: the checkpoint's settings.

        Raises
        ------
        CheckpointError
            The file is refused, or the settings differ in something that a resumed run cannot
            change.
        """
        meta, arrays = read_checkpoint(path)
        saved = ValueConfig.saved(path, meta)
        config = config or saved
        for name in FIXED:
            if (was := getattr(saved, name)) != (now := getattr(config, name)):
                change = was.differences(now) if isinstance(was, Rules) else f"{was} -> {now}"
                raise CheckpointError(path, f"{name} cannot change when a run resumes: {change}")
        learner = cls(config)
        try:
            learner.games = int(meta["games"])
            learner.curve = [dict(row) for row in meta["curve"]]
            learner._teacher.restore(arrays)
        except (KeyError, TypeError, ValueError) as error:
            learner.close()
            raise CheckpointError(
                path, f"its state does not fit ({error}): begin again from its value.npz"
            ) from error
        return learner

    @classmethod
    def begin(cls, config: ValueConfig, checkpoint: str | os.PathLike[str] | None = None) -> Self:
        """Begin a run, or continue from a checkpoint as :meth:`resume` does."""
        return cls(config) if checkpoint is None else cls.resume(checkpoint, config)

    def close(self) -> None:
        """End the threads that play games."""
        self._rounds.close()


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
