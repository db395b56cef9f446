"""Agents' results on tasks: the result file, and tables of results.

A result is a JSON file (docs/tasks.md, ``docs/schemas/result.schema.json``). It contains the task
with its fingerprint, the agent and its training as described by the author, the scores of every
game, and numbers derived from them. Results of the same agent with different seeds form one row of
the table.

Tasks with anchors have a *rating*, in Elo, and opponents of held-out styles, which have a table of
their own. Intervals cover decks, and also seeds if there are several.

The ``mix-`` tasks have a *score*: the share of opponents that the agent outscored, as a mean over
test rules and opponents. A tie counts half, so equal agents have 50% with any number of players;
with two players, it is the win rate.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from operator import itemgetter
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from pydantic import TypeAdapter, ValidationError

from carc_env import own_tasks
from carc_env.game.records import replace_file
from carc_env.plain_json import first_problem, read_json
from carc_env.tasks import TASKS, Task, task

from .arena import first_places, leads
from .deck_rows import FIRST, REGRETS, Shares, unpacked
from .intervals import (
    Estimate,
    Statistic,
    by_deck,
    iqm,
    iqm_interval,
    mean_interval,
    share_interval,
    two_level_interval,
    weighted_mean,
)
from .known_results import (
    REFERENCE,
    Kind,
    deck_rows,
    known_runs,
    outside_protocol,
    rewards,
    scores_of,
    told,
)
from .ratings import PRIOR_DECKS, rating_against
from .report import EMPTY, Rows, with_interval

FORMAT: Literal["carc_env result"] = "carc_env result"
VERSION: Literal[1] = 1
ALMOST = 1e-6
"""Largest allowed difference between a number in a file and the one derived from its scores."""
TRACKS = {"1 ms": 1, "100 ms": 100, "1 s": 1_000}
"""Tracks by the mean time for a decision on one core, in milliseconds."""
TOLERANCE = 1.1
"""An agent may take this multiple of its track's time, because a search stops late."""
NONE = "none"
SOURCES = {
    **dict.fromkeys(("random", "greedy"), (NONE, NONE)),
    **dict.fromkeys(("value", "weakened", "thrifty", "farmer", "blocker"), ("value", NONE)),
    "insight": ("insight", NONE),
    "search": ("insight", NONE),
    "mcts": ("insight", NONE),
    "imitation": ("imitation", "games of `value`"),
}
"""Shipped weights, and data sets or teachers, of built-in agents."""
OLD, OUTSIDE = "†", "\\*"
MARKS = {
    OLD: "from before 0.3.0, with an interval over seeds only",
    OUTSIDE: "outside the protocol, for example trained on games of `value`; don't compare it",
}
"""What the marks of our rows mean."""
Evidence = Mapping[str, Shares]
"""A run's numbers by column, see :mod:`carc_env.agents.deck_rows`."""


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
    kind: Kind | None = None
    """For a task with test rules, whether there is an agent for each of them: *specialists* learned
    from scratch under these rules only, *adapted* agents went on under them after their training.
    None: a single agent, which did not learn under test rules."""
    weights: str | None = None
    """Shipped weights that it plays with, or started from; "none" if there are none."""
    data: str | None = None
    """Data sets or teachers that it learned from; "none" if there are none."""


