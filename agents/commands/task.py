"""Tasks: list them, evaluate an agent on one, and tabulate results.

    carc-env task list
    carc-env task show base-greedy-v1
    carc-env task evaluate base-greedy-v1 "ppo.py:Agent?path=ppo.pt" --name PPO
    carc-env task evaluate short-greedy-v1 my_bots:Bold --name Bold --decks 100
    carc-env task count base-greedy-v1 games.jsonl    games played elsewhere
    carc-env task check runs/tasks/*/*/result.json
    carc-env task table runs/tasks/*/*/result.json
    carc-env task table FILE ... --beside    with this project's rows
    carc-env task freeze my.yaml             make a task of your own

An agent is a name with options, a checkpoint, ``package.module:Class?option=3``, a name registered
by an installed package, or a program in any language: docs/tasks.md. The same command continues an
interrupted evaluation.

If you have an agent for each of the test rules of a mix- task, write {rules} for their name:

    carc-env task evaluate mix-players-v1 "my.py:{rules}" --kind specialists
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Annotated, Any, TypeVar

import tyro

import carc_env
from carc_env import own_tasks
from carc_env.arguments import UserPath
from carc_env.envs.distributions import RulesDistribution
from carc_env.files import read_text
from carc_env.game.records import replace_file
from carc_env.plain_json import read_json
from carc_env.rules import Rules
from carc_env.seeds import Stream
from carc_env.tasks import FILE_SUFFIX, TASKS, Task, frozen_of_own, task

from ..arena import Arena
from ..foreign_games import checked_games
from ..interrupt import Interruption
from ..known_results import Kind
from ..regret import Answer, Questions
from ..report import markdown, rich_table
from ..task_results import (
    MARKS,
    SOURCES,
    Result,
    Training,
    by_task,
    check_result,
    read_result,
    table_of,
    write_result,
)
from ..text_results import is_text_result, read_text_result
from ..tournament import Tournament, make_players
from ..workers import spread
from .program import read_subcommand
from .text import report_of
from .tournament import Machines, carry_out, console, play, progress

T = TypeVar("T")
RESULT = "result.json"
"""Name of the result file in an evaluation's folder."""
NAME_OF_RULES = "{rules}"
"""The part of an agent spec that stands for the name of the test rules."""


@dataclass(frozen=True)
class Said:
    """Information from an agent's author."""

    name: str | None = None
    """The agent's name in tables. Default: its spec."""
    seed: int | None = None
    """Seed of the training run; runs of the same agent need different seeds."""
    budget: int | None = None
    """Number of decisions that the agent learned from: 1000000 or 10000000 in our tasks."""
    reward: str | None = None
    """Reward during training."""
    notes: str | None = None
    """Anything else that readers of the result should know."""
    kind: Kind | None = None
    """Agents that learned under test rules: specialists learned from scratch under these rules
    only, adapted agents went on under them after their training."""
    weights: str | None = None
    """Shipped weights that the agent plays with or started from, or none. Known for built-in
    agents."""
    data: str | None = None
    """Data sets or teachers that it learned from, or none. Known for built-in agents."""

    def after(self, before: Result | None) -> Said:
        """Return a copy with missing values filled in from an earlier result."""
        if before is None:
            return self
        there = {"name": before.agent, **asdict(before.training)}
        return Said(**{k: there[k] if v is None else v for k, v in asdict(self).items()})

    @property
    def training(self) -> Training:
        """The information about training, without the name."""
        told = {k: v for k, v in asdict(self).items() if k not in ("name", "notes")}
        return Training(notes=self.notes or "", **told)

    def of_built_in(self, agent: str) -> Said:
        """Return a copy with the sources of a built-in agent, unless they are given."""
        name, _, options = agent.partition(":")
        if name not in SOURCES or "evaluation=" in options or "weights=" in options:
            return self
        weights, data = SOURCES[name]
        return replace(self, weights=self.weights or weights, data=self.data or data)


@dataclass(frozen=True)
class List:
    """List all tasks."""

    def run(self) -> int:
        """Print all tasks; return the exit status."""
        rows = [["task", "fingerprint", "description"]]
        rows += [[name, one.fingerprint, one.title.replace("`", "")] for name, one in TASKS.items()]
        console.print(rich_table(rows, justify="left"))
        return 0


@dataclass(frozen=True)
class Show:
    """Show all details of a task."""

    task: Annotated[str, tyro.conf.Positional]
    """Name of the task, as shown by carc-env task list, or the file of a task of your own."""

    def run(self) -> int:
        """Print it; return the exit status."""
        asked = task(self.task)
        rows = [["", asked.id], ["fingerprint", asked.fingerprint]]
        told = {one.name: getattr(asked, one.name) for one in fields(asked) if one.name != "name"}
        told["title"] = asked.title.replace("`", "")
        for name, rules in told.pop("tests").items():
            told[f"test: {name}"] = rules
        rows += [[name, _in_words(value)] for name, value in told.items()]
        console.print(rich_table(rows, justify="left"))
        return 0


