"""Train on the tasks with several seeds, evaluate, and write the tables of results.

    python scripts/results.py                                       train what is missing, write
    python scripts/results.py --only base-greedy-v1 --workers 2
    python scripts/results.py --methods value zero --budgets 1_000_000
    python scripts/results.py --page                                only write pages and figures
    python scripts/results.py --missing                             list what is missing

``configs/experiments/results.yaml`` lists the training methods and their tasks. Each run has the
folder ``runs/results/TASK/METHOD/BUDGET/SEED``. When it ends, its last checkpoint plays the
evaluation of the task. ``docs/results`` keeps scores, costs and curves; docs/results.md and
docs/reference/results.md are written from there. Ctrl-C stops the runs; the same command resumes
them.

A method with a ``kind`` trains an agent for each of the test rules of a task, one after another.
``docs/results/test_rules.csv`` keeps their win rates.

Versions of a task with the same training rules share their runs: a checkpoint of the first version
is evaluated on the other, too. Tables of tasks with a rating contain only what committed code of
this minor version made: other rows are refused.
"""

from __future__ import annotations

import csv
import io
import json
import re
import shlex
import signal
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from typing import Annotated, Any

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # no traceback while modules are loaded

import pydantic
import tyro
import yaml
from carc_env.agents.claim import changing
from carc_env.agents.commands.task import NAME_OF_RULES, RESULT
from carc_env.agents.commands.tournament import console
from carc_env.agents.curve import Row, draw_runs, has_ended, read_csv
from carc_env.agents.deck_rows import REGRETS, SUFFIX, packed
from carc_env.agents.figures import colours_of, png_of
from carc_env.agents.interrupt import Interruption, end_quietly
from carc_env.agents.intervals import Estimate, iqm_interval
from carc_env.agents.known_results import ALL_RUNS, PLAN, UNDER_TEST_RULES, Kind, read_rows
from carc_env.agents.report import EMPTY, Rows, markdown
from carc_env.agents.run_folder import CURVE, LATEST, ORIGIN, TIMES, commit, machine, write_origin
from carc_env.agents.task_results import (
    NONE,
    OUTSIDE,
    Result,
    measured,
    measures,
    n_seeds,
    read_result,
    times_and_sources,
    told_apart,
)
from carc_env.agents.value_learner import VALUE
from write_tables import with_tables

from carc_env import __version__
from carc_env.extras import extras_named
from carc_env.game.records import replace_file
from carc_env.plain_yaml import read_yaml
from carc_env.tasks import TASKS, Task, task

ROOT = Path(__file__).resolve().parents[1]
PAGE, KEPT, PICTURES = ROOT / "docs/results.md", ROOT / "docs/results", ROOT / "docs/images"
DATA = ROOT / "docs/reference/results.md"
"""Where each training ran, and with which version."""
SUMMARY = "tasks.png"
FIGURES = re.compile(r"(<!-- figures of results.py -->\n)(.*?)(<!-- end of figures -->)", re.DOTALL)
RUNS = Path("runs/results")
RECIPES = ROOT / "agents/recipes"
"""Single files, with an option for each setting, which write a log and ``NAME.pt``."""
EVALUATION = "evaluation"
"""Files beside a checkpoint: the games of its evaluation, and their results."""
COSTS = ("seconds", "processor_seconds")
KEY = ("task", "training", "budget", "seed")
"""The columns that identify runs."""
POINTS, EVAL_GAMES, MIXED_EVAL_GAMES = 10, 100, 120
"""Number of evaluations of a run during training, and games of each: a multiple of the number of
seats, also on tasks with several numbers of players."""
INTRODUCTION = """\
# Origin of the results

Machine, commit and version of the training runs on the [results page](../results.md). If a method
has several values, they are in the order of `docs/results/runs.csv`. *With changes* means that the
working tree had uncommitted changes, so the commit alone does not reproduce the run.
`python scripts/results.py` writes this page.
"""


