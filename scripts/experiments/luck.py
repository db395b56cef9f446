"""How much luck is there? Decks played from both seats separate the deck's part from the players'.

    python scripts/experiments/luck.py configs/experiments/luck.yaml

Prints for each pair how often the first agent wins, the standard deviation of its lead, and the
deck's share of its variance: the correlation of the first seat's leads, regardless of who sits
there, in the two games of a deck. If the deck decided everything, it would be 100%, if nothing, 0%.
The last column is the share of decks without a draw in which the same seat wins both games: between
equals 50% if neither deck nor seat mattered, and 100% if they decided who wins.
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
    """Settings of the matches."""

    agents: tuple[str, ...] = ("random", "greedy", "value")
    """Each agent meets the previous one."""
    equals: tuple[str, ...] = ()
    """Each agent meets itself with another seed."""
    rules: str = "base"
    """A preset, or YAML; for two players."""
    decks: int = 500
    """Each played from both seats."""
    seed: int = 0
    """Shuffles the decks."""


def row_of(settings: Luck, better: str, weaker: str) -> list[str]:
    """Return the results of a pair."""
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
    head = [
        "match",
        "% won",
        "lead",
        "standard deviation",
        "deck's share",
        "same seat wins both, %",
    ]
    rows: Rows = [head]
    pairs = [*zip(settings.agents[1:], settings.agents, strict=False)]
    pairs += [(f"{name},seed=1", f"{name},seed=2") for name in settings.equals]
    for pair in pairs:
        rows.append(row_of(settings, *pair))
    print(markdown(rows))


if __name__ == "__main__":
    main(sys.argv[1])
