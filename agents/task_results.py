"""Agents' results on tasks: the result file, and tables of results.

A result is a JSON file (docs/tasks.md, ``docs/schemas/result.schema.json``). It contains the task
with its fingerprint, the agent and its training as described by the author, the scores of every
game, and numbers derived from them. Results of the same agent with different seeds form one row of
the table.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from operator import itemgetter
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from pydantic import TypeAdapter, ValidationError

from carc_env.game.records import replace_file
from carc_env.plain_json import first_problem, read_json
from carc_env.tasks import TASKS, Task, task

from .arena import first_places, leads
from .intervals import Estimate, iqm_interval, mean_interval, share_interval
from .known_results import known_runs, rewards, told
from .report import EMPTY, Rows, with_interval

FORMAT: Literal["carc_env result"] = "carc_env result"
VERSION: Literal[1] = 1
ALMOST = 1e-6
"""Largest allowed difference between a number in a file and the one derived from its scores."""


@dataclass(frozen=True)
class Training:
    """The author's information about an agent's training; None where there is none."""

    seed: int | None = None
    """Seed of the run; runs of the same agent have different seeds."""
    budget: int | None = None
    """Number of decisions by the learner."""
    reward: str | None = None
    """Reward during training."""
    notes: str = ""
    """Anything else that a reader should know."""


@dataclass(frozen=True)
class Summary:
    """An agent's results against copies of one opponent; intervals are over decks."""

    wins: int
    """Games in which the agent outscored every opponent."""
    draws: int
    """Games in which the agent tied with the best opponent."""
    losses: int
    win_rate: Estimate
    """Win rate: first places per game; if k seats tie for first, each counts 1/k."""
    lead: Estimate
    """Lead over the mean of the opponents, in points per game."""


@dataclass(frozen=True)
class Result:
    """An agent's result on a task."""

    task: str
    fingerprint: str
    """Fingerprint of the task when it was evaluated."""
    carc_env: str
    """Version of carc_env that evaluated the agent."""
    agent: str
    """Name given by the author."""
    word: str
    """The agent spec, or the file of games played elsewhere."""
    training: Training
    scores: dict[str, list[list[list[int]]]]
    """Scores by opponent: for each deck and each seat of the agent, the scores of all seats,
    clockwise from the agent."""
    regrets: list[float]
    """Regret in each of the task's endgames, in points."""
    ms: float | None
    """Milliseconds per decision; None for games played elsewhere."""
    format: Literal["carc_env result"] = FORMAT
    version: Literal[1] = VERSION

    @property
    def decks(self) -> int:
        """Number of decks against each opponent."""
        return min(map(len, self.scores.values()), default=0)

    @property
    def is_whole(self) -> bool:
        """Whether it is the complete evaluation of the task."""
        asked = task(self.task)
        n_endgames = len(self.regrets)
        has_endgames = asked.endgames is None or n_endgames == asked.n_endgames
        return has_endgames and (not asked.rivals or self.decks == asked.n_decks)

    def summary(self) -> dict[str, Summary]:
        """Summary of the scores, by opponent."""
        return {rival: _summed(np.array(scores)) for rival, scores in self.scores.items()}

    @property
    def regret(self) -> Estimate | None:
        """Mean regret per decision; the interval is over endgames."""
        return mean_interval(self.regrets) if self.regrets else None

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON, with the summary."""
        summary = {rival: asdict(one) for rival, one in self.summary().items()}
        regret = None if self.regret is None else asdict(self.regret)
        return {**asdict(self), "summary": summary, "regret": regret}


def _summed(scores: npt.NDArray[np.int64]) -> Summary:
    own, best = scores[:, :, 0], scores[:, :, 1:].max(axis=2)
    wins, draws = int((own > best).sum()), int((own == best).sum())
    return Summary(
        wins,
        draws,
        own.size - wins - draws,
        share_interval(first_places(scores)[:, :, 0].mean(axis=1)),
        mean_interval(leads(scores)[:, :, 0].mean(axis=1)),
    )


_FORM = TypeAdapter(Result)


def write_result(path: Path, result: Result) -> None:
    """Write a result file."""
    replace_file(path, (json.dumps(result.to_dict()) + "\n").encode())


def read_result(path: Path) -> Result:
    """Read a result file.

    Raises
    ------
    ValueError
        The file is not a result, the task is unknown or has changed, or the file's numbers do not
        match its scores.
    OSError
        It cannot be read.
    """
    content = path.read_bytes()
    values = read_json(str(path), content)
    if not isinstance(values, dict) or values.get("format") != FORMAT:
        raise ValueError(f"{path} is no result of a task")
    told = {name: values.pop(name, None) for name in ("summary", "regret")}
    try:
        found = _FORM.validate_json(json.dumps(values), strict=True)
    except ValidationError as error:
        raise ValueError(f"{path} is no result of a task: {first_problem(error)}") from None
    try:
        check_result(found)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    follows = found.to_dict()
    if not _is_close(told, {name: follows[name] for name in told}):
        raise ValueError(f"{path}: its summary does not follow from its scores: it was edited")
    return found


def check_result(result: Result) -> None:
    """Refuse an impossible result.

    Raises
    ------
    ValueError
        The task is unknown or has changed, or there are too few or too many games.
    """
    asked = task(result.task)
    if result.fingerprint != asked.fingerprint:
        raise ValueError(
            f"{result.task} had the fingerprint {result.fingerprint}, but here it has "
            f"{asked.fingerprint}: it was another task"
        )
    if {*result.scores} != {*asked.rivals}:
        rivals = ", ".join(asked.rivals) or "nobody"
        raise ValueError(f"the opponents of {result.task} are {rivals}, not {[*result.scores]}")
    seats = asked.rules.n_players
    for rival, decks in result.scores.items():
        if not 1 <= len(decks) <= asked.n_decks or len(decks) != result.decks:
            raise ValueError(f"{len(decks)} decks against {rival}, {result.decks} against others")
        if any(len(deck) != seats or any(len(game) != seats for game in deck) for deck in decks):
            raise ValueError(
                f"a deck against {rival} does not have {seats} scores from {seats} seats"
            )
    if len(result.regrets) > asked.n_endgames or (not asked.rivals and not result.regrets):
        raise ValueError(f"{len(result.regrets)} endgames, of {asked.n_endgames}")


def _is_close(one: Any, other: Any) -> bool:
    """Return whether plain values are equal up to rounding."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_is_close(one[k], other[k]) for k in one)
    if isinstance(one, int | float) and isinstance(other, int | float):
        return abs(one - other) <= ALMOST * max(1.0, abs(other))
    return bool(one == other)