class Training(pydantic.BaseModel, frozen=True, extra="forbid"):
    """A training method, and its tasks."""

    name: Annotated[str, pydantic.Field(pattern=r"^[\w.-]+$")]
    """Its name in tables and paths."""
    about: str
    """Its description in the table of training methods."""
    agent: str = ""
    """The spec of an existing agent: a row for comparison, without training."""
    command: str = ""
    """``carc-env train NAME``, a recipe or a script, and settings; {seed}, {budget} and {task}
    stand for those of the run."""
    reward: str = EMPTY
    """Its reward, in words."""
    kind: Kind | None = None
    """For agents of which each learns under one of the test rules of a task: specialists learn from
    scratch, adapted agents go on from the network of ``of`` with the same budget and seed."""
    of: str = ""
    """For such agents, the training in whose rows they are shown."""
    after: str = ""
    """The task and the training method, as TASK/TRAINING, whose run of the same budget and seed
    comes first; {after} in the command stands for its last checkpoint."""
    is_outside: bool = False
    """Whether it learns from games of an evaluation opponent, which the tasks do not allow."""
    decisions_per_step: Annotated[float, pydantic.Field(gt=0)] = 1.0
    """If its steps are games: the number of decisions of one game."""
    total: str = "total-steps"
    """The setting for the number of steps."""
    weights: str = NONE
    """Shipped weights from which it starts, in words; known for agents."""
    data: str = NONE
    """Data sets or teachers from which it learns, in words; known for agents."""
    tasks: dict[str, dict[int, Annotated[int, pydantic.Field(ge=1)]]]
    """The tasks, with the number of runs for each budget in decisions: seeds from 0."""

    @pydantic.field_validator("tasks")
    @classmethod
    def _tasks_exist(cls, tasks: dict[str, dict[int, int]]) -> dict[str, dict[int, int]]:
        for name in tasks:
            task(name)
        return tasks


