"""Write the ladder of the built-in agents, docs/ladder.md, or find the place of another one on it.

    python scripts/ladder.py                        play what is missing, write the page
    python scripts/ladder.py --only base            renew a part of the page
    python scripts/ladder.py --agents random greedy value --only tower
    python scripts/ladder.py --place my_bots:Bold   let it meet every agent of the ladder
    python scripts/ladder.py --place new.ckpt --only base --within 10     a quicker look

A pairing of quick agents plays ``--decks`` decks, and every pairing goes on until both ends of the
95% interval of the share won are ``--within`` points from it. The games are kept in ``--folder``
and gone on with. What a new agent is compared with are the games of the page, which are in
docs/ladder.json: only its own games are played.
"""

from __future__ import annotations

import json
import math
import signal
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, Self

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # no traceback while modules are loaded

import tyro
from carc_env.agents.arena import Arena, LineUp, Played
from carc_env.agents.claim import changing
from carc_env.agents.commands.tournament import Machines, carry_out, console, play, show
from carc_env.agents.commands.training import commit, machine
from carc_env.agents.interrupt import end_quietly
from carc_env.agents.report import (
    EMPTY,
    Report,
    Rows,
    Time,
    crosstable_rows,
    markdown,
    percent,
    report_of,
    standings_rows,
    times_of,
)
from carc_env.agents.tournament import Tournament, line_ups, make_players

from carc_env.arguments import UserPath
from carc_env.choices import check_choice
from carc_env.extras import check_installed
from carc_env.game.records import replace_file
from carc_env.rules import Rules
from carc_env.tasks import task

ROOT = Path(__file__).resolve().parents[1]
PAGE, TABLES = ROOT / "docs/ladder.md", ROOT / "docs/ladder.json"
IN_FULL = ("base", "all")
"""The sections that show each pairing; ``TABLES`` has the games of all of them."""
GAMES = {
    "base": ("Base game, 2 players", Rules()),
    "abbey-mayor": ("Abbey & Mayor, 2 players", Rules.preset("abbey-mayor")),
    "inns-traders": ("Inns & Cathedrals with Traders & Builders, 2 players",
                     task("traders-transfer-v1").rules.replace(view=Rules().view)),
    "hills-sheep": ("Hills & Sheep, 2 players", Rules.preset("hills-sheep")),
    "princess-dragon": ("The Princess & the Dragon, 2 players", Rules.preset("princess-dragon")),
    "tower": ("The Tower, 2 players", Rules.preset("tower")),
    "count": ("The Count of Carcassonne, 2 players", Rules.preset("count")),
    "minis": ("Eight small sets (preset minis), 2 players", Rules.preset("minis")),
    "promos": ("Eight more small sets (preset promos), 2 players", Rules.preset("promos")),
    "all": ("The preset all, 2 players", Rules.preset("all")),
    "all-4": ("The preset all, 4 players", Rules.preset("all", n_players=4)),
}  # fmt: skip
"""What the ladder stands for: title and rules by name."""
AGENTS = ("random", "greedy", "value", "insight", "search:sims=1000", "mcts:sims=20")
"""Who stands on it if nobody else is named: those that search take some milliseconds a decision in
the base game, so that a computer with two cores can play it."""
ZERO = "greedy"
"""Whose rating is 0."""
WITHIN = 5.0
"""Points; no interval of a share on the page reaches farther."""
INTRODUCTION = """\
# Ladder

Every agent of a section plays every other one, each deck from every seat. A pairing plays 200 decks
(if one of the two takes 20 ms for a decision, as many as it needs), and then goes on until both
ends of the 95% interval of the share won are within {within:g} points of it. With four players a
pairing is two line-ups, each agent alone against three of the other.

- Intervals are over decks. *% won* is the mean over an agent's line-ups.
- *Elo* is fitted to all games of the section, draws as halves; `{zero}` is 0. Every agent is
  supposed to have won a deck and lost one before the first, which keeps the rating of somebody who
  lost every game finite. The end of its interval that is nearer to the others says what the games
  say, the other end follows from what is supposed.
- The last column, the luck floor, says how often an agent wins against the next better one.
  [The report](./arena.md#the-report) explains the others.
- Milliseconds depend on the machine and on its other work. Nothing else does.

The agents of a section are those for which there was time; where all sets are in play those that
search take seconds for a deck. `python scripts/ladder.py --only all --workers 1` makes a section
again, and `--agents random greedy value insight search:sims=1000` one with other agents.

`python scripts/ladder.py --place package.module:Class` finds the place of another agent. All
results, with those of pairings that this page leaves out, are in [ladder.json](ladder.json).

<!-- table: contents -->
<!-- end of table -->
"""


