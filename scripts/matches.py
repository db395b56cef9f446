"""Play the matches for the model cards: one agent alone against copies of another.

    python scripts/matches.py                             all missing matches
    python scripts/matches.py --only search --games 100   a quick look at one group
    python scripts/matches.py --rules tower all --workers 2
    python scripts/matches.py --missing                   only list what is missing

``configs/experiments/matches.yaml`` lists the matches. Games are stored deck by deck in
``docs/results/matches.json`` and not played twice, unless an agent's weights have changed. So the
same command continues where it stopped, and a larger number of games extends a smaller one. At the
end, tables of all groups are printed with the results so far. While agents with a time limit play,
nothing else should run on the machine.
"""

from __future__ import annotations

import json
import signal
import sys
import time
import zlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Annotated, Any

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # no traceback while modules are being imported

import numpy as np
import pydantic
import tyro
from carc_env.agents.arena import MatchResult, Played, first_places, match_result, play_decks
from carc_env.agents.claim import changing
from carc_env.agents.commands.tournament import carry_out, console, progress
from carc_env.agents.figures import colours_of
from carc_env.agents.interrupt import Interruption, end_quietly
from carc_env.agents.intervals import by_deck, mean_interval
from carc_env.agents.report import Rows, markdown, percent, plus_minus
from carc_env.agents.run_folder import commit, machine
from carc_env.agents.tournament import make_players
from carc_env.agents.workers import spread

from carc_env.choices import check_choice
from carc_env.extras import extras_named
from carc_env.game.records import replace_file
from carc_env.plain_yaml import read_yaml
from carc_env.rules import PRESETS, Rules
from carc_env.search.weights import INSIGHT, PLAIN, weights_for

ROOT = Path(__file__).resolve().parents[1]
PLAN = ROOT / "configs/experiments/matches.yaml"
KEPT, PICTURES = ROOT / "docs/results/matches.json", ROOT / "docs/images"
SEED = 77
"""Seed of the decks."""
ENOUGH = 60
"""Minimum number of games; the models page omits matches with fewer."""
LEARNED = {"random": "", "greedy": "", "value": PLAIN}
"""Evaluation of each agent; others use ``insight``, which equals ``value`` where not learned."""
MARKERS, LINES = "os^D", ("-", "--", ":", "-.")
"""Markers and line styles: a picture shows one agent, so all its lines have the same colour."""
BESIDE = 1.05
"""Factor by which lines in a plot are offset, so that intervals do not hide each other."""
AT_ONCE = 2
"""Decks per worker task."""
SECONDS_BETWEEN_WRITES = 10


class Group(pydantic.BaseModel, frozen=True, extra="forbid"):
    """Matches in the plan that belong together."""

    name: str
    about: str
    agents: tuple[str, ...]
    """Agents that play alone against copies of the opponent."""
    rival: str
    """The opponent, in all other seats."""
    players: Annotated[int, pydantic.Field(ge=2, le=6)]
    games: Annotated[int, pydantic.Field(ge=1)]
    """Approximate number of games per match: every deck is played from every seat."""
    rules: tuple[str, ...] = tuple(PRESETS)
    """Presets to play. Default: all."""
    picture: str = ""
    """File in docs/images for a plot of win rate against seconds per decision."""

    def matches(self) -> Iterator[Match]:
        """Yield all matches, faster agents first."""
        for agent in self.agents:
            for preset in self.rules:
                yield Match(agent, self.rival, preset, self.players)