@dataclass(frozen=True)
class Summary:
    """An agent's results against copies of one opponent; intervals are over decks."""

    wins: int
    """Games in which the agent outscored every opponent."""
    draws: int
    """Games in which the agent tied with the best opponent."""
    losses: int
    win_rate: Estimate
    """Win rate: first places per game; if k seats tie for first, each counts 1/k. For a task with
    test rules, the share of opponents outscored, as a mean over these rules."""
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
    clockwise from the agent. The decks are under all test rules in turn."""
    regrets: list[float]
    """Regret in each of the task's endgames, in points."""
    ms: float | None
    """Milliseconds per decision; None for games played elsewhere."""
    definition: dict[str, Any] | None = None
    """For a task from outside the package: its frozen data."""
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

    def by_deck(self) -> Evidence:
        """Return the agent's results on each deck, and its regrets."""
        asked, found = task(self.task), {}
        for rival, decks in self.scores.items():
            games = [np.array(deck) for deck in decks]
            found[rival] = np.array([outscored(one)[:, 0].mean() for one in games])
            if (column := column_of(asked, rival)) != rival:
                found[column] = np.array([first_places(one)[:, 0].mean() for one in games])
        return found | ({REGRETS: np.array(self.regrets)} if self.regrets else {})

    def summary(self) -> dict[str, Summary]:
        """Summary of the scores, by opponent."""
        asked, found = task(self.task), self.by_deck()
        return {
            rival: _summed(self._by_rules(rival), shares_in(asked, [found], [rival]))
            for rival in self.scores
        }

    def _by_rules(self, rival: str) -> list[npt.NDArray[np.int64]]:
        """Return the scores against an opponent for each of the test rules."""
        decks, n_rules = self.scores[rival], len(task(self.task).test_rules)
        return [np.array(decks[k::n_rules]) for k in range(n_rules)]

    def rates(self) -> dict[str, dict[str, float]]:
        """Return the share of opponents outscored, by test rules and opponent."""
        tests = task(self.task).tests
        found = {
            rival: [float(outscored(part)[:, :, 0].mean()) for part in self._by_rules(rival)]
            for rival in self.scores
        }
        return {
            name: {rival: round(shares[k], 6) for rival, shares in found.items()}
            for k, name in enumerate(tests)
        }

    @property
    def score(self) -> Estimate | None:
        """Mean over test rules and opponents; None for a task without test rules."""
        if not task(self.task).tests:
            return None
        return shares_in(task(self.task), [self.by_deck()], [*self.scores])

    @property
    def rating(self) -> Estimate | None:
        """Elo rating against the anchors; None for a task without anchors."""
        asked = task(self.task)
        return rating_in(asked, [self.by_deck()]) if asked.anchors else None

    @property
    def regret(self) -> Estimate | None:
        """Mean regret per decision; the interval is over endgames."""
        return mean_interval(self.regrets) if self.regrets else None

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON, with the summary."""
        summary = {rival: asdict(one) for rival, one in self.summary().items()}
        found = {**asdict(self), "summary": summary}
        found["regret"] = None if self.regret is None else asdict(self.regret)
        if self.score is not None:
            found |= {"score": asdict(self.score), "rates": self.rates()}
        if self.rating is not None:
            found["rating"] = round(self.rating.value, 2)
        if self.definition is None:
            del found["definition"]
        return found


def outscored(scores: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Return each seat's share of the other seats that it outscored; a tie counts half.

    Seats are on the last axis. This is the reward ``outcome``, scaled from 0 to 1.
    """
    more = np.sign(scores[..., :, None] - scores[..., None, :])
    shares: npt.NDArray[np.float64] = (1 + more.sum(axis=-1) / (scores.shape[-1] - 1)) / 2
    return shares


def track_of(ms: float) -> str:
    """Return the fastest track in which an agent with this mean time for a decision plays."""
    return next((name for name, limit in TRACKS.items() if ms <= limit * TOLERANCE), "slower")


def column_of(asked: Task, rival: str) -> str:
    """Return the column of the win rates against an opponent."""
    is_share = asked.tests or asked.env_rules.n_players == 2
    return rival if is_share else f"{rival}{FIRST}"


def shares_in(asked: Task, runs: Sequence[Evidence], rivals: Sequence[str]) -> Estimate:
    """Return runs' mean win rate over opponents; for a task with test rules, also over these."""
    rows = [_shares(asked, run, rivals) for run in runs]
    if len(rows) == len(rows[0]) == 1:
        return share_interval(rows[0])  # which is not 0 wide if every deck has the same result
    return two_level_interval([*map(weighted_mean, rows)], rows[0].shape[1])


def gap_in(asked: Task, runs: Sequence[Evidence], specialists: Sequence[Evidence]) -> Estimate:
    """Return how much higher the specialists score, with an interval over runs and decks."""
    rows, best = ([_shares(asked, run, asked.rivals) for run in one] for one in (runs, specialists))

    def behind(own: Statistic) -> Statistic:
        return lambda counts: iqm(np.stack([one(counts) for one in means], axis=1)) - own(counts)

    means = [*map(weighted_mean, best)]
    return two_level_interval([behind(weighted_mean(row)) for row in rows], rows[0].shape[1])


def _shares(asked: Task, run: Evidence, rivals: Sequence[str]) -> npt.NDArray[np.float64]:
    """Return win rates by deck, in a row for each opponent and each of the test rules."""
    n = len(asked.test_rules)
    return _rows(run[column_of(asked, rival)][k::n] for rival in rivals for k in range(n))


