"""Write the ladder of the built-in agents, docs/ladder.md, or find the place of another one on it.

    python scripts/ladder.py --decks 200            play what is missing, write the page
    python scripts/ladder.py --only base            renew a part of the page
    python scripts/ladder.py --agents random greedy value --decks 200
    python scripts/ladder.py --place my_bots:Bold   let it meet every agent of the ladder
    python scripts/ladder.py --place new.ckpt --only base

The games are kept in ``--folder`` and gone on with. What a new agent is compared with are the games
of the page, whose tables are in docs/ladder.json: only its own games are played.
"""

from __future__ import annotations

import json
import re
import shlex
import signal
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # no traceback while modules are loaded

import tyro
from carc_env.agents.arena import Arena
from carc_env.agents.commands.tournament import Machines, carry_out, console, play, show
from carc_env.agents.commands.training import commit, machine
from carc_env.agents.interrupt import end_quietly
from carc_env.agents.report import (
    EMPTY,
    Report,
    Rows,
    crosstable_rows,
    joined_to,
    markdown,
    percent,
    report_of,
    standings_rows,
)
from carc_env.agents.tournament import Tournament, line_ups, make_players

from carc_env.choices import check_choice
from carc_env.game.records import replace_file
from carc_env.rules import Rules

ROOT = Path(__file__).resolve().parents[1]
PAGE, TABLES = ROOT / "docs/ladder.md", ROOT / "docs/ladder.json"
INNS_AND_TRADERS = {
    "sets": ["base", "inns", "traders"],
    **dict.fromkeys(("large_meeples", "inns", "builders", "pigs", "goods"), True),
}
GAMES = {
    "base": ("Base game, 2 players", Rules()),
    "abbey-mayor": ("Abbey & Mayor, 2 players", Rules.preset("abbey-mayor")),
    "inns-traders": ("Inns & Cathedrals with Traders & Builders, 2 players",
                     Rules.from_dict(INNS_AND_TRADERS)),
    "hills-sheep": ("Hills & Sheep, 2 players", Rules.preset("hills-sheep")),
    "princess-dragon": ("The Princess & the Dragon, 2 players", Rules.preset("princess-dragon")),
    "tower": ("The Tower, 2 players", Rules.preset("tower")),
    "count": ("The Count of Carcassonne, 2 players", Rules.preset("count")),
    "all": ("The preset all, 2 players", Rules.preset("all")),
    "all-4": ("The preset all, 4 players", Rules.preset("all", n_players=4)),
}  # fmt: skip
"""What the ladder stands for: title and rules by name."""
AGENTS = ("random", "greedy", "value", "search:sims=5000", "mcts:sims=50")
"""Who stands on it: every built-in agent, those that search with about 10 ms for a decision."""
ZERO = "greedy"
"""Whose rating is 0."""
INTRODUCTION = """\
# Ladder

Every agent plays every other agent, each deck from every seat. Intervals are 95% intervals over
decks; a rating of 0 is that of `{zero}`. The last column, the luck floor, says how often an agent
wins against the next better one. [The report](./arena.md#the-report) explains the others.
`python scripts/ladder.py --place package.module:Class` finds the place of another agent.

<!-- table: contents -->
<!-- end of table -->
"""


@dataclass(frozen=True)
class Arguments:
    """The ladder: write it, or place an agent on it."""

    place: tuple[str, ...] = ()
    """Agents to place; the page is left alone."""
    agents: tuple[str, ...] = AGENTS
    """The agents of the ladder."""
    only: tuple[str, ...] = tuple(GAMES)
    """Which games; the page keeps what it says of the others."""
    decks: int = 100
    """Decks of each pairing of two players, each played from every seat; of four a quarter."""
    seed: int = 0
    """Shuffles the decks."""
    folder: Path = Path("runs/ladder")
    """Where the games are kept."""
    machines: Machines = field(default_factory=Machines)
    """Where games are played."""


