"""Play a tournament: round robin or gauntlet, 2 to 6 seats, every deck from every seat.

    carc-env tournament random greedy imitation
    carc-env tournament my_bots:Bold?nerve=3 greedy random --form gauntlet
    carc-env tournament greedy random --seats 4         each alone against three
    carc-env tournament my.py:Agent value --sprt 0 10 --decks 20000  until clear
    carc-env tournament greedy random --ray --address HOST:PORT   on a cluster

An agent is a name with options, a checkpoint, or ``package.module:Class?option=3``: docs/ladder.md.
Games are saved in ``--folder``, deck by deck. After any interruption, the same command continues
with the missing games; you can also add ``--decks`` or agents.
"""

from __future__ import annotations

import json
import os
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Annotated

import tyro
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    ProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)

from carc_env.arguments import UserPath
from carc_env.envs.distributions import read_rules
from carc_env.envs.opponents import ContractError
from carc_env.extras import check_installed
from carc_env.game.archive import Archive
from carc_env.game.records import replace_file
from carc_env.rules import Rules

from .. import workers
from ..arena import AgentError, Arena, Played, RulesOfDecks, keep_records, seats_of
from ..claim import claimed
from ..cpu import prepare_cpu
from ..interrupt import Interruption
from ..report import (
    Report,
    draw_crosstable,
    markdown,
    new_console,
    pages,
    report_of,
    rich_table,
    sprt_words,
)
from ..sprt import Sprt
from ..tournament import (
    Form,
    GameFile,
    Spread,
    Tournament,
    heading,
    line_ups,
    make_players,
)
from .bar import Bar
from .program import read_arguments

console = new_console()
GAMES, REPORT, TABLES, PICTURE = "games.jsonl", "report.json", "report.markdown", "crosstable.png"
AGENTS = tyro.conf.arg(metavar="AGENT ...", help_behavior_hint="")
FAILURES = (ValueError, OSError, ImportError, workers.WorkerError)


@dataclass(frozen=True)
class Machines:
    """Machines that play the games."""

    workers: int = os.cpu_count() or 1
    """Processes on this machine; the results do not depend on their number."""
    threads: int = 1
    """Torch CPU threads per process; with --ray, CPUs per task."""
    ray: bool = False
    """Distribute the games over a Ray cluster."""
    address: str | None = None
    """Address of the cluster as host:port, or auto. Default: a local Ray on this machine."""

    @property
    def problem(self) -> str | None:
        """The problem with these options, in words; None if there is none."""
        if self.address is not None and not self.ray:
            return "--address is that of a Ray cluster: add --ray"
        for name in ("workers", "threads"):
            if getattr(self, name) < 1:
                return f"--{name} must be at least 1, got {getattr(self, name)}"
        return None

    @contextmanager
    def spread(self, n_tasks: int) -> Iterator[Spread]:
        """Provide a function that does the tasks, for the duration of a ``with`` block."""
        threads = self.threads if "torch" in sys.modules else 1  # an agent has imported it
        if not self.ray:
            n = max(1, min(self.workers, n_tasks))
            yield partial(workers.spread, n_workers=n, threads=threads)
            return
        from .. import cluster  # compiles the kernels for training games

        with cluster.connected(self.address, n_cpus=threads, on_one=threads):
            yield partial(cluster.spread, threads=threads)


@dataclass(frozen=True)
class Arguments:
    """Play a tournament between agents."""

    agents: Annotated[tuple[str, ...], tyro.conf.Positional, AGENTS]
    """Agents: names, checkpoints, or package.module:Class?option=3."""
    form: Form = "round-robin"
    """All pairs; the first agent against each of the others; or all agents at one table."""
    decks: int = 100
    """Decks per pairing, each played from every seat."""
    seats: int | None = None
    """Players per game; with more than two, one agent meets copies of another.

    Default: as in the rules.
    """
    seed: int = 0
    """Seed that shuffles the decks."""
    rules: str | None = None
    """A preset such as "all", YAML such as "{preset: all, n_players: 3}", or a distribution.

    Default: those of the first checkpoint, or the base game for two.
    """
    sprt: tuple[float, float] | None = None
    """elo0 elo1: stop as soon as one of these hypotheses about the first of two agents is
    accepted."""
    zero: str | None = None
    """The agent whose rating is set to 0. Default: the mean rating is 0."""
    folder: UserPath = Path("runs/tournament")
    """Folder for games and report; existing games are kept and continued."""
    records: str | None = None
    """Folder for the game records."""
    machines: Machines = field(default_factory=Machines)
    """Machines that play the games."""


def rules_for(agents: tuple[str, ...], text: str | None, seats: int | None = None) -> RulesOfDecks:
    """Return the requested rules, or those of the first agent that comes with rules.

    Raises
    ------
    ValueError, ImportError
        The rules or an agent is refused.
    """
    if text is not None:
        rules = read_rules(text)
        if not isinstance(rules, Rules):
            if seats is not None:
                raise ValueError("a distribution of rules states the number of players itself")
            return rules
    else:
        brought = (getattr(agent, "rules", None) for agent in make_players(agents, None).values())
        rules = next((found.plain for found in brought if isinstance(found, Rules)), Rules())
    return rules if seats is None else rules.replace(n_players=seats)