def _in_words(value: object) -> str:
    if isinstance(value, frozenset):  # a combination of expansions
        return " + ".join(sorted(value))
    if isinstance(value, set):
        return _in_words(sorted(map(_in_words, value)))
    if isinstance(value, tuple | list):
        return ", ".join(map(_in_words, value)) or "-"
    if isinstance(value, Rules):
        return value.plain.to_yaml()
    if isinstance(value, Mapping):
        return "; ".join(f"{name}: {_in_words(one)}" for name, one in value.items()) or "-"
    if isinstance(value, RulesDistribution):
        told = {k: v for k, v in vars(value).items() if k[0] != "_" and k != "layout"}
        told |= {"parts": (*told["parts"],)} if "parts" in told else {}
        return "\n".join([type(value).__name__, *(f"{k}: {_in_words(v)}" for k, v in told.items())])
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return f"{value:,}" if is_number else "-" if value is None else str(value)


@dataclass(frozen=True)
class Evaluate:
    """Evaluate an agent on a task, and write the result file."""

    task: Annotated[str, tyro.conf.Positional]
    """Name of the task, as shown by carc-env task list, or the file of a task of your own."""
    agent: Annotated[str, tyro.conf.Positional]
    """Agent to evaluate."""
    said: Annotated[Said, tyro.conf.arg(name="author")] = field(default_factory=Said)
    """Information from the agent's author."""
    decks: int | None = None
    """Use only this many decks per opponent, of all test rules together, and endgames; the result
    records this."""
    folder: UserPath | None = None
    """Folder for the games and the result. Default: runs/tasks/TASK/NAME-SEED, with
    -specialists or -adapted for such agents."""
    machines: Machines = field(default_factory=Machines)
    """Machines that play the games."""

    def run(self) -> int:
        """Play; return the exit status.

        Raises
        ------
        ValueError, OSError, ImportError, WorkerError
            The task or the agent is unknown or refused, or an agent or a worker failed.
        """
        asked = task(self.task)
        if asked.is_own:
            own_tasks.check(asked)
        least = len(asked.test_rules)
        if self.decks is not None and not least <= self.decks <= asked.n_decks:
            raise ValueError(f"--decks must be {least} to {asked.n_decks:,}, got {self.decks}")
        folder = self.folder or folder_of(asked, self.said, self.agent)
        said = self.said.after(there_of(folder / RESULT, self.agent)).of_built_in(self.agent)
        if NAME_OF_RULES in self.agent and not (asked.tests and said.kind):
            raise ValueError(
                f"{NAME_OF_RULES} names an agent for each of the test rules of a mix- task: add "
                "--kind specialists or --kind adapted"
            )
        n_decks = asked.n_decks if self.decks is None else self.decks
        tournaments, status = meetings(asked, self.agent, n_decks) if asked.rivals else {}, 0
        for name, tournament in tournaments.items():
            if not status:
                status = play(tournament, self.machines, folder / name)
        answers: list[Answer] = []
        stopped = 0
        if asked.endgames is not None and not status:
            answers, stopped = answers_of(asked, self.agent, self.decks, self.machines)
        if status or stopped:
            console.print("Interrupted: run the same command again to continue.")
            return status or stopped
        result = result_of(asked, self.agent, said, [*tournaments.values()], answers)
        folder.mkdir(parents=True, exist_ok=True)
        finish(result, folder / RESULT)
        return 0


def folder_of(asked: Task, said: Said, agent: str) -> Path:
    """Return the default folder for an agent's evaluation: two levels below ``runs/tasks``."""
    plain = re.sub(r"[^\w.-]+", "-", said.name or agent).strip("-.") or "agent"
    parts = [plain, *(f"{part}" for part in (said.seed, said.kind) if part is not None)]
    return Path("runs/tasks") / asked.name.replace("/", "--") / "-".join(parts)


def there_of(path: Path, word: str) -> Result | None:
    """Return the agent's earlier result that a new one will replace, if any.

    Raises
    ------
    ValueError
        The file belongs to another agent or is not a result.
    OSError
        The file cannot be read.
    """
    there = read_result(path) if path.exists() else None
    if there is not None and there.word != word:
        raise ValueError(
            f"{path} is the result of {there.word}: take another --name, --seed or --folder"
        )
    return there