@dataclass(frozen=True)
class Match:
    """A pairing and its rules."""

    agent: str
    rival: str
    preset: str
    n_players: int

    @property
    def key(self) -> str:
        """The key under which the match is stored."""
        rivals = self.rival if self.n_players == 2 else f"{self.n_players - 1} {self.rival}"
        return f"{self.agent} against {rivals}, {self.preset}"

    @property
    def rules(self) -> Rules:
        """The rules of the match."""
        return Rules.preset(self.preset, n_players=self.n_players)

    @cached_property
    def weights(self) -> str:
        """A checksum of the learned weights of both agents."""
        kinds = {LEARNED.get(name.partition(":")[0], INSIGHT) for name in (self.agent, self.rival)}
        learned = [weights_for(self.rules, kind).values for kind in sorted(kinds - {""})]
        return f"{zlib.crc32(b''.join(values.tobytes() for values in learned)):08x}"

    @property
    def names(self) -> list[str]:
        """The agents by seat."""
        return [self.agent, *[self.rival] * (self.n_players - 1)]

    def among(self, kept: dict[str, Kept]) -> Kept | None:
        """Return the match's stored games, unless the agents' weights have changed since."""
        found = kept.get(self.key)
        return found if found and found.weights == self.weights else None

    def play(self, decks: Sequence[int]) -> tuple[Match, list[Played]]:
        """Play the given decks."""
        players = make_players({self.agent, self.rival}, self.rules)
        seats = [players[name] for name in self.names]
        names = ["agent", *["rival"] * (self.n_players - 1)]
        return self, play_decks(seats, names, self.rules, decks, SEED)


@dataclass
class Kept:
    """The stored results of a match."""

    scores: dict[int, list[list[int]]] = field(default_factory=dict)
    """Scores by deck and seating, in line-up order: the agent that plays alone comes first."""
    decisions: int = 0
    """Number of decisions by the agent that plays alone."""
    seconds: float = 0.0
    """Total time of these decisions."""
    made: list[str] = field(default_factory=list)
    """Machines and commits that produced the results."""
    weights: str = ""
    """A checksum of the agents' learned weights."""

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Kept:
        """Create an object from the result of :meth:`to_dict`."""
        scores = {int(deck): scores for deck, scores in values["scores"].items()}
        return cls(**values | {"scores": scores})

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return vars(self) | {"scores": {str(k): self.scores[k] for k in sorted(self.scores)}}

    def add(self, played: Sequence[Played], made: str, weights: str) -> None:
        """Add more decks, dropping decks that were played with other weights."""
        if self.weights != weights:
            self.scores, self.decisions, self.seconds, self.made = {}, 0, 0.0, []
            self.weights = weights
        for deck in played:
            if deck.deck in self.scores:  # another process has played it in the meantime
                continue
            self.scores[deck.deck] = deck.scores
            self.decisions += deck.decisions[0]
            self.seconds += deck.seconds[0]
        if made not in self.made:
            self.made.append(made)

    def result(self, match: Match) -> MatchResult:
        """Return the match result, with intervals over decks."""
        names = ("agent", *["rival"] * (match.n_players - 1))
        played = [Played(names, deck, own, [], [], []) for deck, own in sorted(self.scores.items())]
        return match_result(names, match.rules, SEED, played)


def groups() -> dict[str, Group]:
    """Return the groups of the plan.

    Raises
    ------
    ValueError, OSError
        The plan is refused.
    """
    read = read_yaml(PLAN.name, PLAN.read_text(encoding="utf-8"))
    found = pydantic.TypeAdapter(list[Group]).validate_python(read)
    for group in found:
        for preset in group.rules:
            Rules.preset(preset)
    return {group.name: group for group in found}


def read_kept() -> dict[str, Kept]:
    """Return the stored results, by match."""
    if not KEPT.exists():
        return {}
    return {k: Kept.from_dict(v) for k, v in json.loads(KEPT.read_text(encoding="utf-8")).items()}


def keep(found: Sequence[tuple[Match, Sequence[Played]]], made: str) -> dict[str, Kept]:
    """Add new results to the stored ones, one line per match; return all results.

    Several processes may do this at the same time.
    """
    with changing(KEPT):
        kept = read_kept()
        for match, played in found:
            kept.setdefault(match.key, Kept()).add(played, made, match.weights)
        write(kept)
    return kept


