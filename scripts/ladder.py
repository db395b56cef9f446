"""Write the ladder of the built-in agents, or place another agent on it.

    python scripts/ladder.py                        play all games, write the pages
    python scripts/ladder.py --only base            replay one section
    python scripts/ladder.py --agents random greedy value --only tower
    python scripts/ladder.py --place my_bots:Bold   play it against every agent of the ladder
    python scripts/ladder.py --place my.py:Agent --only base --within 10     a quicker look
    python scripts/ladder.py --page                 write pages and figure from docs/ladder.json

The pages are docs/ladder.md and docs/reference/ladder.md. A pairing of fast agents plays
``--decks`` decks. Every pairing then continues until both ends of the 95% interval of the win rate
lie within ``--within`` points of it. ``--folder`` keeps the games, so that the same command
resumes. A new agent plays only its own games: those of the ladder are in docs/ladder.json.
"""

from __future__ import annotations

import json
import math
import re
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
from carc_env.agents.figures import colours_of, png_of
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
from carc_env.agents.run_folder import commit, machine
from carc_env.agents.tournament import Tournament, line_ups, make_players
from write_tables import with_tables

from carc_env.arguments import UserPath
from carc_env.choices import check_choice
from carc_env.extras import check_installed, extras_named
from carc_env.game.records import replace_file
from carc_env.rules import Rules
from carc_env.tasks import task

ROOT = Path(__file__).resolve().parents[1]
PAGE, TABLES = ROOT / "docs/ladder.md", ROOT / "docs/ladder.json"
DATA = ROOT / "docs/reference/ladder.md"
"""All sections, with each pairing."""
PICTURE = ROOT / "docs/images/elo.png"
FIGURES = re.compile(r"(<!-- figures of ladder.py -->\n)(.*?)(<!-- end of figures -->)", re.DOTALL)
MAIN = ("base", "abbey-mayor", "all", "all-4")
"""The sections on ``PAGE``."""
DRAWN = {"base": "Base game", "abbey-mayor": "Abbey & Mayor", "all": "Preset all (base + 6 sets)"}
"""The sections in ``PICTURE``, and their titles there; all are for two players."""
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
"""Sections of the ladder: title and rules by name."""
AGENTS = ("random", "greedy", "value", "insight", "search:sims=1000", "mcts:sims=20")
"""The default agents of the ladder: searches take some milliseconds per decision in the base game,
so that a computer with two cores can play it."""
ZERO = "greedy"
"""The agent with rating 0."""
WITHIN = 5.0
"""In points; no interval of a win rate on the page is wider."""
INTRODUCTION = """\
# Ladder data

All sections of the [ladder](../ladder.md), with the win rate of each pairing.
`python scripts/ladder.py` writes this page.

<!-- table: contents -->
<!-- end of table -->
"""


@dataclass(frozen=True)
class Arguments:
    """The ladder: write it, or place an agent on it."""

    place: tuple[str, ...] = ()
    """Agents to place; the pages don't change."""
    page: bool = False
    """Only write the pages and the figure, from docs/ladder.json."""
    agents: tuple[str, ...] = ()
    """Agents of the ladder. Default: those on it, or six if it is empty."""
    only: tuple[str, ...] = tuple(GAMES)
    """Sections to play; the others keep their games."""
    decks: int = 200
    """Minimum number of decks of each pairing, if both decide within 20 ms; each from every
    seat."""
    within: float = WITHIN
    """Maximum distance of both ends of the interval from the win rate, in points."""
    folder: UserPath = Path("runs/ladder")
    """Folder for games."""
    machines: Machines = field(default_factory=Machines)
    """Machines that play the games."""

    @property
    def problem(self) -> str | None:
        """The problem with these options, in words."""
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
    """The games of a section."""

    made: str
    """The machine and the commit."""
    played: list[Played]
    times: Mapping[str, Time]
    """Decision times of each agent."""

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return a section from plain values, as in docs/ladder.json."""
        played = [
            Played(tuple(one["line_up"]), deck, scores, [], [], [])
            for one in values["line_ups"]
            for deck, scores in enumerate(one["scores"])
        ]
        times = {agent: Time(**time) for agent, time in values["times"].items()}
        return cls(values["made"], played, times)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON: for each line-up, scores by deck, seating and position."""
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
        """The line-ups that have met."""
        return {deck.line_up for deck in self.played}

    @property
    def agents(self) -> tuple[str, ...]:
        """The agents that have played."""
        return tuple(self.times)

    @property
    def report(self) -> Report:
        """The tables of the section."""
        return report_of(self.played, ZERO, times=self.times)