@dataclass(frozen=True)
class Arguments:
    """The ladder: write it, or place an agent on it."""

    place: tuple[str, ...] = ()
    """Agents to place; the page is left alone."""
    agents: tuple[str, ...] = ()
    """Who stands on the ladder. Default: whom the page has, or six where it has nobody."""
    only: tuple[str, ...] = tuple(GAMES)
    """Which games; the page keeps what it says of the others."""
    decks: int = 200
    """Decks of each pairing, at least, if both decide within 20 ms; each from every seat."""
    within: float = WITHIN
    """Points from the share won to both ends of its interval, at most."""
    folder: UserPath = Path("runs/ladder")
    """Where the games are kept."""
    machines: Machines = field(default_factory=Machines)
    """Where games are played."""

    @property
    def problem(self) -> str | None:
        """What does not fit together, in words."""
        if self.decks < 1:
            return f"--decks must be 1 or more, got {self.decks}"
        if not self.within > 0:
            return f"--within must be more than 0, got {self.within:g}"
        if self.within > WITHIN and not self.place:
            return (
                f"the page has no interval beyond {WITHIN:g} points, got --within {self.within:g}"
            )
        return self.machines.problem


@dataclass(frozen=True)
class Section:
    """What was played of a game."""

    made: str
    """Where, and at which commit."""
    played: list[Played]
    times: Mapping[str, Time]
    """How long the decisions of each agent have taken."""

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """A section of plain values, as they are in docs/ladder.json."""
        played = [
            Played(tuple(one["line_up"]), deck, scores, [], [], [])
            for one in values["line_ups"]
            for deck, scores in enumerate(one["scores"])
        ]
        times = {agent: Time(**time) for agent, time in values["times"].items()}
        return cls(values["made"], played, times)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON: of each line-up the scores by deck, seating and position."""
        scores: dict[LineUp, list[list[list[int]]]] = {}
        for deck in self.played:
            scores.setdefault(deck.line_up, []).append(deck.scores)
        return {
            "made": self.made,
            "times": {agent: asdict(time) for agent, time in self.times.items()},
            "line_ups": [{"line_up": [*who], "scores": all_} for who, all_ in scores.items()],
        }

    @property
    def line_ups(self) -> set[LineUp]:
        """Who has met."""
        return {deck.line_up for deck in self.played}

    @property
    def agents(self) -> tuple[str, ...]:
        """Who has played."""
        return tuple(self.times)

    @property
    def report(self) -> Report:
        """Its tables."""
        return report_of(self.played, ZERO, times=self.times)


NOTHING = Section("", [], {})


def tournament_of(game: str, arguments: Arguments, page: Section) -> Tournament:
    """What is played of a game: everybody against everybody, or with --place what is new.

    Where nobody is named those of the page play.

    Raises
    ------
    ValueError, ImportError
        An agent is unknown or refused, or one to place is on the ladder.
    """
    _, rules = GAMES[game]
    if listed := [*filter(page.agents.__contains__, arguments.place)]:
        raise ValueError(f"{listed[0]} is on the ladder, see {PAGE}: --place is for other agents")
    there = arguments.agents or installed(page.agents, rules) or AGENTS
    agents = (*arguments.place, *there)
    met = line_ups(agents, rules.n_players, "round-robin")
    known = page.line_ups if arguments.place else ()
    of_pairing = 1 if rules.n_players == 2 else 2
    return Tournament(
        Arena(make_players(agents, rules), rules),
        [line_up for line_up in met if line_up not in known],
        math.ceil(arguments.decks / of_pairing),
        within=arguments.within / 100,
    )


def installed(agents: Sequence[str], rules: Rules) -> tuple[str, ...]:
    """Those whose packages are installed; it is told who is left out.

    Raises
    ------
    ValueError
        One of them is unknown or refused.
    """
    found = []
    for agent in agents:
        try:
            make_players([agent], rules)
        except ModuleNotFoundError as error:
            console.print(f"{agent} is left out: {error}", markup=False)
        else:
            found.append(agent)
    return tuple(found)


def section_of(game: str, section: Section) -> str:
    """What the page says of a game."""
    title, _ = GAMES[game]
    report, of_pairing = section.report, Counter(frozenset(p.line_up) for p in section.played)
    fewest, most = min(of_pairing.values()), max(of_pairing.values())
    decks = f"{fewest}" if fewest == most else f"{fewest} to {most}"
    text = (
        f"## {title}\n\n{report.games:,} games, {decks} decks for each pairing, {section.made}.\n\n"
    )
    text += markdown(ranking_rows(report))
    return text if game not in IN_FULL else text + "\n" + markdown(crosstable_rows(report))


def ranking_rows(report: Report) -> Rows:
    """The standings as text, with the luck floor: how often each beats the next better one."""
    head, *rows = standings_rows(report)
    head[head.index("Elo")] = f"Elo ({ZERO} = 0)"
    agents = [row.agent for row in report.rows]
    floor = [percent(report.crosstable[agent][better]) for better, agent in pairwise(agents)]
    others = "the next better" if report.seats == 2 else f"{report.seats - 1} of the next better"
    head = [*head, f"% won against {others}"]
    return [head, *([*row, won] for row, won in zip(rows, [EMPTY, *floor], strict=True))]


def page_of(sections: Mapping[str, Section]) -> str:
    """The page, with a word about each game that nobody has played."""
    parts = [INTRODUCTION.format(zero=ZERO, within=WITHIN)]
    parts += [section_of(game, sections[game]) for game in GAMES if game in sections]
    parts += [
        f"## {title}\n\nNot played yet: `python scripts/ladder.py --only {game}`.\n"
        for game, (title, _) in GAMES.items()
        if game not in sections
    ]
    return "\n".join(parts)


def run(arguments: Arguments) -> int:
    """Play, and write the page or tell the places; returns the exit status.

    Raises
    ------
    ValueError, OSError, ImportError, WorkerError
        A game or an agent is unknown, or an agent, a worker or a cluster failed.
    """
    check_installed("choix")  # told before games are played
    made = f"on {machine()}, at commit {commit()}"
    for game in arguments.only:
        title, _ = GAMES[check_choice("only", game, GAMES)]
        console.print(f"[bold]{title}[/bold]")
        page = kept().get(game, NOTHING)
        known = page if arguments.place else NOTHING
        tournament = tournament_of(game, arguments, page)
        if status := play(tournament, arguments.machines, arguments.folder / game):
            console.print("Interrupted: the same command goes on.")
            return status
        new = tournament.played
        section = Section(made, [*known.played, *new], {**known.times, **times_of(new)})
        show(section.report)
        if not arguments.place:
            write(game, section)
    return 0


def kept() -> dict[str, Section]:
    """The sections of the page, by game."""
    tables = json.loads(TABLES.read_text(encoding="utf-8"))
    return {game: Section.from_dict(values) for game, values in tables.items()}


def write(game: str, section: Section) -> None:
    """Write a section into the page; other processes may write others at the same time."""
    with changing(TABLES):
        sections = kept() | {game: section}
        values = {game: sections[game].to_dict() for game in GAMES if game in sections}
        lines = [f"{json.dumps(game)}: {json.dumps(part)}" for game, part in values.items()]
        replace_file(TABLES, ("{\n" + ",\n".join(lines) + "\n}\n").encode())
        replace_file(PAGE, page_of(sections).encode())
    console.print(f"Written: {PAGE}, {TABLES}; scripts/write_tables.py renews what quotes them")


def main() -> int:
    """Run the command line; returns the exit status."""
    arguments = tyro.cli(Arguments, description=__doc__, config=(tyro.conf.OmitArgPrefixes,))
    agents = (*arguments.place, *arguments.agents)
    return carry_out(arguments.problem, agents, partial(run, arguments))


if __name__ == "__main__":
    end_quietly()
    sys.exit(main())
