"""Show the coach's accuracy for every level of the page.

    python scripts/accuracy.py --games 3

Each level plays the two-player base game against itself, and the coach reviews all decisions. The
scale is right if random play stays below 20% and the top level is above 95%.
"""

from __future__ import annotations

import signal
import sys
from dataclasses import dataclass

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # no traceback while modules are being imported

import tyro

from carc_env.envs.naming import make_agent
from carc_env.envs.opponents import act
from carc_env.game.game import Game
from carc_env.rules import Rules
from carc_env.web.coach import accuracy, judge
from carc_env.web.history import levels


@dataclass(frozen=True)
class Arguments:
    """Show the coach's accuracy for every level of the page."""

    games: int = 3
    """Games per level."""
    levels: tuple[int, ...] = ()
    """Levels, counted from 1; all if there are none."""


def accuracy_of(agent: str, games: int) -> int | None:
    """Return an agent's accuracy in games against itself, in percent."""
    rules, verdicts = Rules(), []
    for seed in range(games):
        player, game = make_agent(agent, rules, seed=seed), Game(rules, seed=seed)
        while not game.is_over:
            action = int(act(player, game))
            verdicts.append(judge(game.clone(), len(game.moves), action))
            game.apply(action)
    return accuracy([verdict for verdict in verdicts if verdict is not None])


def main(arguments: Arguments) -> int:
    """Print one line per level; return the exit status."""
    for k, level in enumerate(levels(), start=1):
        if not arguments.levels or k in arguments.levels:
            percent = accuracy_of(level.agent, arguments.games)
            print(f"level {k}, {level.agent}: {percent}%", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(tyro.cli(Arguments)))