def play(
    tournament: Tournament,
    machines: Machines,
    folder: UserPath | None = None,
    records: str | None = None,
) -> int:
    """Play a tournament's remaining games with a progress bar; return the exit status.

    Parameters
    ----------
    tournament : Tournament
        The tournament, to which the games in the folder and the new games are added.
    machines : Machines
        The machines that play.
    folder : Path, optional
        The folder for games. Default: do not save them.
    records : str, optional
        The folder for game records, if the arena keeps them.

    Raises
    ------
    ValueError, OSError, ImportError, WorkerError
        The folder contains other games or is in use, or an agent, a worker or a cluster failed.
        Games played before that are kept.
    """
    with nullcontext() if folder is None else claimed(folder):
        return _play_into(tournament, machines, folder, records)


def _play_into(
    tournament: Tournament, machines: Machines, folder: Path | None, records: str | None
) -> int:
    """Implement :func:`play` in a folder that this process has claimed."""
    arena, n_seats = tournament.arena, tournament.n_seats
    archive = None if records is None else Archive(records)
    file = None if folder is None else GameFile(folder / GAMES, heading(arena))
    shown = progress(TextColumn("{task.fields[test]}"))
    with Interruption() as stop, shown as bar:
        if file is not None:
            tournament.add(file.played)
            for note in file.notes:
                bar.console.print(note, markup=False)
        task = bar.add_task("", total=tournament.n_games, test="")
        n_known = len(tournament.played) * n_seats
        bar.update(task, completed=n_known)
        if n_known:
            bar.console.print(f"{n_known:,} of {tournament.n_games:,} games were played before")

        def keep(new: list[Played]) -> None:
            if archive is not None:
                keep_records(archive, new, arena.seed)
            if file is not None:
                file.add(new)
            test = tournament.test
            said = "" if test is None else f"LLR {test.llr:+.2f}"
            total, done = tournament.n_games, len(new) * n_seats
            bar.update(task, total=total, advance=done, description="games", test=said)

        n_tasks = sum(1 for _ in tournament.tasks())
        with machines.spread(n_tasks) as spread:
            tournament.play(spread, keep=keep, is_stopped=lambda: stop.wanted)
    return stop.status


def progress(*more: ProgressColumn) -> Bar:
    """Return a progress bar with count, total, remaining time and any further columns."""
    return Bar(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        *more,
        console=console,
        transient=True,
    )


def show(report: Report) -> None:
    """Print a report."""
    for title, rows in pages(report, digits=0):  # six agents fit 80 columns
        console.print(rich_table(rows, title))
    if report.sprt is not None:
        console.print(report.sprt)


def write(report: Report, folder: Path) -> None:
    """Write a report as JSON, tables and a picture."""
    replace_file(folder / REPORT, (json.dumps(report.to_dict(), indent=1) + "\n").encode())
    parts = [f"{title}\n\n{markdown(rows)}" for title, rows in pages(report)]
    if report.sprt is not None:
        parts.append(report.sprt + "\n")
    replace_file(folder / TABLES, "\n".join(parts).encode())
    draw_crosstable(folder / PICTURE, report)


def prepare(agents: tuple[str, ...]) -> None:
    """Print a message before an agent imports torch."""
    prepare_cpu()
    if any(os.path.exists(agent) for agent in agents):
        console.print("Loading torch ...")


def carry_out(problem: str | None, agents: tuple[str, ...], job: Callable[[], int]) -> int:
    """Run a command's job with agents, unless its options have a problem.

    Returns the exit status. Errors are printed as messages.
    """
    if problem is not None:
        console.print(problem, markup=False)
        return 2
    try:
        prepare(agents)
        return job()
    except FAILURES as error:
        explain(error)
        return 1


def explain(error: BaseException) -> None:
    """Print an error, preceded by the traceback if an agent crashed."""
    if isinstance(error, AgentError) and not isinstance(error, ContractError) and error.__cause__:
        cause = error.__cause__
        is_remote = isinstance(cause, workers.InWorker)
        lines = [str(cause)] if is_remote else traceback.format_exception(cause)
        console.print("".join(lines), markup=False, style="dim")
    console.print(f"error: {error}", markup=False)


def run(arguments: Arguments) -> int:
    """Play and write the report; return the exit status.

    Raises
    ------
    ValueError, OSError, ImportError, WorkerError
        An agent is unknown or refused, or an agent, a worker or a cluster failed.
    """
    check_installed("choix", "matplotlib")  # reported before games are played
    folder, began = arguments.folder, time.monotonic()
    rules = rules_for(arguments.agents, arguments.rules, arguments.seats)
    n_seats = seats_of(rules, arguments.seed, arguments.decks)
    players = make_players(arguments.agents, rules, arguments.seed)
    tournament = Tournament(
        Arena(players, rules, arguments.seed, arguments.records is not None),
        line_ups(arguments.agents, n_seats, arguments.form),
        arguments.decks,
        None if arguments.sprt is None else Sprt(*arguments.sprt),
    )
    status = play(tournament, arguments.machines, folder, arguments.records)
    if tournament.played:
        report = report_of(tournament.played, arguments.zero, sprt=sprt_words(tournament))
        show(report)
        write(report, folder)
    console.print(f"{time.monotonic() - began:,.0f} s. Games, tables and picture are in {folder}")
    if status:
        console.print("Interrupted: run the same command again to continue.")
    return status


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    given = read_arguments(Arguments, arguments, "tournament", __doc__)
    return carry_out(given.machines.problem, given.agents, partial(run, given))