def write(kept: dict[str, Kept]) -> None:
    """Write the results, replacing the stored ones."""
    lines = [f"{json.dumps(key)}: {json.dumps(kept[key].to_dict())}" for key in sorted(kept)]
    replace_file(KEPT, ("{\n" + ",\n".join(lines) + "\n}\n").encode())


def rows_of(group: Group, kept: dict[str, Kept]) -> Rows:
    """Return the results of a group's matches, weakest first.

    If only one agent plays alone, the last row is the unweighted mean over all presets.
    """
    rows: list[tuple[float, list[str]]] = []
    played: list[dict[int, float]] = []
    for match in group.matches():
        if found := match.among(kept):
            standing = found.result(match).standings[0]
            games = len(found.scores) * match.n_players
            played.append(
                {k: first_places(np.array(s))[:, 0].mean() for k, s in found.scores.items()}
            )
            cells = [match.preset, match.agent, f"{games}", percent(standing.win_rate)]
            cells += [plus_minus(standing.lead), f"{1000 * found.seconds / found.decisions:.0f}"]
            rows.append((standing.win_rate.value, cells))
    head = ["rules", "agent", "games", "% won", "points ahead", "ms a decision"]
    table = [head, *(cells for _, cells in sorted(rows, key=lambda row: row[0]))]
    if len(rows) > 1 and len(group.agents) == 1:
        games = group.players * sum(map(len, played))
        won = percent(mean_interval(by_deck(played)))
        table.append(["all alike", group.agents[0], f"{games}", won, "", ""])
    return table


def rows_by_preset(asked: Sequence[Group], kept: dict[str, Kept]) -> Rows:
    """Return one row per preset, with the win rate of each agent in the given groups."""
    rows: Rows = [["preset"], *([f"`{preset}`"] for preset in PRESETS)]
    columns = ((group, agent) for group in asked for agent in group.agents)
    for group, agent in columns:
        alone = "" if group.players == 2 else f"{group.players - 1} "
        column = [f"`{agent}`, {alone}`{group.rival}`"]
        for preset in PRESETS:
            match = Match(agent, group.rival, preset, group.players)
            found = match.among(kept) or Kept()
            is_enough = len(found.scores) * group.players >= ENOUGH
            column.append(percent(found.result(match).standings[0].win_rate) if is_enough else "")
        if any(column[1:]):
            for row, cell in zip(rows, column, strict=True):
                row.append(cell)
    return [rows[0], *(row for row in rows[1:] if any(row[1:]))]


def draw(group: Group, kept: dict[str, Kept]) -> None:
    """Plot win rate against seconds per decision, with a line for each preset."""
    with extras_named():
        from matplotlib.figure import Figure

    lines: dict[str, list[tuple[float, ...]]] = defaultdict(list)
    games: dict[str, list[int]] = defaultdict(list)
    for match in group.matches():
        if found := match.among(kept):
            share = found.result(match).standings[0].win_rate
            seconds = float(match.agent.partition("seconds=")[2])
            lines[match.preset].append((seconds, share.value, share.low, share.high))
            games[match.preset].append(len(found.scores) * match.n_players)
    if not lines:
        return
    figure = Figure(figsize=(6, 3.6), layout="constrained")
    axes = figure.subplots()
    (colour,) = set(colours_of([agent.partition(":")[0] for agent in group.agents]).values())
    ticks = sorted({seconds for points in lines.values() for seconds, *_ in points})
    for k, (preset, points) in enumerate(lines.items()):
        seconds, *shares = np.array(sorted(points)).T
        won, low, high = 100 * np.array(shares)
        error = won - low, high - won
        style = {"marker": MARKERS[k], "linestyle": LINES[k], "capsize": 3, "color": colour}
        label = f"{preset} ({', '.join(map(str, games[preset]))} games)"
        axes.errorbar(seconds * BESIDE**k, won, error, label=label, **style)
    axes.axhline(100 / group.players, color="0.6", linewidth=1)
    axes.set(xscale="log", xticks=ticks, xticklabels=[f"{seconds:g}" for seconds in ticks])
    axes.minorticks_off()
    axes.set(xlabel="seconds for a decision", ylabel=f"% won against {group.rival}")
    note = "Bars: 95% intervals over decks; games from left to right. Grey line: equal strength."
    figure.supxlabel(note, fontsize=8)
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(PICTURES / group.picture, dpi=150)


