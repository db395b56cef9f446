"""Tournament reports: standings, ratings and crosstable for terminals, pages and JSON.

All win rates, leads and ratings have 95% intervals over decks (:mod:`carc_env.agents.intervals`).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from carc_env.extras import extras_named
from carc_env.game.records import replace_file

from .arena import LineUp, MatchResult, Played, first_places, leads
from .figures import draw_win_rates, png_of
from .intervals import Estimate, by_deck, mean_interval, share_interval
from .ratings import ratings, wins_by_deck
from .tournament import Tournament

Rows = list[list[str]]
"""A table as text, with the headings first."""
EMPTY = "-"
WIDE = 1_000
"""Line width in characters when there is no terminal."""


@dataclass(frozen=True)
class Time:
    """Decision times, in seconds."""

    mean: float
    longest: float

    def in_ms(self) -> str:
        """Return both in milliseconds: ``0.33 (16)``."""
        mean, longest = (f"{float(f'{1000 * part:.2g}'):,g}" for part in (self.mean, self.longest))
        return f"{mean} ({longest})"


@dataclass(frozen=True)
class Row:
    """One agent's results over all its games and seats."""

    agent: str
    games: int
    """Number of games, counted once per seat."""
    win_rate: Estimate
    """Win rate, where ties split first place; 1 / seats is average. All line-ups have equal weight,
    regardless of their number of decks."""
    lead: Estimate
    """Lead over the mean of the other seats, in points."""
    rating: Estimate | None
    """Elo rating; None if only one agent played."""
    time: Time


@dataclass(frozen=True)
class Report:
    """The current state of a tournament."""

    rows: tuple[Row, ...]
    """One row per agent, strongest first."""
    crosstable: dict[str, dict[str, Estimate]]
    """Win rate of the row's agent, alone against copies of the column's agent."""
    decks: int
    games: int
    seats: int
    sprt: str | None
    """State of the sequential test in words."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return asdict(self)


def report_of(
    played: Sequence[Played],
    zero: str | None = None,
    *,
    times: Mapping[str, Time] | None = None,
    sprt: str | None = None,
) -> Report:
    """Return the report of the games played.

    Parameters
    ----------
    played : sequence of Played
        All decks played.
    zero : str, optional
        The agent whose rating is set to 0. Default: the mean rating is 0.
    times : mapping, optional
        Each agent's decision times. Default: those measured on the decks.
    sprt : str, optional
        State of a sequential test in words.

    Raises
    ------
    ValueError
        No deck has been played yet.
    ImportError
        The library for ratings is not installed.
    """
    if not played:
        raise ValueError("no deck was played to its end yet")
    agents = list(dict.fromkeys(name for deck in played for name in deck.line_up))
    times = times_of(played) if times is None else times
    rated = _rated(played, agents, zero)
    rows = _ranked(_row(name, played, rated[name], times[name]) for name in agents)
    n_seats = len(played[0].line_up)
    return Report(
        rows=rows,
        crosstable=_crosstable([row.agent for row in rows], played),
        decks=len({deck.deck for deck in played}),
        games=len(played) * n_seats,
        seats=n_seats,
        sprt=sprt,
    )


def _rated(
    played: Sequence[Played], agents: Sequence[str], zero: str | None
) -> dict[str, Estimate | None]:
    """Return each agent's rating; None if there is only one agent."""
    if len(agents) == 1:
        return {agents[0]: None}
    zero_at = agents.index(zero) if zero in agents else None
    return dict(zip(agents, ratings(wins_by_deck(played, agents), zero_at), strict=True))


def _ranked(rows: Iterable[Row]) -> tuple[Row, ...]:
    """Return the rows, strongest first."""
    return tuple(
        sorted(rows, key=lambda row: -(row.rating.value if row.rating else row.win_rate.value))
    )