def meetings(asked: Task, agent: str, n_decks: int) -> dict[str, Tournament]:
    """Return unplayed tournaments of an agent against a task's opponents, by test rules.

    The rules of a task without test rules have the name "".

    Raises
    ------
    ValueError, ImportError
        The agent is unknown or refused.
    """
    found, n = {}, len(asked.test_rules)
    for k, (name, rules) in enumerate(zip(asked.tests or [""], asked.test_rules, strict=True)):
        own, others = agent.replace(NAME_OF_RULES, name), rules.n_players - 1
        players = make_players(dict.fromkeys((own, *asked.met)), rules)
        arena = Arena(players, rules, asked.number, stream=Stream.TASKS)
        line_ups = [(own, *[rival] * others) for rival in asked.met]
        found[name] = Tournament(arena, line_ups, len(range(k, n_decks, n)))
    return found


def answers_of(
    asked: Task, agent: str, n: int | None, machines: Machines
) -> tuple[list[Answer], int]:
    """Ask an agent about a task's first endgames; return its answers and the exit status.

    Raises
    ------
    ValueError, ImportError, WorkerError
        The agent is refused, or the agent or a worker failed.
    """
    solved = asked.solved()
    assert solved is not None
    players = make_players([agent], asked.env_rules)
    n = min(len(solved.endgames), n or len(solved.endgames))
    questions = Questions(solved, players, ranks=False)
    answers: list[Answer] = []
    todo = questions.tasks(n)
    n_workers = min(machines.workers, len(todo))
    with Interruption() as stop, progress() as bar:
        shown = bar.add_task("endgames", total=n)
        parts = (part for part in todo if not stop.wanted)
        for done in spread(questions.ask, parts, n_workers, threads=machines.threads):
            answers += done
            bar.update(shown, advance=len(done))
    return sorted(answers, key=lambda answer: answer.place), stop.status


def result_of(
    asked: Task,
    agent: str,
    said: Said,
    tournaments: Sequence[Tournament],
    answers: Sequence[Answer],
) -> Result:
    """Return the result of the games played."""
    played = [deck for tournament in tournaments for deck in tournament.played]
    decisions = sum(deck.decisions[0] for deck in played)
    mean = sum(deck.seconds[0] for deck in played) / max(1, decisions)
    return Result(
        task=asked.name,
        fingerprint=asked.fingerprint,
        carc_env=carc_env.__version__,
        agent=said.name or agent,
        word=agent,
        training=said.training,
        scores={
            rival: in_turn([_decks(one, k) for one in tournaments])
            for k, rival in enumerate(asked.met)
        },
        regrets=[round(answer.regret, 9) for answer in answers],
        ms=round(1000 * (mean if played else answers[0].seconds), 4),
        definition=definition_of(asked),
    )


def definition_of(asked: Task) -> dict[str, Any] | None:
    """Return the frozen data of a task of your own, which its results contain."""
    return frozen_of_own(asked.name) if asked.is_own else None


def _decks(tournament: Tournament, k: int) -> list[list[list[int]]]:
    """Return the scores of a tournament's line-up number k, by deck."""
    line_up = tournament.line_ups[k]
    return [deck.scores for deck in tournament.played if deck.line_up == line_up]


def in_turn(parts: Sequence[Sequence[T]]) -> list[T]:
    """Return the first element of each part, then the second of each, and so on."""
    longest = max(map(len, parts))
    return [part[k] for k in range(longest) for part in parts if k < len(part)]


def finish(result: Result, path: Path) -> None:
    """Write a result file and print the result's table row."""
    check_result(result)
    write_result(path, result)
    print("\n".join(tables_of([result])))
    console.print(f"Written: {path}. For a table of several: carc-env task table FILE ...")


@dataclass(frozen=True)
class Count:
    """Check games that were played elsewhere, and write the result file."""

    task: Annotated[str, tyro.conf.Positional]
    """Name of the task, as shown by carc-env task list, or the file of a task of your own."""
    games: Annotated[UserPath, tyro.conf.Positional]
    """File with one line of JSON per game: docs/tasks.md."""
    said: Annotated[Said, tyro.conf.arg(name="author")] = field(default_factory=Said)
    """Information from the agent's author."""
    folder: UserPath | None = None
    """Folder for the result. Default: runs/tasks/TASK/NAME-SEED, with
    -specialists or -adapted for such agents."""

    def run(self) -> int:
        """Check all games; return the exit status.

        Raises
        ------
        ValueError, OSError
            The task is unknown, or a game is refused or missing.
        """
        asked = task(self.task)
        if not asked.rivals:
            raise ValueError(f"{asked.name} has only endgames: there are no games to count")
        folder = self.folder or folder_of(asked, self.said, self.games.stem)
        said = self.said.after(there_of(folder / RESULT, self.games.name))
        scores = checked_games(asked, io.StringIO(read_text(self.games)))
        folder.mkdir(parents=True, exist_ok=True)
        result = Result(
            task=asked.name,
            fingerprint=asked.fingerprint,
            carc_env=carc_env.__version__,
            agent=said.name or self.games.stem,
            word=self.games.name,
            training=said.training,
            scores=scores,
            regrets=[],
            ms=None,
            definition=definition_of(asked),
        )
        finish(result, folder / RESULT)
        return 0