NOTHING = Section("", [], {})


def tournament_of(game: str, arguments: Arguments, page: Section) -> Tournament:
    """Return the tournament of a game: a round robin, or with --place the new agent's pairings.

    By default, the agents of the page play.

    Raises
    ------
    ValueError, ImportError
        An agent is unknown or refused, or one to place is on the ladder.
    """
    _, rules = GAMES[game]
    if listed := [*filter(page.agents.__contains__, arguments.place)]:
        raise ValueError(
            f"{listed[0]} is already on the ladder, see {PAGE}: use --place for other agents"
        )
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
    """Return those whose packages are installed; print which ones are left out.

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


def section_of(game: str, section: Section, *, in_full: bool = False) -> str:
    """Return a section in Markdown; in full, it lists each pairing."""
    title, _ = GAMES[game]
    report, of_pairing = section.report, Counter(frozenset(p.line_up) for p in section.played)
    fewest, most = min(of_pairing.values()), max(of_pairing.values())
    decks = f"{fewest}" if fewest == most else f"{fewest} to {most}"
    text = (
        f"## {title}\n\n{report.games:,} games, {decks} decks for each pairing, {section.made}.\n\n"
    )
    text += markdown(ranking_rows(report))
    return text + "\n" + markdown(crosstable_rows(report)) if in_full else text


def ranking_rows(report: Report) -> Rows:
    """Return the standings as text, with win rates against the next agent."""
    head, *rows = standings_rows(report)
    head[head.index("Elo")] = f"Elo ({ZERO} = 0)"
    agents = [row.agent for row in report.rows]
    floor = [percent(report.crosstable[agent][better]) for better, agent in pairwise(agents)]
    others = "the next better" if report.seats == 2 else f"{report.seats - 1} of the next better"
    head = [*head, f"% won against {others}"]
    return [head, *([*row, won] for row, won in zip(rows, [EMPTY, *floor], strict=True))]


def page_of(text: str, sections: Mapping[str, Section]) -> str:
    """Return the page with the main sections between its comments."""
    parts = [
        section_of(game, sections[game])
        if game in sections
        else f"## {GAMES[game][0]}\n\nNot played yet: `python scripts/ladder.py --only {game}`.\n"
        for game in MAIN
    ]
    page = FIGURES.sub(lambda found: found[1] + "\n".join(parts) + found[3], text)
    return with_tables(page, "ladder")


def data_of(sections: Mapping[str, Section]) -> str:
    """Return the page of all sections in full."""
    told = (section_of(game, sections[game], in_full=True) for game in GAMES if game in sections)
    return with_tables("\n".join((INTRODUCTION, *told)), "ladder")


def draw(path: Path, sections: Mapping[str, Section]) -> None:
    """Draw the Elo ratings with their 95% intervals, with a panel for each section."""
    with extras_named():
        from matplotlib.figure import Figure

    drawn = {game: title for game, title in DRAWN.items() if game in sections}
    figure = Figure(figsize=(9, 3.2), layout="constrained")
    panels = figure.subplots(1, len(drawn), sharex=True, squeeze=False)[0]
    for axes, (game, title) in zip(panels, drawn.items(), strict=True):
        rows = [row for row in sections[game].report.rows[::-1] if row.rating is not None]
        names = [row.agent for row in rows]
        for y, (row, colour) in enumerate(zip(rows, colours_of(names).values(), strict=True)):
            elo = row.rating
            assert elo is not None
            error = [[elo.value - elo.low], [elo.high - elo.value]]
            axes.errorbar(elo.value, y, xerr=error, marker="o", capsize=3, color=colour)
            axes.annotate(
                f"{elo.value:+,.0f}" if row.agent != ZERO else "0",
                *((elo.value, y), (0, 5)),
                textcoords="offset points",
                ha="center",
                fontsize=8,
            )
        axes.set(title=title, yticks=range(len(names)), yticklabels=names, xlabel="Elo")
        axes.set(xlim=(-1_600, 1_000), ylim=(-0.5, len(names) - 0.3))
        axes.grid(axis="x", alpha=0.3)
    note = f"Two players, {ZERO} = 0. Bars: 95% intervals over decks, at least 200 decks a pairing."
    wins = [{row.agent: row.win_rate.value for row in sections[game].report.rows} for game in drawn]
    if all(found.get("random") == 0 for found in wins):
        note += (
            "\nrandom lost every game: games set only the upper end of its bar, a prior the rest."
        )
    figure.supxlabel(note, fontsize=8)
    replace_file(path, png_of(figure, dpi=150))


def run(arguments: Arguments) -> int:
    """Play, and write the page or print the places; return the exit status.

    Raises
    ------
    ValueError, OSError, ImportError, WorkerError
        A game or an agent is unknown, or an agent, a worker or a cluster failed.
    """
    check_installed("choix")  # told before games are played
    if arguments.page:
        sections = kept()
        write_pages(sections)
        draw(PICTURE, sections)
        return 0
    made = f"on {machine()}, at commit {commit()}"
    for game in arguments.only:
        title, _ = GAMES[check_choice("only", game, GAMES)]
        console.print(f"[bold]{title}[/bold]")
        page = kept().get(game, NOTHING)
        known = page if arguments.place else NOTHING
        tournament = tournament_of(game, arguments, page)
        if status := play(tournament, arguments.machines, arguments.folder / game):
            console.print("Interrupted: run the same command to continue.")
            return status
        new = tournament.played
        section = Section(made, [*known.played, *new], {**known.times, **times_of(new)})
        show(section.report)
        if not arguments.place:
            write(game, section)
    return 0


def kept() -> dict[str, Section]:
    """Return the sections of the page, by game."""
    tables = json.loads(TABLES.read_text(encoding="utf-8"))
    return {game: Section.from_dict(values) for game, values in tables.items()}


def write(game: str, section: Section) -> None:
    """Write a section into the page; other processes may write others at the same time."""
    with changing(TABLES):
        sections = kept() | {game: section}
        values = {game: sections[game].to_dict() for game in GAMES if game in sections}
        lines = [f"{json.dumps(game)}: {json.dumps(part)}" for game, part in values.items()]
        replace_file(TABLES, ("{\n" + ",\n".join(lines) + "\n}\n").encode())
        write_pages(sections)
    console.print("scripts/ladder.py --page draws the figure; make docs renews tables of others")


def write_pages(sections: Mapping[str, Section]) -> None:
    """Write both pages."""
    replace_file(PAGE, page_of(PAGE.read_text(encoding="utf-8"), sections).encode())
    replace_file(DATA, data_of(sections).encode())
    console.print(f"Written: {PAGE}, {DATA}, {TABLES}")


def main() -> int:
    """Run the command line; return the exit status."""
    arguments = tyro.cli(Arguments, description=__doc__, config=(tyro.conf.OmitArgPrefixes,))
    agents = (*arguments.place, *arguments.agents)
    return carry_out(arguments.problem, agents, partial(run, arguments))


if __name__ == "__main__":
    end_quietly()
    sys.exit(main())
