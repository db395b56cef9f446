"""Try settings of the recipes: the same number for each, drawn at random, and all are published.

    python scripts/tune.py                                  try what is missing, write the table
    python scripts/tune.py --methods td --only short-greedy-v1 --workers 2
    python scripts/tune.py --missing                        list what is missing
    python scripts/tune.py --decisions 2000 --settings 1    a trial, which the tables leave out

``configs/experiments/tuning.yaml`` has the settings with which each recipe began, number 0, and the
ranges from which it gets 12 more. One run of each makes 200,000 decisions on each task, with one
seed. Its last evaluation during training counts, because evaluation decks of tasks are not for
choosing settings. ``docs/results/tuning.csv`` keeps them all.
Runs need committed code. Ctrl-C stops them; the same command resumes them in
``runs/results/tuning``.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # no traceback while modules are loaded

import numpy as np
import pydantic
import results
import tyro
import yaml
from carc_env.agents.commands.tournament import console
from carc_env.agents.interrupt import end_quietly
from carc_env.agents.run_folder import ORIGIN, commit
from write_tables import TUNED, TUNING, written

from carc_env.game.records import replace_file
from carc_env.plain_yaml import read_yaml
from carc_env.tasks import task

BUDGET, SETTINGS = 200_000, 12
"""Decisions of a run, and settings drawn for each training method."""


class Range(pydantic.BaseModel, frozen=True, extra="forbid"):
    """The numbers between two, uniform in their logarithm."""

    low: Annotated[pydantic.PositiveFloat, pydantic.Field(alias="from")]
    high: Annotated[pydantic.PositiveFloat, pydantic.Field(alias="to")]

    def draw(self, rng: np.random.Generator) -> str:
        """Return one, with three digits."""
        return f"{np.exp(rng.uniform(np.log(self.low), np.log(self.high))):.3g}"


class Tuning(pydantic.BaseModel, frozen=True, extra="forbid"):
    """A training method, its command on each task, and the ranges of its settings."""

    name: str
    tasks: dict[str, str]
    first: dict[str, int | float] = {}
    settings: dict[str, Range | list[int] | list[float]]

    def drawn(self, number: int) -> list[str]:
        """Return the settings with a number as options of a command; number 0: the first."""
        rng = np.random.default_rng([*self.name.encode(), number])
        chosen: dict[str, object] = {**self.first}
        for name, of in self.settings.items() if number else ():
            chosen[name] = of.draw(rng) if isinstance(of, Range) else of[rng.integers(len(of))]
        return [f"--{name.replace('_', '-')} {value}" for name, value in chosen.items()]


@dataclass(frozen=True)
class Trial(results.Job):
    """A run with one of the settings."""

    number: int = 1
    settings: str = ""

    points = 1
    eval_games = 400

    @property
    def key(self) -> dict[str, str]:
        """Its first columns, which identify it."""
        named = {"task": self.task.name, "training": self.training.name}
        return named | {"budget": f"{self.budget}", "setting": f"{self.number:02}"}

    @property
    def folder(self) -> Path:
        """The folder of the run."""
        return results.RUNS.joinpath("tuning", *self.key.values())

    @property
    def stored(self) -> tuple[Path, dict[str, str]]:
        """The table that keeps its results, and what identifies them there."""
        return (results.KEPT if self.is_kept else results.RUNS) / TUNED, self.key

    @property
    def is_kept(self) -> bool:
        """Whether it has the budget of all."""
        return self.budget == BUDGET

    def learning(self) -> Iterator[list[str]]:
        """Return the command that trains it, if it is not trained yet.

        Raises
        ------
        ValueError
            It would run changed code, or other code than before.
        """
        if self.is_kept and not self.is_trained:
            origin, now = self.folder / ORIGIN, commit()
            before = read_yaml(ORIGIN, origin.read_text())["commit"] if origin.exists() else now
            if before != now or now == "unknown" or " " in now:
                raise ValueError(f"{self.folder} began with commit {before}; the code is now {now}")
        return super().learning()

    def evaluation(self) -> list[str]:
        """Return no command: its training evaluates it."""
        return []

    def keep(self) -> None:
        """Keep its row; of its curve, only the end counts."""
        results.keep(self.stored[0], self.summaries(), self.stored[1])

    def summaries(self) -> list[dict[str, str]]:
        """Return the row of the run."""
        last = self.evaluations()[-1]
        origin = yaml.safe_load((self.folder / ORIGIN).read_text(encoding="utf-8"))
        rates = {name: f"{rate:.4f}" for name, rate in last.items() if " win_rate" in name}
        spent = {"processor_seconds": f"{last['processor_seconds']:.1f}"}
        made = {name: origin[name] for name in ("machine", "commit", "carc_env")}
        return [self.key | {"settings": self.settings} | rates | spent | made]


def trials(decisions: int = BUDGET) -> list[Trial]:
    """Return all runs: the first settings of all training methods first.

    Raises
    ------
    ValueError, OSError
        The file of ranges is refused.
    """
    read = read_yaml(TUNING.name, TUNING.read_text(encoding="utf-8"))
    return [
        Trial(
            results.Training(
                name=one.name, about="", command=" ".join((command, *drawn)), tasks={}
            ),
            task(name),
            decisions,
            seed=0,
            number=number,
            settings=" ".join(drawn),
        )
        for number in range(SETTINGS + 1)
        for one in pydantic.TypeAdapter(list[Tuning]).validate_python(read)
        for drawn in (one.drawn(number),)
        for name, command in one.tasks.items()
    ]


@dataclass(frozen=True)
class Arguments:
    """Try settings, and write the table."""

    only: tuple[str, ...] = ()
    """Only these tasks."""
    methods: tuple[str, ...] = ()
    """Only these training methods."""
    settings: tuple[int, ...] = ()
    """Only settings with these numbers."""
    decisions: int = BUDGET
    """For a trial: another number of decisions; the result is kept in ``runs/results``."""
    workers: int = 1
    """Runs in parallel, each on one thread."""
    missing: bool = False
    """Print what is missing, and do nothing."""

    def wants(self, trial: Trial) -> bool:
        """Return whether a run is among those asked for."""
        return results.are_chosen(
            (self.only, trial.task.name),
            (self.methods, trial.training.name),
            (self.settings, trial.number),
        )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    given = tyro.cli(Arguments, args=arguments, description=__doc__)
    try:
        asked = [trial for trial in trials(given.decisions) if given.wants(trial)]
        missing = [trial for trial in asked if not results.is_kept(*trial.stored)]
        if given.missing:
            for trial in missing:
                console.print(*trial.key.values(), trial.settings)
            return 0
        status = results.run(missing, given.workers)
        replace_file(results.PAGE, written(results.PAGE).encode())
    except (ValueError, OSError) as error:
        console.print(f"error: {error}", markup=False)
        return 1
    return status


if __name__ == "__main__":
    end_quietly()
    sys.exit(main())