@dataclass(frozen=True)
class Arguments:
    """Play the matches of the model cards."""

    only: tuple[str, ...] = ()
    """Groups to play. Default: all."""
    rules: tuple[str, ...] = ()
    """Presets to play. Default: all in the plan."""
    agents: tuple[str, ...] = ()
    """Agents that play alone. Default: all in the plan."""
    games: int | None = None
    """Maximum number of games per match. Default: as in the plan."""
    workers: int = 1
    """Processes."""
    missing: bool = False
    """Only print what is missing."""

    @property
    def problem(self) -> str | None:
        """The problem with these options, in words; None if there is none."""
        for name in ("games", "workers"):
            if (number := getattr(self, name)) is not None and number < 1:
                return f"--{name} must be at least 1, got {number}"
        return None

    def wants(self, match: Match) -> bool:
        """Return whether the options include a match."""
        is_of_rules = match.preset in (self.rules or (match.preset,))
        return is_of_rules and match.agent in (self.agents or (match.agent,))


def todo(arguments: Arguments, kept: dict[str, Kept]) -> dict[Match, list[int]]:
    """Return each match's missing decks.

    Raises
    ------
    ValueError
        No group has this name.
    """
    plan = groups()
    missing: dict[Match, list[int]] = {}
    for name in arguments.only or plan:
        group = plan[check_choice("only", name, plan)]
        n_decks = min(group.games, arguments.games or group.games) // group.players
        for match in filter(arguments.wants, group.matches()):
            found = match.among(kept) or Kept()
            decks = [deck for deck in range(max(1, n_decks)) if deck not in found.scores]
            if len(decks) > len(missing.get(match, [])):
                missing[match] = decks
    return missing


def _play(task: tuple[Match, Sequence[int]]) -> tuple[Match, list[Played]]:
    match, decks = task
    return match.play(decks)


def run(arguments: Arguments) -> int:
    """Play the missing games and draw the plots; return the exit status.

    Raises
    ------
    ValueError, OSError, WorkerError
        The plan is refused, or an agent or a worker failed.
    """
    kept = read_kept()
    missing = todo(arguments, kept)
    if arguments.missing:
        for match, decks in missing.items():
            console.print(f"{match.key}: {len(decks) * match.n_players} games", markup=False)
        return 0
    tasks = [(m, d[k : k + AT_ONCE]) for m, d in missing.items() for k in range(0, len(d), AT_ONCE)]
    made, written = f"{machine()}, {commit()}", time.monotonic()
    found: list[tuple[Match, Sequence[Played]]] = []
    with Interruption() as stop, progress() as bar:
        shown = bar.add_task("games", total=sum(len(d) * m.n_players for m, d in missing.items()))
        wanted = (task for task in tasks if not stop.wanted)
        for match, played in spread(_play, wanted, arguments.workers):
            found.append((match, played))
            bar.update(shown, advance=len(played) * match.n_players)
            if time.monotonic() - written > SECONDS_BETWEEN_WRITES:
                keep(found, made)
                found, written = [], time.monotonic()
    if tasks:
        kept = keep(found, made)
    for group in groups().values():
        if group.picture and group.name in (arguments.only or (group.name,)):
            draw(group, kept)
        if len(rows := rows_of(group, kept)) > 1:
            console.print(f"{group.name}: {group.about}\n\n{markdown(rows)}", markup=False)
    console.print(f"Written: {KEPT}")
    return stop.status


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    given = tyro.cli(Arguments, args=arguments, description=__doc__)
    return carry_out(given.problem, given.agents, partial(run, given))


if __name__ == "__main__":
    end_quietly()
    sys.exit(main())