# The table.


def table_of(results: Sequence[Result], beside: bool = False) -> Rows:
    """Return the table rows for one task; results of the same agent and training share a row.

    With several seeds, a number is the interquartile mean over runs with a bootstrap interval. With
    one seed, it is the run's own number with an interval over decks.

    Parameters
    ----------
    results : sequence of Result
        Results on the same task.
    beside : bool
        Add this project's rows, each with the version that evaluated it. They are stored by run,
        not by deck, so a single run has no interval, and decision times are missing.

    Raises
    ------
    ValueError
        Two results in a row have the same seed, or the results belong to different tasks.
    """
    (name,) = {result.task for result in results}
    asked = task(name)
    head = ["agent", "decisions", "reward", "seeds", *(f"% won, `{r}`" for r in asked.rivals)]
    head += ["regret"] if asked.endgames else []
    rows = [(runs[0].training.budget or 0, _row(asked, runs)) for runs in _grouped(results)]
    rows += _known(asked) if beside else []
    return [[*head, "ms a decision"], *(row for _, row in sorted(rows, key=itemgetter(0)))]


def _known(asked: Task) -> list[tuple[int, list[str]]]:
    """Return this project's rows with their budgets."""
    learns_from, rows = rewards(), []
    for (budget, name), runs in sorted(known_runs(asked).items()):
        versions = ", ".join(sorted({run["carc_env"] for run in runs}))
        decks = min(int(run["decks"]) for run in runs)
        mark = "" if decks == asked.n_decks else f", {decks} decks only"
        said = [f"{budget:,}" if budget else EMPTY, learns_from.get(name, EMPTY)]
        row = [f"{name} (carc_env {versions}{mark})", *said, str(len(runs))]
        row += [told(runs, f"{rival} win_rate", 100, 1) for rival in asked.rivals]
        row += [told(runs, "regret", 1, 3)] if asked.endgames else []
        rows.append((budget, [*row, EMPTY]))
    return rows


def _grouped(results: Iterable[Result]) -> list[list[Result]]:
    groups: dict[tuple[Any, ...], list[Result]] = {}
    for result in results:
        training = result.training
        key = (training.budget or 0, result.agent, training.reward or "", result.decks)
        groups.setdefault(key, []).append(result)
    for (_, agent, *_), runs in groups.items():
        seeds = [run.training.seed for run in runs]
        if len(runs) > 1 and (None in seeds or len({*seeds}) < len(seeds)):
            said = ", ".join(map(str, seeds))
            raise ValueError(
                f"runs of {agent} need a seed each, all different (evaluate with --seed, or leave "
                f"one of them out); they have {said}"
            )
    return [groups[key] for key in sorted(groups)]


def _row(asked: Task, runs: Sequence[Result]) -> list[str]:
    first = runs[0]
    mark = "" if all(run.is_whole for run in runs) else f" ({first.decks} decks only)"
    row = [first.agent + mark, EMPTY, first.training.reward or EMPTY, str(len(runs))]
    if first.training.budget is not None:
        row[1] = f"{first.training.budget:,}"
    for rival in asked.rivals:
        shares = [run.summary()[rival].win_rate for run in runs]
        row.append(with_interval(_over_runs(shares, 100), 1))
    if asked.endgames:
        regrets = [run.regret for run in runs if run.regret is not None]
        is_known = len(regrets) == len(runs)
        row.append(with_interval(_over_runs(regrets, 1), 3) if is_known else EMPTY)
    times = [run.ms for run in runs if run.ms is not None]
    return [*row, f"{sum(times) / len(times):.2g}" if times else EMPTY]


def _over_runs(found: Sequence[Estimate], unit: float) -> Estimate:
    """Combine runs' numbers, times a unit; a single run keeps its own interval."""
    if len(found) > 1:
        return iqm_interval([unit * one.value for one in found])
    return Estimate(*(unit * x for x in (found[0].value, found[0].low, found[0].high)))


def by_task(results: Iterable[Result]) -> dict[str, list[Result]]:
    """Return results by task name, in task order."""
    found: dict[str, list[Result]] = {}
    for result in results:
        found.setdefault(result.task, []).append(result)
    return {name: found[name] for name in TASKS if name in found}
