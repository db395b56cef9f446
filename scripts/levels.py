"""Measure the opponent levels offered by the page, and write carc_env/web/levels.json.

    python scripts/levels.py --workers 1

Every level plays the next levels above it in the two-player base game, ``--decks`` decks from both
seats. Elo ratings are fitted to all games at once, with ``random`` at 0. The games are kept in
``--folder`` and continued. The agents were chosen so that the steps between levels are about equal;
the output shows how equal they are. ``scripts/write_tables.py`` updates the pages that quote the
file.
"""

from __future__ import annotations

import json
import shlex
import signal
import sys
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # no traceback while modules are being imported

import tyro
from carc_env.agents.arena import Arena
from carc_env.agents.commands.tournament import Machines, carry_out, console, play, show
from carc_env.agents.interrupt import end_quietly
from carc_env.agents.report import Report, report_of
from carc_env.agents.run_folder import commit, machine
from carc_env.agents.tournament import Tournament, make_players

from carc_env.arguments import UserPath
from carc_env.extras import check_installed
from carc_env.game.records import replace_file
from carc_env.rules import Rules

ROOT = Path(__file__).resolve().parents[1]
LEVELS = ROOT / "carc_env/web/levels.json"
AGENTS = (
    "random",
    "weakened:noise=9",
    "weakened:noise=5.3",
    "weakened:noise=3.4",
    "weakened:noise=2.2",
    "greedy",
    "weakened:noise=0.8",
    "search:sims=5000",
)
"""The levels' agents, weakest first."""
REACH = 2
"""Number of higher levels that each level plays."""


@dataclass(frozen=True)
class Arguments:
    """Measure the levels of the page."""

    decks: int = 200
    """Decks per pairing, each played from both seats."""
    folder: UserPath = Path("runs/levels")
    """Folder for the games."""
    machines: Machines = field(default_factory=Machines)
    """Machines that play the games."""

    @property
    def problem(self) -> str | None:
        """The problem with these options, in words; None if there is none."""
        if self.decks < 1:
            return f"--decks must be 1 or more, got {self.decks}"
        return self.machines.problem


def run(arguments: Arguments) -> int:
    """Play, write the levels and print the steps; return the exit status.

    Raises
    ------
    ValueError, OSError, ImportError, WorkerError
        An agent or a worker failed.
    """
    check_installed("choix")  # report a missing package before playing
    rules = Rules()
    arena = Arena(make_players(AGENTS, rules), rules)
    met = [(one, other) for k, one in enumerate(AGENTS) for other in AGENTS[k + 1 : k + 1 + REACH]]
    tournament = Tournament(arena, met, arguments.decks)
    if status := play(tournament, arguments.machines, arguments.folder):
        console.print("Interrupted: run the same command to continue.")
        return status
    report = report_of(tournament.played, AGENTS[0])
    show(report)
    levels = levels_of(report)
    command = shlex.join(["python", "scripts/levels.py", *sys.argv[1:]])
    table = {
        "made": f"by `{command}` on {machine()}, at commit {commit()}",
        "decks": arguments.decks,
        "levels": levels,
    }
    replace_file(LEVELS, (json.dumps(table, indent=1) + "\n").encode())
    elos = [row["elo"] for row in levels]
    mean = (elos[-1] - elos[0]) / (len(elos) - 1)
    steps = ", ".join(f"{high - low} ({(high - low) / mean:.0%})" for low, high in pairwise(elos))
    console.print(f"Steps: {steps}; {mean:.0f} on average")
    return 0


def levels_of(report: Report) -> list[dict[str, Any]]:
    """Return the levels as plain values: Elo with its interval, win rate against the next level."""
    elo = {row.agent: row.rating for row in report.rows}
    rows: list[dict[str, Any]] = []
    for agent, following in zip(AGENTS, (*AGENTS[1:], None), strict=True):
        found = elo[agent]
        assert found is not None  # several agents have played
        row = {"agent": agent, "elo": round(found.value)}
        row["interval"] = [round(found.low), round(found.high)]
        if following is not None:
            won = report.crosstable[agent][following]
            row["won"] = [round(part, 4) for part in (won.value, won.low, won.high)]
        rows.append(row)
    return rows


def main() -> int:
    """Run the command line; return the exit status."""
    arguments = tyro.cli(Arguments, description=__doc__, config=(tyro.conf.OmitArgPrefixes,))
    return carry_out(arguments.problem, AGENTS, partial(run, arguments))


if __name__ == "__main__":
    end_quietly()
    sys.exit(main())