def tournament_of(game: str, arguments: Arguments, known: Report | None) -> Tournament:
    """What is played of a game: everybody against everybody, but what is known already.

    Raises
    ------
    ValueError, ImportError
        An agent is unknown or refused, or one to place is on the ladder.
    """
    _, rules = GAMES[game]
    n, agents = rules.n_players, (*arguments.place, *arguments.agents)
    known_cells = {} if known is None else known.crosstable
    if arguments.decks < 1:
        raise ValueError(f"--decks must be 1 or more, got {arguments.decks}")
    if there := [*filter(known_cells.get, arguments.place)]:
        raise ValueError(f"{there[0]} is on the ladder, see {PAGE}: --place is for other agents")
    met = [x for x in line_ups(agents, n, "round-robin") if x[1] not in known_cells.get(x[0], {})]
    players = make_players(agents, rules)
    decks = max(1, arguments.decks * 4 // n**2)  # of more players there are more line-ups, too
    return Tournament(Arena(players, rules, arguments.seed), met, decks)


def section_of(game: str, report: Report) -> str:
    """What the page says of a game."""
    title, _ = GAMES[game]
    command = shlex.join(["python", "scripts/ladder.py", *sys.argv[1:]])
    made = f"by `{command}` on {machine()}, at commit {commit()}"
    text = f"## {title}\n\n{report.games:,} games, {made}.\n\n{markdown(ranking_rows(report))}\n"
    if report.seats > 2:
        text += f"The agent of the row alone against {report.seats - 1} of the column:\n\n"
    return text + markdown(crosstable_rows(report))


def ranking_rows(report: Report) -> Rows:
    """The standings as text, with the luck floor: how often each beats the next better one."""
    head, *rows = standings_rows(report)
    agents = [row.agent for row in report.rows]
    floor = [percent(report.crosstable[agent][better]) for better, agent in pairwise(agents)]
    others = "the next better" if report.seats == 2 else f"{report.seats - 1} of the next better"
    head = [*head, f"% won against {others}"]
    return [head, *([*row, won] for row, won in zip(rows, [EMPTY, *floor], strict=True))]


def page_with(page: str, sections: Mapping[str, str]) -> str:
    """The page with some games as they were played now, the others as they are."""
    _, *old = re.split("^(?=## )", page, flags=re.M)
    by_title = {text.partition("\n")[0]: text for text in (*old, *sections.values())}
    titles = [f"## {title}" for title, _ in GAMES.values()]
    found = [by_title[title].rstrip("\n") for title in titles if title in by_title]
    return "\n\n".join((INTRODUCTION.format(zero=ZERO).rstrip("\n"), *found)) + "\n"


def run(arguments: Arguments) -> int:
    """Play, and write the page or tell the places; returns the exit status.

    Raises
    ------
    ValueError, OSError, ImportError, WorkerError
        A game or an agent is unknown, or an agent, a worker or a cluster failed.
    """
    tables: dict[str, Any] = json.loads(TABLES.read_text(encoding="utf-8"))
    reports = {}
    for game in arguments.only:
        title, _ = GAMES[check_choice("only", game, GAMES)]
        console.print(f"[bold]{title}[/bold]")
        known = Report.from_dict(tables[game]) if arguments.place and game in tables else None
        tournament = tournament_of(game, arguments, known)
        if status := play(tournament, arguments.machines, arguments.folder / game):
            console.print("Interrupted: the same command goes on.")
            return status
        if known is None:
            reports[game] = report_of(tournament, ZERO)
        else:
            reports[game] = joined_to(known, tournament, ZERO)
        show(reports[game])
    if not arguments.place:
        write(reports, tables)
    return 0


def write(reports: Mapping[str, Report], tables: Mapping[str, Any]) -> None:
    """Renew a part of the page and of its tables; the others are as they were."""
    sections = {game: section_of(game, report) for game, report in reports.items()}
    replace_file(PAGE, page_with(PAGE.read_text(encoding="utf-8"), sections).encode())
    every = {**tables, **{game: report.to_dict() for game, report in reports.items()}}
    ordered = {game: every[game] for game in GAMES if game in every}
    replace_file(TABLES, (json.dumps(ordered, indent=1) + "\n").encode())
    console.print(f"Written: {PAGE}, {TABLES}; scripts/write_tables.py renews what quotes them")


def main() -> int:
    """Run the command line; returns the exit status."""
    arguments = tyro.cli(Arguments, description=__doc__, config=(tyro.conf.OmitArgPrefixes,))
    agents = (*arguments.place, *arguments.agents)
    return carry_out(arguments.machines.problem, agents, partial(run, arguments))


if __name__ == "__main__":
    end_quietly()
    sys.exit(main())
