"""A training run: its evaluations, its checkpoints, and how it resumes."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, ClassVar, Generic, Self, TypeVar

from carc_env.envs.distributions import Dealer, RulesDistribution
from carc_env.envs.naming import make_agent
from carc_env.rules import Rules
from carc_env.seeds import DECKS

from .arena import Agent
from .checkpoint import Arrays, CheckpointError, read_checkpoint, write_checkpoint
from .curve import Row, passed
from .evaluation import drawn_from, evaluate, means_of
from .settings import RunSettings, check_eval_games, check_task

C = TypeVar("C", bound=RunSettings)
DEALS = "distribution"
"""Name of the metadata that says from which kind of distribution rules are drawn."""


class Run(Generic[C]):
    """A run in progress; subclasses define :meth:`learn` and :meth:`evaluated`.

    Parameters
    ----------
    config : RunSettings
        All settings.
    rules : Rules
        The rules, or for a distribution some that have its layout and the most seats.
    distribution : RulesDistribution, optional
        Draws the rules of training games.
    tests : mapping of str to Rules, optional
        The rules of evaluations, each with a suffix for the opponents' names. Default: ``rules``
        without a suffix, or for a distribution :func:`.evaluation.drawn_from`.
    """

    SETTINGS: ClassVar[type[Any]]
    """The class of the run's settings."""
    FIXED: ClassVar[tuple[str, ...]] = ("rules", "network")
    """Settings that a resumed run cannot change: they determine the shape of the saved state."""

    network: Any
    """The module that learns, if any."""

    def __init__(
        self,
        config: C,
        rules: Rules,
        distribution: RulesDistribution | None = None,
        tests: Mapping[str, Rules] | None = None,
    ) -> None:
        check_task(config, rules, distribution)
        self.config, self.rules, self.distribution = config, rules, distribution
        self.tests = tests or (drawn_from(distribution) if distribution else {"": rules})
        for one in self.tests.values():
            check_eval_games(config.eval_games, one)
        self.curve: list[Row] = []
        self.steps = 0
        """Number of steps so far."""
        self.processor_seconds = 0.0
        """Processor seconds spent on learning so far, in all threads of this process and its
        workers, excluding evaluations."""
        self._rivals = {
            label: {spec + label: make_agent(spec, one) for spec in config.eval_against}
            for label, one in self.tests.items()
        }

    def learn(self) -> Row:
        """Learn a little and increase ``steps``; return statistics by name."""
        raise NotImplementedError

    def evaluated(self) -> Agent:
        """Return the agent to evaluate, which plays with the current network."""
        raise NotImplementedError

    def state(self) -> tuple[dict[str, Any], Arrays]:
        """Return all state except settings, steps and curve, as plain values and arrays."""
        raise NotImplementedError

    def restore(self, path: str | os.PathLike[str], meta: dict[str, Any], arrays: Arrays) -> None:
        """Restore the state of a checkpoint.

        Raises
        ------
        KeyError, TypeError, ValueError, IndexError, RuntimeError
            The values are not such a state.
        """
        self.steps = int(meta["steps"])
        self.curve = [dict(row) for row in meta["curve"]]

    def close(self) -> None:
        """End the run's threads and processes."""

    @property
    def is_done(self) -> bool:
        """Whether all steps are done, or the last evaluation reached ``stop_at_win_rate``."""
        return self.config.is_done(self.curve)

    @property
    def n_parameters(self) -> int:
        """Number of learned parameters."""
        return sum(parameter.numel() for parameter in self.network.parameters())

    def update(self) -> Row:
        """Learn a little, and evaluate when due; the first call only evaluates.

        Returns
        -------
        dict
            The new row of ``curve``: ``steps``, the statistics from :meth:`learn` and, after an
            evaluation, the results of :func:`.evaluation.evaluate`.
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
        """Count a block's processor time as learning, even if a signal ends it."""
        began = time.process_time()
        try:
            yield
        finally:
            self.processor_seconds += time.process_time() - began

    def is_due(self, every: int, before: float) -> bool:
        """Return whether the run is done or has passed a multiple of ``every`` since ``before``."""
        return self.steps >= self.config.total or passed(every, before, self.steps)

    def evaluate(self) -> Row:
        """Play against each agent in ``eval_against``; leave all random states unchanged.

        If evaluations are under several rules, and none of them without a suffix, the row begins
        with the means over the rules.
        """
        n_games, records, agent = self.config.eval_games, self.config.records, self.evaluated()
        rows = {
            label: evaluate(agent, self._rivals[label], rules, n_games, records)
            for label, rules in self.tests.items()
        }
        return means_of(rows, self.config.eval_against) | {
            name: value for row in rows.values() for name, value in row.items()
        }

    # Saving and restoring the run.

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a checkpoint with the complete state; the folder must exist."""
        config = self.config.to_dict()
        plain, arrays = self.state()
        known: dict[str, Any] = {k: config[k] for k in ("rules", "network") if k in config}
        run = {"config": config, "steps": self.steps, "curve": self.curve, "decks": DECKS}
        if self.distribution is not None:
            run[DEALS] = type(self.distribution).__name__
        write_checkpoint(path, {**self.config.MARK, **known, **run, **plain}, arrays)

    @classmethod
    def resume(cls, path: str | os.PathLike[str], config: C | None = None, *parts: Any) -> Self:
        """Resume where :meth:`save` was called.

        Parameters
        ----------
        path : path
            The checkpoint.
        config : RunSettings, optional
            Settings to continue with. Default: the checkpoint's settings.
        parts
            Further arguments of the run.

        Raises
        ------
        CheckpointError
            The file is refused, or the settings differ in something that a resumed run cannot
            change.
        """
        meta, arrays = read_checkpoint(path)
        saved: C = cls.SETTINGS.saved(path, meta)
        config = cls.settings_for(config or saved, *parts)
        saved.check_goes_on(path, config, cls.FIXED)
        learner = cls(config, *parts)
        if DEALS in meta and learner.distribution is None:
            learner.close()
            raise CheckpointError(
                path, f"its run draws rules from a distribution: pass its {meta[DEALS]}, too"
            )
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
        """Begin a run, or continue from a checkpoint.

        Raises
        ------
        CheckpointError
            As for :meth:`resume`.
        """
        if checkpoint is not None:
            return cls.resume(checkpoint, config, *parts)
        learner = cls(cls.settings_for(config, *parts), *parts)
        try:
            learner.warm_up()
        except (ValueError, OSError):
            learner.close()
            raise
        return learner

    @classmethod
    def settings_for(cls, config: C, *parts: Any) -> C:
        """Return the settings, with rules in the layout of a distribution among the parts."""
        for part in parts:
            if isinstance(part, RulesDistribution):
                config = config.replace(rules=Dealer(part).rules)
        return config

    def warm_up(self) -> None:
        """Load ``init`` into the network, if it is set; resumed runs do not call this."""