def _row(agent: str, played: Sequence[Played], rating: Estimate | None, time: Time) -> Row:
    met = [deck for deck in played if agent in deck.line_up]
    won: dict[LineUp, dict[int, float]] = {deck.line_up: {} for deck in met}
    ahead: dict[LineUp, dict[int, float]] = {deck.line_up: {} for deck in met}
    for deck in met:
        places = [p for p, name in enumerate(deck.line_up) if name == agent]
        scores = np.array(deck.scores)
        won[deck.line_up][deck.deck] = first_places(scores)[:, places].mean()
        ahead[deck.line_up][deck.deck] = leads(scores)[:, places].mean()
    return Row(
        agent=agent,
        games=sum(len(deck.scores) * deck.line_up.count(agent) for deck in met),
        win_rate=share_interval(by_deck(won.values())),
        lead=mean_interval(by_deck(ahead.values())),
        rating=rating,
        time=time,
    )


def times_of(played: Sequence[Played]) -> dict[str, Time]:
    """Return each agent's decision times."""
    seconds: dict[str, float] = {}
    decisions: dict[str, int] = {}
    longest: dict[str, float] = {}
    for deck in played:
        for p, name in enumerate(deck.line_up):
            seconds[name] = seconds.get(name, 0.0) + deck.seconds[p]
            decisions[name] = decisions.get(name, 0) + deck.decisions[p]
            longest[name] = max(longest.get(name, 0.0), deck.slowest[p])
    return {name: Time(seconds[name] / max(1, decisions[name]), longest[name]) for name in seconds}


def _crosstable(agents: Sequence[str], played: Sequence[Played]) -> dict[str, dict[str, Estimate]]:
    """Return each agent's win rate alone against copies of each other agent."""
    shares: dict[tuple[str, str], list[float]] = {}
    for deck in played:
        places = first_places(np.array(deck.scores)).mean(axis=0)
        for p, name in enumerate(deck.line_up):
            others = {*deck.line_up[:p], *deck.line_up[p + 1 :]}
            if len(others) == 1 and name not in others:
                shares.setdefault((name, *others), []).append(float(places[p]))  # type: ignore[arg-type]
    return {
        a: {b: share_interval(shares[a, b]) for b in agents if (a, b) in shares} for a in agents
    }


# Reports as text.


def standings_rows(report: Report) -> Rows:
    """Return the standings as text."""
    head = ["agent", "games", "% won", "points ahead", "Elo", "ms a move (longest)"]
    rows = [head]
    for row in report.rows:
        rows.append(
            [
                row.agent,
                f"{row.games:,}",
                percent(row.win_rate),
                plus_minus(row.lead),
                EMPTY if row.rating is None else elo(row.rating),
                row.time.in_ms(),
            ]
        )
    return rows


def crosstable_rows(report: Report, digits: int = 1) -> Rows:
    """Return the crosstable as text; ``digits`` is the number of decimals in intervals."""
    agents = [row.agent for row in report.rows]
    rows = [["% won against", *agents]]
    for a in agents:
        cells = [report.crosstable[a].get(b) for b in agents]
        rows.append([a, *(EMPTY if cell is None else percent(cell, digits) for cell in cells)])
    return rows


def percent(e: Estimate, digits: int = 1) -> str:
    """Return a percentage; its interval has ``digits`` decimals: ``61.5 (58.0-64.9)``."""
    return f"{100 * e.value:.1f} ({100 * e.low:.{digits}f}-{100 * e.high:.{digits}f})"


def with_interval(e: Estimate, digits: int) -> str:
    """Return a number with its interval, all with ``digits`` decimals."""
    return f"{e.value:.{digits}f} ({e.low:.{digits}f}-{e.high:.{digits}f})"


def half_of(e: Estimate) -> float:
    """Return half the width of the interval."""
    return (e.high - e.low) / 2


def plus_minus(e: Estimate) -> str:
    """Return a difference with half the width of its interval: ``+6.5 ± 3.4``."""
    return f"{e.value:+.1f} ± {half_of(e):.1f}"


