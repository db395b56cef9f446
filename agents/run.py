"""A run that learns: when it is evaluated, what of it is saved, and how it goes on."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar, Generic, Self, TypeVar

from carc_env.envs.naming import make_agent
from carc_env.rules import Rules
from carc_env.seeds import DECKS

from .arena import Agent
from .checkpoint import Arrays, CheckpointError, read_checkpoint, write_checkpoint
from .curve import Row, passed
from .evaluation import evaluate
from .settings import RunSettings, check_task

C = TypeVar("C", bound=RunSettings)


class Run(Generic[C]):
    """A run in progress; :meth:`learn` and :meth:`evaluated` are its own.

    Parameters
    ----------
    config : RunSettings
        All settings.
    rules : Rules
        What it is evaluated on.
    """

    SETTINGS: ClassVar[type[Any]]
    """The class of its settings."""
    FIXED: ClassVar[tuple[str, ...]] = ("rules", "network")
    """Settings that a resumed run cannot change: what is in the file has their shape."""

    network: Any
    """The module that learns, where one does."""

    def __init__(self, config: C, rules: Rules) -> None:
        check_task(config, rules)
        self.config, self.rules = config, rules
        self.curve: list[Row] = []
        self.steps = 0
        """How far it has come."""
        self.processor_seconds = 0.0
        """What learning took so far, on all threads of this process and its workers, without
        evaluations."""
        self._rivals = {spec: make_agent(spec, rules) for spec in config.eval_against}

    def learn(self) -> Row:
        """Learn a little, and count ``steps``; what there is to tell about it, by name."""
        raise NotImplementedError

    def evaluated(self) -> Agent:
        """Who is evaluated: it plays with what has been learned so far."""
        raise NotImplementedError

    def state(self) -> tuple[dict[str, Any], Arrays]:
        """Plain values and arrays that decide how it goes on, beside settings, steps and curve."""
        raise NotImplementedError

    def restore(self, path: str | os.PathLike[str], meta: dict[str, Any], arrays: Arrays) -> None:
        """Go to what a checkpoint holds.

        Raises
        ------
        KeyError, TypeError, ValueError, IndexError, RuntimeError
            It is no such state.
        """
        self.steps = int(meta["steps"])
        self.curve = [dict(row) for row in meta["curve"]]

    def close(self) -> None:
        """End what runs beside it."""

    @property
    def is_done(self) -> bool:
        """Whether all steps are done, or the last evaluation gave ``stop_at_win_rate``."""
        return self.config.is_done(self.curve)

    @property
    def n_parameters(self) -> int:
        """Numbers that are learned."""
        return sum(parameter.numel() for parameter in self.network.parameters())

    def update(self) -> Row:
        """Learn a little, evaluate when it is due; at first evaluate alone.

        Returns
        -------
        dict
            The new row of ``curve``: ``steps``, what :meth:`learn` tells, and with an evaluation
            what :func:`.evaluation.evaluate` gives.
        """
        before = self.steps
        with self.counted():
            told = self.learn() if self.curve else {}
        row: Row = {"steps": self.steps, **told}
        if not self.curve or self.is_due(self.config.eval_every, before):
            row |= self.evaluate()
        self.curve.append(row)
        return row

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Count what is done within as learning, also where a signal ends it."""
        began = time.process_time()
        try:
            yield
        finally:
            self.processor_seconds += time.process_time() - began

    def is_due(self, every: int, before: float) -> bool:
        """Whether a multiple of ``every`` lies in the steps after ``before``, or the end does."""
        return self.steps >= self.config.total or passed(every, before, self.steps)

    def evaluate(self) -> Row:
        """Games against each agent of ``eval_against``; leaves all random numbers alone."""
        n_games, records = self.config.eval_games, self.config.records
        return evaluate(self.evaluated(), self._rivals, self.rules, n_games, records)

    # The run as a file.

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a checkpoint with all that decides the next update; the folder must exist."""
        config = self.config.to_dict()
        plain, arrays = self.state()
        known: dict[str, Any] = {k: config[k] for k in ("rules", "network") if k in config}
        run = {"config": config, "steps": self.steps, "curve": self.curve, "decks": DECKS}
        write_checkpoint(path, {**self.config.MARK, **known, **run, **plain}, arrays)

    @classmethod
    def resume(cls, path: str | os.PathLike[str], config: C | None = None, *parts: Any) -> Self:
        """Go on where :meth:`save` was called.

        Parameters
        ----------
        path : path
            The checkpoint.
        config : RunSettings, optional
            Settings to go on with. Default: those of the checkpoint.
        parts
            What the run is made with besides.

        Raises
        ------
        CheckpointError
            The file is refused, or the settings change what a resumed run cannot change.
        """
        meta, arrays = read_checkpoint(path)
        saved: C = cls.SETTINGS.saved(path, meta)
        config = config or saved
        saved.check_goes_on(path, config, cls.FIXED)
        learner = cls(config, *parts)
        try:
            learner.restore(path, meta, arrays)
        except (KeyError, TypeError, ValueError, IndexError, RuntimeError) as error:
            learner.close()
            if isinstance(error, CheckpointError):
                raise
            raise CheckpointError(path, f"its training state is not valid: {error!r}") from error
        return learner

    @classmethod
    def begin(
        cls, config: C, checkpoint: str | os.PathLike[str] | None = None, *parts: Any
    ) -> Self:
        """Begin, or go on from a checkpoint.

        Raises
        ------
        CheckpointError
            As for :meth:`resume`.
        """
        if checkpoint is not None:
            return cls.resume(checkpoint, config, *parts)
        learner = cls(config, *parts)
        try:
            learner.warm_up()
        except (ValueError, OSError):
            learner.close()
            raise
        return learner

    def warm_up(self) -> None:
        """Begin with what ``init`` names, if the settings have one; a run that goes on does not."""