@dataclass(frozen=True)
class Job:
    """A run of a training method on a task."""

    training: Training
    task: Task
    budget: int
    seed: int
    decks: int | None = None
    """For a trial: use only this many evaluation decks."""
    after: Job | None = None
    """The run that comes before it."""
    test: str = ""
    """The name of the test rules under which it learns, if it is a part of another job."""

    @property
    def key(self) -> dict[str, str]:
        """Its first columns, which identify it."""
        values = self.task.name, self.training.name, f"{self.budget}", f"{self.seed}"
        return dict(zip(KEY, values, strict=True))

    @property
    def points(self) -> int:
        """The number of evaluations during training."""
        return POINTS

    @property
    def eval_games(self) -> int:
        """The number of games of such an evaluation against each opponent."""
        return eval_games(self.task)

    @property
    def folder(self) -> Path:
        """The folder of the training run, which all tasks with this training share."""
        return RUNS.joinpath(*{**self.key, "task": self.task.first.name}.values(), self.test)

    @property
    def evaluated(self) -> Path:
        """The folder of the evaluation."""
        return RUNS.joinpath(*self.key.values(), EVALUATION)

    @property
    def parts(self) -> list[Job]:
        """The runs that it consists of: one for each of the test rules, or itself."""
        if self.test or not self.training.kind:
            return [self]
        return [replace(self, test=name) for name in self.task.tests]

    @property
    def stored(self) -> tuple[Path, dict[str, str]]:
        """The table that keeps its results, and what identifies them there."""
        if not self.training.kind:
            return KEPT / ALL_RUNS, self.key
        kept = {"training": self.training.of, "kind": self.training.kind}
        return KEPT / UNDER_TEST_RULES, self.key | kept

    @property
    def steps(self) -> int:
        """The number of training steps in its budget, or in that of adapting."""
        is_adapted = self.training.kind == "adapted"
        budget = self.task.n_adapting if is_adapted else self.budget
        return round(budget / self.training.decisions_per_step)

    @property
    def is_trained(self) -> bool:
        """Whether the run is complete."""
        if self.training.agent:
            return True
        return all(has_ended(part.evaluations(), self.steps, (), None) for part in self.parts)

    @property
    def recipe(self) -> str:
        """The name of the recipe that trains it, or "" if no recipe does."""
        first = Path(self.training.command.partition(" ")[0])
        return first.stem if (RECIPES / first).is_file() else ""

    @property
    def checkpoint(self) -> str:
        """The name of its last checkpoint."""
        return f"{self.recipe}.pt" if self.recipe else LATEST

    def evaluations(self) -> list[Row]:
        """Return its evaluations during training."""
        if not self.recipe:
            curve: list[Row] = read_csv(self.folder / CURVE)
            return curve
        log = self.folder / "log.jsonl"
        lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
        return [self._row(json.loads(line)) for line in lines]

    def _row(self, logged: Row) -> Row:
        rivals = [name for name in self.task.first.rivals if name in logged]
        rates = {f"{name} win_rate": logged[name] for name in rivals}
        spent = {"processor_seconds": logged["processor_seconds"]}
        return {"steps": logged["decisions"]} | spent | rates

    @property
    def agent(self) -> str:
        """The spec of the trained agent."""
        if self.training.agent:
            return self.training.agent
        folder = self.folder / NAME_OF_RULES if self.training.kind else self.folder
        if (self.parts[0].folder / VALUE).exists():
            return f"value:weights={folder / VALUE}"
        if self.recipe:
            name = f"carc_env.agents.recipes.{self.recipe}"
            return f"{name}:Agent?path={folder / self.checkpoint}"
        return f"{folder / self.checkpoint}"

    def learning(self) -> Iterator[list[str]]:
        """Yield the commands that still have to train it, each when the earlier ones are done."""
        for part in self.parts:
            if not part.is_trained:
                yield part._training()

    def evaluation(self) -> list[str]:
        """Return the command that evaluates it, if it needs one."""
        said = {
            "name": self.training.of or self.training.name,
            "seed": f"{self.seed}",
            "workers": "1",
        }
        said |= {"budget": f"{self.budget}", "reward": self.training.reward}
        said |= {} if self.decks is None else {"decks": f"{self.decks}"}
        said |= {"kind": self.training.kind} if self.training.kind else {}
        if not self.training.agent:
            said |= {"weights": self.training.weights, "data": self.training.data}
        options = [word for name, value in said.items() for word in (f"--{name}", value)]
        command = [sys.executable, "-m", "carc_env", "task", "evaluate", self.task.name, self.agent]
        return [*command, *options, "--folder", f"{self.evaluated}"]

    def _parts(self, command: str) -> tuple[list[str], list[str]]:
        """Return the program and the settings of a command of the plan."""
        names = self.key | (
            {"after": f"{self.after.folder / self.after.checkpoint}"} if self.after else {}
        )
        first, *words = (word.format(**names) for word in shlex.split(command))
        if first == "carc-env":
            return [sys.executable, "-m", "carc_env", *words[:2]], words[2:]
        if self.recipe:
            return [sys.executable, "-m", f"carc_env.agents.recipes.{self.recipe}"], words
        return [sys.executable, f"scripts/{first}"], words

    def _training(self) -> list[str]:
        """Return the command that begins or resumes the training."""
        program, words = self._parts(self.training.command)
        if self.recipe:
            if not (self.folder / ORIGIN).exists():
                self.folder.mkdir(parents=True, exist_ok=True)
                write_origin(self.folder, self.training.command, commit(), machine())
            settings = {"seed": self.seed, "decisions": self.steps, "folder": self.folder}
            settings |= {"eval-every": self.steps // self.points, "eval-games": self.eval_games}
            options = [word for name, value in settings.items() for word in (f"--{name}", value)]
            return [*program, *words, *self._game(), *map(str, options)]
        if (latest := self.folder / LATEST).exists():
            return [*program, f"{latest}"]
        every = f"{max(1, self.steps // self.points)}"
        return [
            *program,
            *words,
            *self._game(),
            *("--seed", f"{self.seed}", "--threads", "1"),
            *(f"--{self.training.total}", f"{self.steps}", "--folder", f"{self.folder}"),
            *("--eval-against", *self.task.first.rivals, "--eval-games", f"{self.eval_games}"),
            *("--eval-every", every, "--checkpoint-every", every),
        ]

    def _game(self) -> tuple[str, str]:
        """Return the option that sets the rules and the opponents."""
        return "--task", f"{self.task.first.name}/{self.test}".removesuffix("/")

    def curve(self) -> list[dict[str, str]]:
        """Return its evaluations, with the cost so far."""
        spent = self.evaluations() if self.recipe else read_csv(self.folder / TIMES)
        times = {row["steps"]: row for row in spent}
        found = []
        for row in self.evaluations():
            evaluated = {name: f"{number:.6g}" for name, number in row.items() if " " in name}
            if evaluated and (spent := times.get(row["steps"])):
                decisions = round(row["steps"] * self.training.decisions_per_step)
                cost = {name: f"{spent[name]:.1f}" for name in COSTS if name in spent}
                key = self.key | {"task": self.task.first.name}
                found.append(key | {"decisions": f"{decisions}"} | cost | evaluated)
        return found

    def summaries(self) -> list[dict[str, str]]:
        """Return the rows of the run: one, or one for each of the test rules.

        Raises
        ------
        ValueError, OSError
            A file of the run is missing or refused.
        """
        result = self.result()
        row = self.stored[1] | {"fingerprint": result.fingerprint, "carc_env": result.carc_env}
        if self.training.agent:
            origin = {"machine": machine(), "commit": commit(), "carc_env": result.carc_env}
        else:
            folders = [part.folder for part in self.parts]
            origin = yaml.safe_load((folders[0] / ORIGIN).read_text(encoding="utf-8"))
            spent = [
                (part.evaluations() if part.recipe else read_csv(part.folder / TIMES))[-1]
                for part in self.parts
            ]
            for name in COSTS:
                if name in spent[0]:
                    row[name] = f"{sum(one[name] for one in spent) / len(spent):.1f}"
        check_origin(self.task, origin, result.carc_env)
        row["decks"] = f"{result.decks}"
        made = {"machine": origin["machine"], "commit": origin["commit"]}
        if self.training.kind:
            rates = {
                name: {f"{rival} win_rate": f"{rate:.4f}" for rival, rate in one.items()}
                for name, one in result.rates().items()
            }
            return [row | {"rules": name} | rates[name] | made for name in rates]
        if result.score is not None:
            row["score"] = f"{result.score.value:.4f}"
        rated = bool(self.task.anchors)  # then the table of results by deck has everything
        for rival, found in () if rated else result.summary().items():
            row |= {f"{rival} win_rate": f"{found.win_rate.value:.4f}"}
            row |= {f"{rival} lead": f"{found.lead.value:.2f}"}
        if result.regret is not None:
            row["regret"] = f"{result.regret.value:.4f}"
        return [row | made]

    def result(self) -> Result:
        """Return the result of its evaluation.

        Raises
        ------
        ValueError, OSError
            The file is missing or refused.
        """
        return read_result(self.evaluated / RESULT)

    def on_decks(self) -> dict[str, str]:
        """Return the row with its result on each deck, its time and its sources."""
        result = self.result()
        said = {"weights": result.training.weights, "data": result.training.data}
        said["ms"] = None if result.ms is None else f"{result.ms:.4g}"
        numbers = {k: v for k, v in result.by_deck().items() if k != REGRETS}
        cells = packed(self.task, numbers, result.regrets)
        told = {name: value for name, value in said.items() if value}
        return self.key | {"fingerprint": result.fingerprint} | told | cells

    def keep(self) -> None:
        """Keep its results, and its curve if no run with the same training has one.

        Raises
        ------
        ValueError
            A row is refused.
        """
        keep(self.stored[0], self.summaries(), self.stored[1])
        if not self.training.kind:
            keep(KEPT / f"{self.task.name}{SUFFIX}", [self.on_decks()], self.key)
        first, curve = self.task.first, self.curve()
        path, key = KEPT / f"{first.name}.csv", self.key | {"task": first.name}
        if curve and (first is self.task or not is_kept(path, key)):
            keep(path, curve, key)


def check_origin(asked: Task, origin: Mapping[str, str], evaluated: str) -> None:
    """Refuse a row for a task with a rating that others could not reproduce.

    Raises
    ------
    ValueError
        The code had uncommitted changes, or is not of this minor version.
    """
    if not asked.anchors:
        return
    made = [origin.get("carc_env", "unknown"), evaluated]
    if any(minor(version) != minor(__version__) for version in made):
        raise ValueError(f"{asked.name} takes rows of carc_env {__version__}, not {made}")
    if "with changes" in origin["commit"] or origin["commit"] == "unknown":
        raise ValueError(
            f"{asked.name} takes rows of committed code only, not of {origin['commit']}: commit "
            "your changes, and train or evaluate again"
        )


def minor(version: str) -> str:
    """Return a version without its last part."""
    return version.rpartition(".")[0]


def eval_games(asked: Task) -> int:
    """Return the number of games of an evaluation during training."""
    return MIXED_EVAL_GAMES if asked.tests else EVAL_GAMES


# Storage.


def keep(path: Path, rows: Sequence[Mapping[str, str]], key: Mapping[str, str]) -> None:
    """Write rows of a run into a table, replacing its earlier ones.

    Several processes may do so at a time.
    """
    with changing(path):
        others = [row for row in read_rows(path) if not row.items() >= key.items()]
        order = (*KEY, "kind", "rules", "setting")
        every = sorted((*others, *rows), key=lambda row: [row.get(name, "") for name in order])
        columns = list(dict.fromkeys(name for row in every for name in row))
        text = io.StringIO()
        writer = csv.DictWriter(text, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(every)
        replace_file(path, text.getvalue().encode())


def is_kept(path: Path, key: Mapping[str, str]) -> bool:
    """Return whether a table has rows of a run."""
    return any(row.items() >= key.items() for row in read_rows(path))


# Running.


def plan() -> list[Training]:
    """Return the training methods of the plan.

    Raises
    ------
    ValueError, OSError
        The file is refused.
    """
    read = read_yaml(PLAN.name, PLAN.read_text(encoding="utf-8"))
    return pydantic.TypeAdapter(list[Training]).validate_python(read)


def jobs_of(trainings: Iterable[Training], decks: int | None = None) -> list[Job]:
    """Return all runs: first seeds first, so that every training method has a number early.

    Raises
    ------
    ValueError
        A training method comes after one that is not in the plan.
    """
    named = {training.name: training for training in trainings}

    def job(training: Training, name: str, budget: int, seed: int) -> Job:
        before, _, other = training.after.partition("/")
        if training.kind == "adapted":
            before, other = name, training.of
        if before and other not in named:
            raise ValueError(
                f"{PLAN.name}: {training.name} comes after {other!r}: no such training"
            )
        if training.kind and not task(name).tests:
            raise ValueError(f"{PLAN.name}: {name} has no test rules for {training.name}")
        after = job(named[other], before, budget, seed) if before else None
        return Job(training, task(name), budget, seed, decks, after)

    found = [
        job(training, name, budget, seed)
        for training in named.values()
        for name, budgets in training.tasks.items()
        for budget, seeds in budgets.items()
        for seed in range(seeds)
    ]
    return sorted(found, key=lambda job: job.seed)


def carry_out(job: Job, stop: Interruption, at_work: Mapping[Path, Lock]) -> str:
    """Train it and let it play the evaluation of its task; return what went wrong, in words."""
    if stop.wanted:
        return ""  # a run that has not begun leaves no folder, which would name this commit
    log = RUNS / "logs" / ("-".join(job.key.values()) + ".txt")
    log.parent.mkdir(parents=True, exist_ok=True)

    def do(command: Sequence[str]) -> None:
        with log.open("a", encoding="utf-8") as told:
            told.write(f"$ {shlex.join(command)}\n")
            told.flush()
            subprocess.run(command, cwd=ROOT, stdout=told, stderr=told, check=True)

    try:
        for one in (job.after, job) if job.after else (job,):
            with at_work[one.folder]:
                for command in one.learning():
                    if stop.wanted:
                        return ""
                    do(command)
        if not stop.wanted and (command := job.evaluation()):
            check_origin(job.task, {"commit": commit(), "carc_env": __version__}, __version__)
            do(command)
    except ValueError as error:
        return f"{error}"
    except subprocess.CalledProcessError as error:
        return "" if stop.wanted else f"{shlex.join(error.cmd)} failed: see {log}"
    return ""


def run(jobs: Iterable[Job], workers: int) -> int:
    """Carry out missing runs; return the exit status."""
    problems = []
    at_work: dict[Path, Lock] = defaultdict(Lock)
    with Interruption() as stop, ThreadPoolExecutor(workers) as pool:
        at = {pool.submit(carry_out, job, stop, at_work): job for job in jobs}
        for done in as_completed(at):
            job, problem = at[done], done.result()
            if problem:
                problems.append(problem)
                console.print(f"error: {problem}", markup=False)
            elif not stop.wanted:
                try:
                    job.keep()
                except ValueError as error:
                    problems.append(f"{error}")
                    console.print(f"error: {error}", markup=False)
                    continue
                console.print(f"Done: {' '.join(job.key.values())}")
    return stop.status or bool(problems)


# The page.


def page_of(text: str, trainings: Sequence[Training], rows: Sequence[dict[str, str]]) -> str:
    """Return the page with the tables between its comments."""
    about: Rows = [["method", "what it is", "learns from", "command"]]
    about += [
        [_marked(t), t.about, t.reward, _told_command(t) if t.command else EMPTY] for t in trainings
    ]
    parts = [markdown(about)]
    for name, asked in TASKS.items():
        own = [row for row in rows if row["task"] == name]
        if own:
            parts.append(f"## {name}\n\n{asked.title}; fingerprint `{asked.fingerprint}`.\n")
            parts.append(markdown(table_of(asked, trainings, own)))
            if (KEPT / f"{name}.csv").exists():
                parts.append(f"![Win rates over decisions](images/results-{name}.png)\n")
            if asked.held_out:
                parts.append("Held-out opponents:\n")
                parts.append(markdown(table_of(asked, trainings, own, held_out=True)))
    page = FIGURES.sub(lambda found: found[1] + "\n".join(parts) + found[3], text)
    return with_tables(page, "results")


def data_of(trainings: Sequence[Training], rows: Sequence[dict[str, str]]) -> str:
    """Return the page of origins."""
    origins: Rows = [["method", "machine", "commit", "carc_env"]]
    for training in trainings:
        if own := [row for row in rows if row["training"] == training.name]:
            said = (dict.fromkeys(row[k] for row in own) for k in ("machine", "commit", "carc_env"))
            origins.append([training.name, *(", ".join(one) for one in said)])
    return f"{INTRODUCTION}\n{markdown(origins)}"


def _marked(training: Training) -> str:
    return f"{training.name} {OUTSIDE}" if training.is_outside else training.name


def _told_command(training: Training) -> str:
    command = training.command.replace("{after}", "CHECKPOINT")
    first, space, rest = command.partition(" ")
    if (RECIPES / first).is_file():
        return f"`python -m carc_env.agents.recipes.{Path(first).stem}{space}{rest}`"
    return f"`{command}`" if command.startswith("carc-env") else f"`python scripts/{command}`"


def table_of(
    asked: Task,
    trainings: Sequence[Training],
    rows: Sequence[dict[str, str]],
    held_out: bool = False,
) -> Rows:
    """Return the rows of a task: runs that differ only by their seeds are one."""
    cost = ["processor seconds", "decisions a second"]
    head = ["method", "decisions", "seeds", *([] if held_out else cost)]
    last = ["ms a decision", *told_apart(asked)] if asked.anchors and not held_out else []
    table: Rows = [[*head, *measures(asked, held_out), *last]]
    order = {training.name: k for k, training in enumerate(trainings)}
    marked = {training.name: _marked(training) for training in trainings}
    groups: dict[tuple[int, str], list[dict[str, str]]] = {}
    for row in rows:
        groups.setdefault((int(row["budget"]), row["training"]), []).append(row)
    for budget, name in sorted(groups, key=lambda at: (at[0], order.get(at[1], len(order)))):
        runs = groups[budget, name]
        seconds = [float(row.get("processor_seconds", 0)) for row in runs]
        decks = min(int(row["decks"]) for row in runs)
        is_whole = decks == asked.n_decks or not asked.rivals
        mark = "" if is_whole else f" ({decks} decks only)"
        line = [
            marked.get(name, name) + mark,
            f"{budget:,}",
            n_seeds(asked, runs),
            f"{sum(seconds) / len(runs):,.0f}",
            f"{budget * len(runs) / max(sum(seconds), 1e-9):,.0f}",
        ]
        if not budget:
            line[1:] = [EMPTY] * 4
        line = line[: len(head)] + measured(asked, name, budget, runs, held_out)
        table.append(line + (times_and_sources(asked, runs) if last else []))
    return table


def draw(asked: Task, rows: Sequence[Mapping[str, str]]) -> None:
    """Draw the curves of a task; each budget of a training method is a separate line."""
    curves: dict[tuple[str, str], dict[str, list[Row]]] = {}
    for row in rows:
        seeds = curves.setdefault((row["training"], row["budget"]), {})
        rates = {name: float(value) for name, value in row.items() if name not in KEY}
        seeds.setdefault(row["seed"], []).append({**rates, "steps": rates["decisions"]})
    runs = [(name, [*seeds.values()]) for (name, _), seeds in curves.items()]
    rivals = [rival for rival in asked.rivals if rival != "random"]
    note = f"Each evaluation: {eval_games(asked)} games against each opponent."
    draw_runs(PICTURES / f"results-{asked.name}.png", runs, rivals, "decisions", note)


def draw_summary(path: Path, trainings: Sequence[Training], rows: Sequence[dict[str, str]]) -> None:
    """Draw the win rates of all agents against ``greedy`` and ``value``, a panel for each task.

    Only tasks without a rating and runs with the smaller budget are shown.
    """
    with extras_named():
        from matplotlib.figure import Figure

    shown: dict[str, dict[str, list[dict[str, str]]]] = {}
    for row in rows:
        asked = TASKS[row["task"]]
        is_rival = row["training"] in ("random", "greedy")
        is_shown = "greedy" in asked.rivals and not asked.anchors  # ratings have no ceiling
        if int(row["budget"]) <= min(asked.budgets) and not is_rival and is_shown:
            shown.setdefault(asked.name, {}).setdefault(row["training"], []).append(row)
    names = [name for name in TASKS if name in shown]
    outside = {training.name for training in trainings if training.is_outside}
    columns = -(-len(names) // 2)
    heights = [
        max(len(shown[name]) for name in part) + 1 for part in (names[:columns], names[-columns:])
    ]
    figure = Figure(figsize=(max(10, 3 * columns), 1.8 + 0.25 * sum(heights)), layout="constrained")
    panels = figure.subplots(2, columns, sharex=True, height_ratios=heights).flat
    for axes, name in zip(panels, names, strict=False):
        runs = shown[name]

        def rate(training: str, runs: Mapping[str, list[dict[str, str]]] = runs) -> Estimate:
            return iqm_interval([100 * float(row["greedy win_rate"]) for row in runs[training]])

        order = sorted(runs, key=lambda training: rate(training).value)
        for y, (training, colour) in enumerate(colours_of(order).items()):
            for rival, marker in (("greedy", "o"), ("value", "s")):
                found = [100 * float(row[f"{rival} win_rate"]) for row in runs[training]]
                share = iqm_interval(found)
                error = [[share.value - share.low], [share.high - share.value]]
                face = colour if rival == "greedy" else "white"
                bar = axes.errorbar(share.value, y, xerr=error, capsize=2, color=colour)
                bar[0].set(marker=marker, markerfacecolor=face, markersize=6)
        equal = 2 if TASKS[name].tests else TASKS[name].env_rules.n_players
        axes.axvline(100 / equal, color="0.6", linewidth=1)
        labels = [f"{training} *" if training in outside else training for training in order]
        axes.set(title=name, yticks=range(len(order)), yticklabels=labels, xlim=(-3, 103))
        axes.set_xlabel("% won", fontsize=8)
        axes.set_ylim(-0.6, len(order) - 0.4)
        axes.tick_params(labelbottom=True, labelsize=8)
        axes.title.set_fontsize(10)
        axes.grid(axis="x", alpha=0.3)
    figure.supxlabel(
        "% won against greedy (filled circle) and value (open square) after 1 million decisions.\n"
        "Mark: interquartile mean over runs; bar: 95% bootstrap interval over runs. "
        "Grey line: equal strength. Agents without training: one evaluation. "
        "*: learned from games of value.",
        fontsize=8,
    )
    replace_file(path, png_of(figure, dpi=120))


def write(trainings: Sequence[Training]) -> None:
    """Write the page and the pictures from the stored results."""
    for name, asked in TASKS.items():
        if curves := read_rows(KEPT / f"{name}.csv"):
            draw(asked, curves)
    with changing(PAGE):  # or a page without the last runs could replace one that has them
        rows = read_rows(KEPT / ALL_RUNS)
        text = PAGE.read_text(encoding="utf-8")
        replace_file(PAGE, page_of(text, trainings, rows).encode())
        replace_file(DATA, data_of(trainings, rows).encode())
    if rows:
        draw_summary(PICTURES / SUMMARY, trainings, rows)
    console.print(f"Written: {PAGE}, {DATA}, {KEPT}")


def are_chosen(*options: tuple[Sequence[Any], Any]) -> bool:
    """Return whether each value is among those of its option; an empty option allows all."""
    return all(not chosen or value in chosen for chosen, value in options)


@dataclass(frozen=True)
class Arguments:
    """Train, evaluate, and write the page."""

    only: tuple[str, ...] = ()
    """Only these tasks."""
    methods: tuple[str, ...] = ()
    """Only these training methods."""
    budgets: tuple[int, ...] = ()
    """Only these budgets."""
    seeds: tuple[int, ...] = ()
    """Only these seeds."""
    decks: int | None = None
    """For a trial: use only this many decks of each evaluation; the page notes it."""
    workers: int = 1
    """Runs in parallel, each on one thread."""
    missing: bool = False
    """Print what is missing, and do nothing."""
    page: bool = False
    """Write the page from stored results, and train nothing."""

    def wants(self, job: Job) -> bool:
        """Return whether a run is among those asked for."""
        return are_chosen(
            (self.only, job.task.name),
            (self.methods, job.training.name),
            (self.budgets, job.budget),
            (self.seeds, job.seed),
        )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    given = tyro.cli(Arguments, args=arguments, description=__doc__)
    try:
        trainings = plan()
        jobs = [
            job
            for job in jobs_of(trainings, given.decks)
            if given.wants(job) and not is_kept(*job.stored)
        ]
        if given.missing:
            for job in jobs:
                console.print(*job.key.values())
            return 0
        status = 0 if given.page else run(jobs, given.workers)
        write(trainings)
    except (ValueError, OSError) as error:
        console.print(f"error: {error}", markup=False)
        return 1
    return status


if __name__ == "__main__":
    end_quietly()
    sys.exit(main())