def rating_in(asked: Task, runs: Sequence[Evidence]) -> Estimate:
    """Return runs' rating against the anchors of a task."""
    rows = [np.array([run[name] for name in asked.anchors]) for run in runs]
    ratings = [rating_against(row, [*asked.anchors.values()]) for row in rows]
    return two_level_interval(ratings, rows[0].shape[1] + PRIOR_DECKS)


def regret_in(runs: Sequence[Evidence]) -> Estimate:
    """Return runs' mean regret."""
    rows = [run[REGRETS] for run in runs]
    if len(rows) == 1:
        return mean_interval(rows[0])
    return two_level_interval([*map(weighted_mean, rows)], len(rows[0]))


def _summed(parts: Sequence[npt.NDArray[np.int64]], win_rate: Estimate) -> Summary:
    """Return the summary of scores, given for each of the test rules."""
    margins = np.concatenate([(p[:, :, 0] - p[:, :, 1:].max(axis=2)).ravel() for p in parts])
    wins, draws = int((margins > 0).sum()), int((margins == 0).sum())
    return Summary(
        wins,
        draws,
        margins.size - wins - draws,
        win_rate,
        mean_interval(_rows(leads(part)[:, :, 0].mean(axis=1) for part in parts)),
    )


def _rows(numbers: Iterable[npt.NDArray[np.float64]]) -> npt.NDArray[np.float64]:
    """Return numbers by deck as a row for each of the test rules."""
    return by_deck([dict(enumerate(row.tolist())) for row in numbers])


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
    derived = ("summary", "regret", "score", "rates", "rating")
    told = {name: values.pop(name, None) for name in derived}
    if (definition := values.get("definition")) is not None:
        own_tasks.known(f"{path}: its definition", definition)
    try:
        found = _FORM.validate_json(json.dumps(values), strict=True)
    except ValidationError as error:
        raise ValueError(f"{path} is no result of a task: {first_problem(error)}") from None
    try:
        check_result(found)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    follows = found.to_dict()
    if not _is_close(told, {name: follows.get(name) for name in told}):
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
    if {*result.scores} != {*asked.met}:
        rivals = ", ".join(asked.met) or "nobody"
        raise ValueError(f"the opponents of {result.task} are {rivals}, not {[*result.scores]}")
    least = len(asked.test_rules)
    for rival, decks in result.scores.items():
        if not least <= len(decks) <= asked.n_decks or len(decks) != result.decks:
            raise ValueError(f"{len(decks)} decks against {rival}, {result.decks} against others")
        for k, deck in enumerate(decks):
            seats = asked.rules_of(k).n_players
            if len(deck) != seats or any(len(game) != seats for game in deck):
                raise ValueError(
                    f"a deck against {rival} does not have {seats} scores from {seats} seats"
                )
    if result.training.kind and not asked.tests:
        raise ValueError(
            f"{result.task} has no test rules for agents that are {result.training.kind}"
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


# The tables.


def table_of(results: Sequence[Result], beside: bool = False, held_out: bool = False) -> Rows:
    """Return the table rows for one task; results of the same agent and training share a row.

    With several seeds, a number is the interquartile mean over runs with a bootstrap interval over
    runs and decks. With one seed, it is the run's own number with an interval over decks.

    Parameters
    ----------
    results : sequence of Result
        Results on the same task.
    beside : bool
        Add this project's rows, each with the version that evaluated it. Intervals of those that
        :data:`OLD` marks are over seeds only, and their decision times are missing.
    held_out : bool
        Return the table of the held-out opponents.

    Raises
    ------
    ValueError
        Two results in a row have the same seed, or the results belong to different tasks.
    """
    (name,) = {result.task for result in results}
    asked = task(name)
    head = ["agent", "decisions", "reward", "seeds", *measures(asked, held_out)]
    groups = _grouped(results)
    rows = [(key[0], _row(asked, runs, groups, key, held_out)) for key, runs in groups.items()]
    rows += _known(asked, held_out) if beside else []
    head += [] if held_out else ["ms a decision", *told_apart(asked)]
    return [head, *(row for _, row in sorted(rows, key=itemgetter(0)))]


def measures(asked: Task, held_out: bool = False) -> list[str]:
    """Return the headings of a task's measures."""
    has_two = all(rules.n_players == 2 for rules in asked.test_rules)
    share = "won" if has_two or not asked.tests else "outscored"
    if held_out:
        return [f"% {share}, `{rival}`" for rival in asked.held_out]
    mixed = ["score", "gap to specialists", "score, adapted"] if asked.tests else []
    rating = ["rating"] if asked.anchors else []
    regret = ["regret"] if asked.endgames else []
    return [*mixed, *rating, *(f"% {share}, `{rival}`" for rival in asked.rivals), *regret]


def told_apart(asked: Task) -> list[str]:
    """Return the headings that say how agents differ, for a task with a rating."""
    return ["track", "shipped weights", "data or teachers"] if asked.anchors else []


def _cells(asked: Task, runs: Sequence[Evidence], held_out: bool) -> list[str]:
    """Return the cells of the rating, the win rates and the regret."""
    rivals = asked.held_out if held_out else asked.rivals
    rating = [rating_in(asked, runs)] if asked.anchors and not held_out else []
    row = [with_interval(one, 0) for one in rating]
    row += [with_interval(_times(shares_in(asked, runs, [one]), 100), 1) for one in rivals]
    if asked.endgames and not held_out:
        is_known = all(REGRETS in run for run in runs)
        row.append(with_interval(regret_in(runs), 3) if is_known else EMPTY)
    return row


def _times(one: Estimate, unit: float) -> Estimate:
    return Estimate(unit * one.value, unit * one.low, unit * one.high)


def measured(
    asked: Task, name: str, budget: int, runs: Sequence[Mapping[str, str]], held_out: bool = False
) -> list[str]:
    """Return the cells under :func:`measures` for rows of our runs of a training method."""
    row, decks = [], evidence(asked, runs)
    if asked.tests:
        own = [float(run["score"]) for run in runs]
        specialists = scores_of(asked, "specialists", name, budget)
        adapted = scores_of(asked, "adapted", name, budget)
        score = told(runs, "score", 100, 1)
        if decks:
            score = with_interval(_times(shares_in(asked, decks, asked.rivals), 100), 1)
        row = [score, _gap(own, specialists), _cell(adapted)]
    if decks:
        return [*row, *_cells(asked, decks, held_out)]
    rivals = asked.held_out if held_out else asked.rivals
    if asked.anchors:  # their rows always have results by deck
        return [EMPTY] * len(measures(asked, held_out))
    row += [told(runs, f"{rival} win_rate", 100, 1) for rival in rivals]
    return [*row, told(runs, "regret", 1, 3)] if asked.endgames and not held_out else row


def evidence(asked: Task, runs: Sequence[Mapping[str, str]]) -> list[Evidence]:
    """Return the results on each deck of our runs, or nothing if those of a run are unknown."""
    known = deck_rows(asked)
    rows = [known.get((run["training"], run["budget"], run["seed"])) for run in runs]
    return [unpacked(asked, row) for row in rows if row] if all(rows) else []


def n_seeds(asked: Task, runs: Sequence[Mapping[str, str]]) -> str:
    """Return the number of our runs in a row, marked if its intervals are over seeds only."""
    is_old = len(runs) > 1 and not evidence(asked, runs)
    return f"{len(runs)} {OLD}" if is_old else f"{len(runs)}"


def _gap(own: Sequence[float], specialists: Sequence[float]) -> str:
    """Return how much higher the specialists' scores are, in percentage points."""
    if not specialists:
        return EMPTY
    best = iqm_interval(specialists).value
    return _cell([best - score for score in own])


def _cell(shares: Sequence[float]) -> str:
    """Return the interquartile mean of several runs in percent; a single run has no interval."""
    if len(shares) < 2:
        return f"{100 * shares[0]:.1f}" if shares else EMPTY
    return with_interval(iqm_interval([100 * share for share in shares]), 1)


def times_and_sources(asked: Task, runs: Sequence[Mapping[str, str]]) -> list[str]:
    """Return the cells of the time for a decision, the track and the sources of our runs."""
    known = deck_rows(asked)
    rows = [known.get((run["training"], run["budget"], run["seed"]), {}) for run in runs]
    times = [float(row["ms"]) for row in rows if "ms" in row]
    ms = sum(times) / len(times) if times else None
    cells = [f"{ms:.2g}" if ms is not None else EMPTY]
    if not asked.anchors:
        return cells
    sources = [rows[0].get(name, EMPTY) for name in ("weights", "data")]
    return [*cells, EMPTY if ms is None else track_of(ms), *sources]


def _known(asked: Task, held_out: bool) -> list[tuple[int, list[str]]]:
    """Return this project's rows with their budgets."""
    learns_from, outside, rows = rewards(), outside_protocol(), []
    for (budget, name), runs in sorted(known_runs(asked).items()):
        versions = ", ".join(sorted({run["carc_env"] for run in runs}))
        decks = min(int(run["decks"]) for run in runs)
        is_whole = decks == asked.n_decks or not asked.rivals
        mark = "" if is_whole else f", {decks} decks only"
        said = [f"{budget:,}" if budget else EMPTY, learns_from.get(name, EMPTY)]
        star = f" {OUTSIDE}" if name in outside else ""
        row = [f"{name}{star} (carc_env {versions}{mark})", *said, n_seeds(asked, runs)]
        row += measured(asked, name, budget, runs, held_out)
        rows.append((budget, row + ([] if held_out else times_and_sources(asked, runs))))
    return rows


Key = tuple[int, str, str, int, str]
"""Budget, agent, reward, number of decks and kind of the results in a row."""


def _grouped(results: Iterable[Result]) -> dict[Key, list[Result]]:
    groups: dict[Key, list[Result]] = {}
    for result in results:
        of = result.training
        key = (of.budget or 0, result.agent, of.reward or "", result.decks, of.kind or "")
        groups.setdefault(key, []).append(result)
    for (_, agent, *_), runs in groups.items():
        seeds = [run.training.seed for run in runs]
        if len(runs) > 1 and (None in seeds or len({*seeds}) < len(seeds)):
            said = ", ".join(map(str, seeds))
            raise ValueError(
                f"runs of {agent} need a seed each, all different (evaluate with --seed, or leave "
                f"one of them out); they have {said}"
            )
    return {key: groups[key] for key in sorted(groups)}


def _row(
    asked: Task,
    runs: Sequence[Result],
    groups: Mapping[Key, Sequence[Result]],
    key: Key,
    held_out: bool,
) -> list[str]:
    first = runs[0]
    marks = [key[-1]] if key[-1] else []
    marks += [] if all(run.is_whole for run in runs) else [f"{first.decks} decks only"]
    row = [first.agent + (f" ({', '.join(marks)})" if marks else ""), EMPTY]
    row += [first.training.reward or EMPTY, str(len(runs))]
    if first.training.budget is not None:
        row[1] = f"{first.training.budget:,}"
    if asked.tests:
        row += _mixed(asked, runs, groups, key)
    row += _cells(asked, [run.by_deck() for run in runs], held_out)
    if held_out:
        return row
    times = [run.ms for run in runs if run.ms is not None]
    ms = sum(times) / len(times) if times else None
    row.append(f"{ms:.2g}" if ms is not None else EMPTY)
    if asked.anchors:
        said = first.training
        row += [EMPTY if ms is None else track_of(ms), said.weights or EMPTY, said.data or EMPTY]
    return row


def _mixed(
    asked: Task, runs: Sequence[Result], groups: Mapping[Key, Sequence[Result]], key: Key
) -> list[str]:
    """Return the score, the gap to specialists and the score after adapting.

    Specialists are the agent's own, if they are among the results, or else our runs of the same
    name, or of :data:`REFERENCE`.
    """
    scores = [run.score for run in runs if run.score is not None]
    decks = [run.by_deck() for run in runs]
    score = with_interval(_times(shares_in(asked, decks, asked.rivals), 100), 1)
    budget, agent, *_, kind = key
    if kind:
        return [score, EMPTY, EMPTY]

    def of_kind(other: Kind) -> Sequence[Result]:
        return groups.get((*key[:-1], other), ())

    adapted = _cell([one.score.value for one in of_kind("adapted") if one.score is not None])
    if own := [run.by_deck() for run in of_kind("specialists")]:
        return [score, with_interval(_times(gap_in(asked, decks, own), 100), 1), adapted]
    known = (scores_of(asked, "specialists", name, budget) for name in (agent, REFERENCE))
    specialists = next(filter(None, known), []) if runs[0].is_whole else []
    return [score, _gap([one.value for one in scores], specialists), adapted]


def by_task(results: Iterable[Result]) -> dict[str, list[Result]]:
    """Return results by task name: the package's tasks in their order, then others."""
    found: dict[str, list[Result]] = {}
    for result in results:
        found.setdefault(result.task, []).append(result)
    return {name: found[name] for name in (*TASKS, *found) if name in found}
