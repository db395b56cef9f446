"""What is the first seat worth? The same agent in every seat, for several rules.

    python scripts/experiments/first_seat.py configs/experiments/first-seat.yaml

Prints a table: how often each seat wins, and by how many points it is ahead of the best other one.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from carc_env.agents import make_agent, play_game
from carc_env.agents.arena import deck_seed
from carc_env.agents.intervals import mean_interval, share_interval
from carc_env.agents.report import Rows, markdown, percent
from carc_env.agents.settings import Settings

from carc_env.rules import Rules


@dataclass(frozen=True)
class FirstSeat(Settings):
    """Settings of the matches."""

    agent: str = "value"
    """The agent in every seat."""
    rules: tuple[str, ...] = ("base",)
    """Presets, or YAML."""
    games: int = 1000
    """Games for each set of rules."""
    seed: int = 0
    """Shuffles the decks."""


def rows_of(settings: FirstSeat, word: str) -> Rows:
    """A row for each seat of a game."""
    rules = Rules.from_yaml(word)
    agents = [make_agent(settings.agent, rules)] * rules.n_players
    points = np.array(
        [
            play_game(agents, rules, seed=deck_seed(settings.seed, deck)).scores
            for deck in range(settings.games)
        ]
    )
    best = points == points.max(axis=1, keepdims=True)
    won = best / best.sum(axis=1, keepdims=True)
    rows: Rows = []
    for seat in range(rules.n_players):
        rivals = np.delete(points, seat, axis=1).max(axis=1)
        ahead = mean_interval(points[:, seat] - rivals)
        half = ahead.high - ahead.value
        share = percent(share_interval(won[:, seat]))
        rows.append([f"`{word}`", str(seat), share, f"{ahead.value:+.1f} ± {half:.1f}"])
    return rows


def main(path: str) -> None:
    """Print the table."""
    settings = FirstSeat.read(Path(path))
    rows: Rows = [["rules", "seat", "% won", "points ahead"]]
    for word in settings.rules:
        rows += rows_of(settings, word)
    print(markdown(rows))


if __name__ == "__main__":
    main(sys.argv[1])
