"""Measure the tasks and write the table of ``docs/reference/tasks.md``.

    python scripts/task_facts.py                                     all tasks, about half an hour
    python scripts/task_facts.py --only all-greedy-v1 --games 100    renew a column

Tasks with the same rules share a column. ``docs/tasks.json`` keeps the columns.
docs/reference/tasks.md explains the rows.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt
import tyro
from carc_env.agents import make_agent
from carc_env.agents.arena import first_places, leads
from carc_env.agents.claim import changing
from carc_env.agents.intervals import Z95, Estimate, share_interval
from carc_env.agents.report import EMPTY, Rows, half_of, markdown
from carc_env.agents.run_folder import commit

from carc_env.arguments import UserPath
from carc_env.engine.core.board import BOARD
from carc_env.engine.core.codes import Kind
from carc_env.game.game import Game
from carc_env.game.records import replace_file
from carc_env.game.table import Table
from carc_env.layout.actions import action_layout
from carc_env.layout.encodings import make_encoding
from carc_env.rules import MAX_VIEW, Rules
from carc_env.seeds import Stream, seed_of
from carc_env.tasks import TASKS, Task, task

DOCS = Path(__file__).resolve().parents[1] / "docs"
FIGURES = re.compile(
    r"(<!-- figures of task_facts.py -->\n)(.*?)(<!-- end of figures -->)", re.DOTALL
)
SEED = 2026
RANDOM_GAMES = 8_000
"""Random games are fast, and their boards the widest."""
ROUNDS = 2
"""Games on each deck, to measure how much of the margin the deck explains."""
STRAYS = 10
"""One decision of this many is random in these games, so that two games on a deck diverge."""
PLAYERS = ("random", "greedy", "value")


@dataclass(frozen=True)
class Arguments:
    """Measure the tasks."""

    only: tuple[str, ...] = tuple(TASKS)
    """Names of tasks. Games of a task with test rules are played under its largest rules."""
    games: int = 400
    """Games of `greedy` and of `value`."""
    docs: UserPath = DOCS
    """The folder of the columns, ``tasks.json``, and of the page."""


@dataclass
class Played:
    """Results of games of an agent against itself."""

    widths: list[int] = field(default_factory=list)
    """Cells of the longer side of the board."""
    choices: list[int] = field(default_factory=list)
    """Legal actions of every decision."""
    decisions: list[int] = field(default_factory=list)
    """By game, all seats together."""
    tiles: list[int] = field(default_factory=list)
    """Tiles placed in each game."""
    scores: list[tuple[int, ...]] = field(default_factory=list)
    points: Counter[Kind] = field(default_factory=Counter)
    """Points by kind of feature, of all seats and games."""


def games_of(agent: str, rules: Rules, n_games: int) -> Played:
    """Play games of an agent against itself on decks that no evaluation uses."""
    found, is_logged = Played(), agent == "value"
    player = make_agent(agent, rules)
    for k in range(n_games):
        seed = seed_of(Stream.TRAINING, SEED, k)
        game = Game(rules, seed=seed) if is_logged else Table(rules, seed=seed)
        n_tiles, n_decisions = int(game.states[0].n_tiles), 0
        while not game.is_over:
            if is_logged:
                found.choices.append(len(game.legal_actions()))
            game.step_unchecked(player.act(game))
            n_decisions += 1
            for score in game.last_scores if isinstance(game, Game) else ():
                found.points[score.kind] += score.points
        found.widths.append(width_of(game))
        found.decisions.append(n_decisions)
        found.tiles.append(int(game.states[0].n_tiles) - n_tiles)
        found.scores.append(game.scores)
    return found


def width_of(table: Table) -> int:
    """Return the cells of the longer side of the board."""
    s = table.states[0]
    sides = np.divmod(s.tiles["cell"][: int(s.n_tiles)], BOARD)
    return int(max(side.max() - side.min() for side in sides)) + 1


def margins(rules: Rules, n_decks: int) -> npt.NDArray[np.float64]:
    """Return the leads of seat 0, shape (decks, rounds), of `value` with random decisions."""
    player, found = make_agent("value", rules), np.empty((n_decks, ROUNDS))
    for deck in range(n_decks):
        for number in range(ROUNDS):
            table = Table(rules, seed=seed_of(Stream.TRAINING, SEED, deck))
            random = np.random.default_rng([SEED, deck, number])
            while not table.is_over:
                actions = table.legal_actions()
                strays = random.integers(STRAYS) == 0
                action = actions[random.integers(len(actions))] if strays else player.act(table)
                table.step_unchecked(int(action))
            found[deck, number] = leads(np.array(table.scores))[0]
    return found


def share_of_decks(found: npt.NDArray[np.float64]) -> Estimate:
    """Return the share of the variance that the decks explain: an intraclass correlation.

    The interval is a normal one with the spread of bootstrap samples of decks.
    """
    random = np.random.default_rng(SEED)
    samples = [found[random.integers(len(found), size=len(found))] for _ in range(1_000)]
    value, half = _intraclass(found), Z95 * float(np.std([_intraclass(s) for s in samples]))
    return Estimate(value, value - half, value + half)


def _intraclass(found: npt.NDArray[np.float64]) -> float:
    rounds = found.shape[1]
    between = rounds * found.mean(axis=1).var(ddof=1)
    within = found.var(axis=1, ddof=1).mean()
    return float((between - within) / (between + (rounds - 1) * within))


def column_of(asked: Task, n_games: int) -> dict[str, str]:
    """Return facts about the rules of a task, by the names of the rows."""
    rules, wide = asked.env_rules, widest(asked).replace(view=MAX_VIEW)
    counts = {"random": RANDOM_GAMES, "greedy": n_games, "value": n_games}
    games = {agent: games_of(agent, wide, n) for agent, n in counts.items()}
    value = games["value"]
    first = share_interval([first_places(np.array(s))[0] for s in value.scores])
    deck = share_of_decks(margins(wide, n_games // ROUNDS))
    shapes = {name: box.shape for name, box in make_encoding(rules, "planes").space().items()}
    total = sum(value.points.values())
    return {
        "players": str(wide.n_players),
        "view": f"{rules.view} x {rules.view}",
        "observation: board": " x ".join(map(str, shapes["board"])),
        "observation: globals": str(*shapes["globals"]),
        "actions": f"{action_layout(rules).n_actions:,}",
        **{
            f"games of `{agent}` wider than the view, per 1,000": _per_mille(played, rules.view)
            for agent, played in games.items()
        },
        "tiles placed a game": f"{np.mean(value.tiles):.1f}",
        "decisions a game, all seats": f"{np.mean(value.decisions):.1f}",
        "decisions a game, one seat": f"{np.mean(value.decisions) / wide.n_players:.1f}",
        "legal actions, mean": f"{np.mean(value.choices):.1f}",
        "legal actions, most": f"{max(value.choices)}",
        "points a seat": f"{np.mean(value.scores):.1f}",
        **{f"% of points: {_word(kind)}": _percent(value.points[kind], total) for kind in Kind},
        "% won by seat 0": f"{100 * first.value:.1f} ± {100 * half_of(first):.1f}",
        "% of the variance of margins: deck": f"{100 * deck.value:.0f} ± {100 * half_of(deck):.0f}",
        "made at commit": commit(),
    }


def widest(asked: Task) -> Rules:
    """Return the rules with the most tiles and then the most seats among those of a task."""
    found = (rules.plain for rules in asked.test_rules)
    return max(found, key=lambda rules: (int(rules.tile_counts.sum()), rules.n_players))


def _per_mille(played: Played, view: int) -> str:
    share = 1000 * np.mean([width > view for width in played.widths])
    return f"{share:.1f} of {len(played.widths):,}"


def _word(kind: Kind) -> str:
    return kind.name.lower().replace("_", " ")


def _percent(points: int, total: int) -> str:
    return f"{100 * points / total:.1f}" if points else EMPTY


def named(asked: Task) -> str:
    """Return the heading of the column of a task: all tasks with its rules and test rules.

    Versions with the same training are named once.
    """
    firsts = (one for one in TASKS.values() if one.first is one)
    same = (one.name for one in firsts if one.rules == asked.rules and one.tests == asked.tests)
    return ", ".join(f"`{name}`" for name in same)


def table_of(columns: dict[str, dict[str, str]]) -> Rows:
    """Return the table: a column for each set of rules, a row for each fact of some rules."""
    heads = [head for head in dict.fromkeys(map(named, TASKS.values())) if head in columns]
    names = dict.fromkeys(name for head in heads for name in columns[head])
    rows = [[name, *(columns[head].get(name, EMPTY) for head in heads)] for name in names]
    return [["", *heads], *(row for row in rows if {*row[1:]} != {EMPTY})]


def page_with(page: str, columns: dict[str, dict[str, str]]) -> str:
    """The page with the table between its comments."""
    return FIGURES.sub(lambda found: found[1] + markdown(table_of(columns)) + found[3], page)


def main(arguments: Arguments) -> int:
    """Measure, and write the table column by column; returns the exit status."""
    page, kept = (
        (arguments.docs / "reference/tasks").with_suffix(".md"),
        arguments.docs / "tasks.json",
    )
    asked = {named(task(name)): task(name) for name in arguments.only}
    for head, one in asked.items():
        print(f"{head} ...", flush=True)
        column = column_of(one, arguments.games)
        with changing(kept):  # other processes may measure other tasks at the same time
            columns = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
            columns[head] = column
            replace_file(kept, (json.dumps(columns, indent=1) + "\n").encode())
            text = page_with(page.read_text(encoding="utf-8"), columns)
            replace_file(page, text.encode())
    return 0


if __name__ == "__main__":
    sys.exit(main(tyro.cli(Arguments, description=__doc__)))