@dataclass(frozen=True)
class Check:
    """Check that results belong to their tasks and follow from what was played."""

    results: Annotated[tuple[UserPath, ...], tyro.conf.Positional]
    """Result files of tasks, or of tasks for language models, or files of tasks of your own."""

    def run(self) -> int:
        """Print each result; return the exit status.

        Raises
        ------
        ValueError, OSError
            A file is refused.
        """
        for path in _given(self.results):
            values = read_json(str(path), path.read_bytes())
            if is_text_result(values):
                print(report_of(read_text_result(path)))
            elif own_tasks.is_task(values):
                asked = own_tasks.read(path)
                own_tasks.check(asked)
                print(f"{asked.name}, {asked.fingerprint}: the task is what it was.")
            else:
                result = read_result(path)
                print("\n".join(tables_of([result])))
                how = "whole" if result.is_whole else f"{result.decks} decks only"
                print(f"{path}: its numbers follow from its scores; the evaluation is {how}.")
                budget, budgets = result.training.budget, task(result.task).budgets
                if budget and budget not in budgets:
                    said = " or ".join(f"{n:,}" for n in budgets)
                    print(f"It is not comparable: {budget:,} decisions, and the task has {said}.")
        return 0


@dataclass(frozen=True)
class Table:
    """Make Markdown tables of results, with a section per task."""

    results: Annotated[tuple[UserPath, ...], tyro.conf.Positional]
    """Result files."""
    beside: bool = False
    """Add this project's results on the same tasks, as shown in docs/results.md."""

    def run(self) -> int:
        """Print it; return the exit status.

        Raises
        ------
        ValueError, OSError
            A file is refused.
        """
        results = [read_result(path) for path in _given(self.results)]
        print("\n".join(tables_of(results, self.beside)))
        return 0


def _given(paths: Sequence[Path]) -> Sequence[Path]:
    if not paths:
        raise ValueError("give the files of results: runs/tasks/*/*/result.json")
    return paths


def tables_of(results: Sequence[Result], beside: bool = False) -> list[str]:
    """Return a section per task: its name, fingerprint and tables (:func:`table_of`)."""
    found = []
    for name, runs in by_task(results).items():
        asked = task(name)
        table = markdown(table_of(runs, beside))
        found.append(f"{asked.title}: `{name}`, {asked.fingerprint}.\n\n{table}")
        if asked.held_out:
            table = markdown(table_of(runs, beside, held_out=True))
            found.append(f"Held-out opponents of `{name}`:\n\n{table}")
    return found + [f"{mark}: {said}." for mark, said in MARKS.items() if mark in "".join(found)]


@dataclass(frozen=True)
class Freeze:
    """Freeze a task of your own: write a file that all commands accept."""

    task: Annotated[UserPath, tyro.conf.Positional]
    """YAML file: docs/tasks.md."""
    to: UserPath | None = None
    """File to write. Default: the same name with .json."""

    def run(self) -> int:
        """Write the file; return the exit status.

        Raises
        ------
        ValueError, OSError
            The task is refused, or the file has another version of it.
        """
        path = self.to or self.task.with_suffix(FILE_SUFFIX)
        if path.suffix != FILE_SUFFIX:
            raise ValueError(f"the file of a task must end with {FILE_SUFFIX}, got {path}")
        frozen = own_tasks.freeze(self.task)
        if path.exists():
            there = own_tasks.read(path)
            if there.fingerprint != frozen["fingerprint"]:
                raise ValueError(
                    f"{path} is {there.name} with the fingerprint {there.fingerprint}. A published "
                    "task never changes: give the new one another name and file, or delete "
                    "this file if nobody has used it"
                )
        replace_file(path, (json.dumps(frozen, indent=1) + "\n").encode())
        asked = own_tasks.read(path)
        console.print(f"Written: {path}, with {asked.name}, {asked.fingerprint}", markup=False)
        return 0


COMMANDS = {"list": List, "show": Show, "evaluate": Evaluate, "count": Count, "check": Check}
COMMANDS |= {"table": Table, "freeze": Freeze}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    given = read_subcommand(COMMANDS, arguments, "task", __doc__)
    if given is None:
        return 2
    agents = (given.agent,) if isinstance(given, Evaluate) else ()
    problem = given.machines.problem if isinstance(given, Evaluate) else None
    return carry_out(problem, agents, given.run)
