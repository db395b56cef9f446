"""How much luck is there? Decks played from both seats tell the deck's part from the players'.

    python scripts/experiments/luck.py configs/experiments/luck.yaml

Prints for each pair how often the first agent wins, the spread of its lead, and how much of that
is the deck's: how far the leads of the first seat, whoever sits there, go together in the two games
of a deck (their correlation). If the deck decided all, it would be 100%, if nothing, 0%. Then in
how many decks that have no draw the same seat wins both games: between equals 50% if neither deck
nor seat mattered, and 100% if they decided who wins.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from carc_env.agents import make_agent, play_match
from carc_env.agents.intervals import wilson
from carc_env.agents.report import Rows, markdown, percent
from carc_env.agents.settings import Settings

from carc_env.rules import Rules


@dataclass(frozen=True)
class Luck(Settings):
    """What is played."""

    agents: tuple[str, ...] = ("random", "greedy", "value")
    """Each meets the one before it."""
    equals: tuple[str, ...] = ()
    """Each meets itself with another seed."""
    rules: str = "base"
    """A preset, or YAML; of two players."""
    decks: int = 500
    """Each played from both seats."""
    seed: int = 0
    """Shuffles them."""


def row_of(settings: Luck, better: str, weaker: str) -> list[str]:
    """What came of a pair."""
    rules = Rules.from_yaml(settings.rules)
    players = [make_agent(name, rules) for name in (better, weaker)]
    games = 2 * settings.decks
    match = play_match(players, [better, "other"], rules, games, seed=settings.seed)
    lead = match.scores[:, :, 0] - match.scores[:, :, 1]  # (decks, seatings)
    of_deck = np.corrcoef(lead[:, 0], -lead[:, 1])[0, 1]
    won = np.sign(lead[(lead != 0).all(1)])
    return [
        f"`{better}` against `{weaker}`",
        percent(match.standings[0].win_rate),
        f"{lead.mean():+.1f}",
        f"{lead.std():.1f}",
        f"{of_deck:.0%}",
        percent(wilson(int((won[:, 0] != won[:, 1]).sum()), len(won))),
    ]


def main(path: str) -> None:
    """Print the table."""
    settings = Luck.read(Path(path))
    rows: Rows = [["match", "% won", "lead", "its spread", "of it the deck", "one seat, %"]]
    pairs = [*zip(settings.agents[1:], settings.agents, strict=False)]
    pairs += [(f"{name},seed=1", f"{name},seed=2") for name in settings.equals]
    for pair in pairs:
        rows.append(row_of(settings, *pair))
    print(markdown(rows))


if __name__ == "__main__":
    main(sys.argv[1])