def elo(e: Estimate) -> str:
    """Return a rating with its interval: ``+61 (+58, +64)``."""
    return f"{e.value:+.0f} ({e.low:+.0f}, {e.high:+.0f})"


def sprt_words(tournament: Tournament) -> str | None:
    """Return the state of the sequential test; None if there is none."""
    if (test := tournament.test) is None:
        return None
    low, high = test.sprt.bounds
    says = "not decided yet" if test.decision is None else f"{test.decision} is accepted"
    return (
        f"SPRT elo0 = {test.sprt.elo0:g}, elo1 = {test.sprt.elo1:g}: LLR {test.llr:+.2f} "
        f"({low:+.2f} to {high:+.2f}) after {test.n_decks} decks, {says}"
    )


def match_rows(match: MatchResult, times: Mapping[str, Time]) -> Rows:
    """Return a match's standings as text, by position in the line-up."""
    rows = [["agent", "W/D/L", "% won", "points ahead", "points", "ms (longest)"]]
    for row in match.standings:
        rows.append(
            [
                row.agent,
                f"{row.wins}/{row.draws}/{row.losses}",
                percent(row.win_rate),
                plus_minus(row.lead),
                f"{row.score.value:.1f}",
                times[row.agent].in_ms(),
            ]
        )
    return rows


def markdown(rows: Rows) -> str:
    """Return a Markdown table; all columns but the first are right-aligned."""
    head, *body = rows
    lines = [head, ["---", *["--:"] * (len(head) - 1)], *body]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def new_console() -> Any:
    """Return a console for commands: terminals keep their width; pipes and files get long lines."""
    from rich.console import Console

    is_narrow = sys.stdout.isatty() or "COLUMNS" in os.environ
    return Console(highlight=False, soft_wrap=True, width=None if is_narrow else WIDE)


def rich_table(rows: Rows, title: str = "", justify: Literal["left", "right"] = "right") -> Any:
    """Return a ``rich`` table; ``justify`` applies to all columns but the first.

    There is no empty line above the table, so that piping to ``head`` gives useful lines.
    """
    from rich import box
    from rich.markup import escape
    from rich.table import Table

    head, *body = rows
    table = Table(title=title or None, box=box.SIMPLE, show_edge=False, title_justify="left")
    table.add_column(escape(head[0]), overflow="fold")
    for column in head[1:]:
        table.add_column(escape(column), justify=justify, overflow="fold")
    for line in body:
        table.add_row(*map(escape, line))
    return table


def draw_crosstable(path: Path, report: Report) -> None:
    """Draw the crosstable: green means more than an equal share of wins, red less."""
    with extras_named():
        from matplotlib.figure import Figure

    agents = [row.agent for row in report.rows]
    shares = np.full((len(agents), len(agents)), np.nan)
    for i, a in enumerate(agents):
        for j, b in enumerate(agents):
            if b in report.crosstable[a]:
                shares[i, j] = report.crosstable[a][b].value
    size = 2.4 + 0.9 * len(agents)
    figure = Figure(figsize=(size, 0.8 * size), layout="constrained")
    axes = figure.subplots()
    draw_win_rates(axes, agents, shares, 1 / report.seats)
    axes.tick_params("x", rotation=30)
    against = "against" if report.seats == 2 else f"alone against {report.seats - 1} of"
    axes.set(xlabel=f"% won {against}")
    replace_file(path, png_of(figure, dpi=120))


def pages(report: Report, digits: int = 1) -> Iterable[tuple[str, Rows]]:
    """Return a report's tables and titles; ``digits`` is passed to :func:`crosstable_rows`."""
    yield (
        f"{report.games:,} games, every deck from every seat; 95% intervals",
        standings_rows(report),
    )
    if any(report.crosstable.values()):
        against = "copies of the column" if report.seats > 2 else "the column"
        yield f"the row alone against {against}", crosstable_rows(report, digits)
