"""Learning a value by self-play: rounds of games with fixed weights, then learning from each.

A round is the same however many threads, processes or machines play its games: they are numbered,
and learned from in the order of their numbers.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from threading import local
from typing import Any, ClassVar, NamedTuple, Protocol, Self

import numpy as np
import numpy.typing as npt

from carc_env.engine.core.codes import MAX_PLAYERS
from carc_env.engine.core.state import new_states
from carc_env.envs.naming import make_agent
from carc_env.layout.template import template
from carc_env.rules import Rules
from carc_env.search.evaluation import Evaluation
from carc_env.search.features import MAX_ENTRIES, N_WEIGHTS, VERSION, starting_weights
from carc_env.search.learning import GAME_SCRATCH, MAX_STEPS, learn, play_game
from carc_env.search.players import OnePly, value_with
from carc_env.search.weights import Weights, pack, unpack, weights_for
from carc_env.seeds import DECKS, Stream, seed_of

from .checkpoint import CheckpointError, check_decks, read_checkpoint, write_checkpoint
from .curve import Row, has_ended, passed
from .evaluation import evaluate
from .settings import RunSettings, check_eval_games

SHIPPED = "shipped"
VALUE = "value.npz"
"""What the learned weights are called in the folder of a run."""


@dataclass(frozen=True)
class ValueConfig(RunSettings):
    """All settings of a run that learns a value; what it counts as steps are games."""

    folder: str = "runs/value"
    """Where checkpoints, curve, logs and weights go."""
    rules: Rules = field(default_factory=Rules)
    """What is played."""
    total_games: int = 20_000
    """Games of self-play, all together."""
    round_games: int = 32
    """Games with the same weights."""
    init: str = ""
    """A file of weights to begin with, or "shipped": those of the package for the nearest rules."""
    learning_rate: float = 0.5
    """Shared by the entries of a state."""
    td_lambda: float = 0.5
    """Between the next value (0) and the end of the game (1)."""
    threads: int = 0
    """That play games; 0: one for each processor core."""
    checkpoint_every: int = 1_000
    """Games between checkpoints."""
    eval_every: int = 2_000
    """Games between evaluations; one comes before the first game, one behind the last."""
    eval_against: tuple[str, ...] = ("greedy",)
    """Whom to evaluate against: names (docs/arena.md) or checkpoints."""

    POSITIVE: ClassVar[tuple[str, ...]] = (
        *RunSettings.POSITIVE,
        *("total_games", "round_games", "learning_rate"),
    )

    def __post_init__(self) -> None:
        self.check_positive()
        if not 0 <= self.td_lambda <= 1:
            raise ValueError(f"td_lambda must be from 0 to 1, got {self.td_lambda!r}")
        if self.threads < 0:
            raise ValueError(f"threads must be 0 or more, got {self.threads!r}")
        check_eval_games(self.eval_games, self.rules)

    def is_done(self, curve: Sequence[Row]) -> bool:
        """Whether a run with this curve has all games, or ``stop_at_win_rate`` at its end."""
        return has_ended(curve, self.total_games, self.eval_against, self.stop_at_win_rate)


class Trajectory(NamedTuple):
    """What a game of self-play was like; row t is about its t-th step."""

    entries: npt.NDArray[np.int32]
    """(n_steps, most entries): the entries of the state behind the step."""
    ends: npt.NDArray[np.int32]
    """(n_steps,): how many they are."""
    leads: npt.NDArray[np.float32]
    """(n_steps,): by how many points the seat was ahead."""
    seats: npt.NDArray[np.int32]
    """(n_steps,): whose step it was."""
    final: npt.NDArray[np.float32]
    """(MAX_PLAYERS,): by how many points each seat was ahead at the end."""


class SelfPlay:
    """Plays games of self-play in one thread.

    Parameters
    ----------
    rules : Rules
        What is played.
    """

    def __init__(self, rules: Rules) -> None:
        self._template = template(rules)
        self._states = new_states(GAME_SCRATCH)
        self._entries = np.zeros((MAX_STEPS, MAX_ENTRIES), np.int32)
        self._ends, self._seats = np.zeros((2, MAX_STEPS), np.int32)
        self._leads = np.zeros(MAX_STEPS, np.float32)

    def play(self, evaluation: Evaluation, seed: int) -> Trajectory:
        """Play a game one ply ahead with an evaluation and the deck of a seed."""
        final = np.zeros(MAX_PLAYERS, np.float32)
        n = play_game(
            self._states,
            self._template,
            np.uint64(seed),
            evaluation.evaluator,
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


class Games(Protocol):
    """Who plays the games of a round."""

    def play(self, weights: npt.NDArray[np.float32], seeds: Sequence[int]) -> Iterable[Trajectory]:
        """Play the game of each seed, in their order."""

    def close(self) -> None:
        """End threads or processes."""


class ThreadedGames:
    """Plays the games of a round in threads; kernels run beside each other.

    Parameters
    ----------
    rules : Rules
        What is played.
    threads : int
        How many; 0: one for each processor core.
    """

    def __init__(self, rules: Rules, threads: int = 0) -> None:
        self._rules, self._own = rules, local()
        self._threads = ThreadPoolExecutor(threads or len(os.sched_getaffinity(0)))

    def play(self, weights: npt.NDArray[np.float32], seeds: Sequence[int]) -> Iterable[Trajectory]:
        """Play the game of each seed, in their order."""
        value = value_with(weights)
        return self._threads.map(lambda seed: self._table().play(value, seed), seeds)

    def close(self) -> None:
        """End the threads."""
        self._threads.shutdown()

    def _table(self) -> SelfPlay:
        if not hasattr(self._own, "table"):
            self._own.table = SelfPlay(self._rules)
        table: SelfPlay = self._own.table
        return table


class ValueLearner:
    """A run that learns a value; :meth:`update` plays a round of games and learns from them.

    Parameters
    ----------
    config : ValueConfig
        All settings.
    games : Games, optional
        Who plays. Default: threads of this process.
    """

    def __init__(self, config: ValueConfig, games: Games | None = None) -> None:
        self.config = config
        self.games = 0
        self.curve: list[Row] = []
        self.weights = first_weights(config)
        self._sums, self._sizes = np.zeros((2, N_WEIGHTS), np.float32)
        self._games = games or ThreadedGames(config.rules, config.threads)
        self._rivals = {name: make_agent(name, config.rules) for name in config.eval_against}

    @property
    def steps(self) -> int:
        """Games so far."""
        return self.games

    @property
    def is_done(self) -> bool:
        """Whether all games are played, or the last evaluation gave ``stop_at_win_rate``."""
        return self.config.is_done(self.curve)

    def update(self) -> Row:
        """Play a round of games, learn from each, evaluate when it is due.

        The first call evaluates, before anything is learned.

        Returns
        -------
        dict
            The new row of ``curve``: ``steps``, games so far; ``error``, the root of the mean
            square error of the values; with an evaluation, what :func:`.evaluation.evaluate` gives.
        """
        config, before = self.config, self.games
        if not self.curve:
            self.curve.append({"steps": 0, **self._evaluate()})
            return self.curve[-1]
        end = min(before + config.round_games, config.total_games)
        seeds = [seed_of(Stream.TRAINING, config.seed, game) for game in range(before, end)]
        errors, n_steps = 0.0, 0
        for game in list(self._games.play(self.weights, seeds)):
            n = len(game.ends)
            arrays = (self.weights, self._sums, self._sizes)
            errors += learn(n, *game, *arrays, config.learning_rate, config.td_lambda)
            n_steps += n
        self.games = end
        row: Row = {"steps": end, "error": float(np.sqrt(errors / max(n_steps, 1)))}
        if end == config.total_games or passed(config.eval_every, before, end):
            row |= self._evaluate()
        self.curve.append(row)
        return row

    def _evaluate(self) -> Row:
        config = self.config
        return evaluate(
            self.player(), self._rivals, config.rules, config.eval_games, config.records
        )

    def player(self) -> OnePly:
        """The agent that plays with what is learned so far."""
        return OnePly(value_with(self.weights.copy()))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything that decides how the run goes on."""
        meta = {
            "kind": "value",
            "features": VERSION,
            "config": self.config.to_dict(),
            "games": self.games,
            "curve": self.curve,
            "decks": DECKS,
        }
        arrays = {"weights": self.weights, "sums": self._sums, "sizes": self._sizes}
        write_checkpoint(path, meta, arrays)

    def packed(self) -> bytes:
        """The content of a file of weights, see :mod:`carc_env.search.weights`."""
        return pack(Weights(self.config.rules, self.weights, {"games": self.games}))

    @classmethod
    def resume(
        cls,
        path: str | os.PathLike[str],
        config: ValueConfig | None = None,
        games: Games | None = None,
    ) -> Self:
        """A run that goes on from a checkpoint.

        Raises
        ------
        CheckpointError
            The file is no checkpoint of such a run, or one of another version.
        """
        meta, arrays = read_checkpoint(path)
        saved = saved_config(path, meta)
        config = config or saved
        if config.rules != saved.rules:
            raise CheckpointError(path, "it is for other rules, which a run cannot change")
        try:
            n_games, curve = int(meta["games"]), [dict(row) for row in meta["curve"]]
            weights, sums, sizes = (arrays[name] for name in ("weights", "sums", "sizes"))
        except (KeyError, TypeError, ValueError) as error:
            raise CheckpointError(path, f"its training state is not valid: {error!r}") from error
        if any(a.shape != (N_WEIGHTS,) or a.dtype != np.float32 for a in (weights, sums, sizes)):
            raise CheckpointError(
                path, "its tables have other sizes: begin anew from its value.npz"
            )
        learner = cls(config, games)
        learner.games, learner.curve = n_games, curve
        learner.weights, learner._sums, learner._sizes = weights, sums, sizes
        return learner

    def close(self) -> None:
        """End the threads of the games."""
        self._games.close()


def first_weights(config: ValueConfig) -> npt.NDArray[np.float32]:
    """The weights that a run begins with.

    Raises
    ------
    ValueError, OSError
        There is no such file of weights.
    """
    if not config.init:
        return starting_weights()
    if config.init == SHIPPED:
        return weights_for(config.rules).values.copy()
    return unpack(config.init, Path(config.init).read_bytes()).values


def saved_config(path: str | os.PathLike[str], meta: dict[str, Any]) -> ValueConfig:
    """The settings in a checkpoint.

    Raises
    ------
    CheckpointError
        It is none of a value, one for other features, or its settings are not valid here.
    """
    if meta.get("kind") != "value":
        raise CheckpointError(path, "it holds a network, not a value: go on with train_ppo.py")
    if meta.get("features") != VERSION:
        raise CheckpointError(
            path, f"it is for features of version {meta.get('features')}, here is {VERSION}"
        )
    check_decks(path, meta)
    try:
        return ValueConfig.from_dict(meta["config"])
    except (KeyError, TypeError, ValueError) as error:
        raise CheckpointError(path, f"its settings are not valid here: {error}") from error
