"""Rate the anchors of the tasks that have a rating: play their cross tables.

    python scripts/anchors.py                          all rules, a few minutes on one core
    python scripts/anchors.py --only base --decks 10   a trial: prints ratings, writes nothing

The anchors play a round robin (with more than two players, one against copies of another, both
ways). ``docs/results/anchors.json`` keeps the cross tables, and ``carc_env/tasks.py`` the ratings,
which are part of the frozen tasks.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import tyro
from carc_env.agents.arena import Arena
from carc_env.agents.commands.tournament import Machines, play
from carc_env.agents.ratings import ELO, fit, prior_of, wins_by_deck
from carc_env.agents.run_folder import commit
from carc_env.agents.tournament import Tournament, line_ups, make_players

from carc_env.arguments import UserPath
from carc_env.game.records import replace_file
from carc_env.tasks import task

FILE = Path(__file__).resolve().parents[1] / "docs/results/anchors.json"
GAMES = {
    "base": ("base-selfplay-v2", 200),
    "abbey-mayor": ("abbey-mayor-greedy-v2", 200),
    "inns-traders": ("traders-transfer-v2", 200),
    "all-4": ("all-greedy-v2", 12),
}
"""By name of the rules: a task, whose opponents are the anchors, and decks for each line-up. There
is no `search:sims=200` among them: it seldom has time for replies, and plays like `insight`."""
ZERO, AT = "value", 1500
"""The anchor with a given rating."""
SEED = 57


@dataclass(frozen=True)
class Arguments:
    """Rate the anchors."""

    only: tuple[str, ...] = tuple(GAMES)
    """Names of rules."""
    decks: int | None = None
    """Use only this many decks, and write nothing."""
    folder: UserPath = Path("runs/anchors")
    """Folder for games."""
    machines: Machines = field(default_factory=Machines)
    """Machines that play the games."""


def ratings_of(anchors: tuple[str, ...], wins: Any) -> list[int]:
    """Return ratings from how often each anchor outscored each other one, rounded to an Elo."""
    strengths = ELO * fit(np.array(wins, float))
    zero = anchors.index(ZERO)
    return [round(AT + one - strengths[zero]) for one in strengths]


def main(arguments: Arguments) -> int:
    """Play, print the ratings and write the cross tables; return the exit status."""
    found = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}
    for name in arguments.only:
        of, n_decks = GAMES[name]
        rules, anchors = task(of).env_rules, task(of).rivals
        arena = Arena(make_players(anchors, rules), rules, SEED)
        met = line_ups(anchors, rules.n_players, "round-robin")
        tournament = Tournament(arena, met, arguments.decks or n_decks)
        if status := play(tournament, arguments.machines, arguments.folder / name):
            return status
        wins = wins_by_deck(tournament.played, anchors)
        wins = wins.sum(0) + prior_of(wins)
        found[name] = {
            "commit": commit(),
            "decks": arguments.decks or n_decks,
            "anchors": anchors,
            "wins": wins.round(2).tolist(),
        }
        print(name, dict(zip(anchors, ratings_of(anchors, wins), strict=True)), flush=True)
        if arguments.decks is None:
            text = json.dumps({key: found[key] for key in GAMES if key in found}, indent=1)
            replace_file(FILE, (text + "\n").encode())
    return 0


if __name__ == "__main__":
    sys.exit(main(tyro.cli(Arguments, description=__doc__)))
