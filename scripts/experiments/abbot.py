"""Does the abbot change the balance of the base game? The same matches with and without it.

    python scripts/experiments/abbot.py configs/experiments/abbot.yaml

Prints a table: points by source, what decides games, and how often the better agent wins.
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from carc_env.agents import make_agent, play_match
from carc_env.agents.arena import deck_seed
from carc_env.agents.intervals import mean_interval, share_interval
from carc_env.agents.report import Rows, markdown, percent
from carc_env.agents.settings import Settings

from carc_env import Game, Kind
from carc_env.rules import Rules

SOURCES = (Kind.CITY, Kind.ROAD, Kind.FIELD, Kind.MONASTERY, Kind.GARDEN)


@dataclass(frozen=True)
class Abbot(Settings):
    """Settings of the matches."""

    agent: str = "value"
    """The agent that plays against a copy of itself."""
    weaker: str = "greedy"
    """The weaker opponent."""
    games: int = 1000
    """Games for each set of rules."""
    seed: int = 0
    """Shuffles the decks."""


def column_of(settings: Abbot, rules: Rules) -> list[str]:
    """Return the results for some rules."""
    agent = make_agent(settings.agent, rules)
    sources: Counter[Kind] = Counter()
    points = np.zeros((settings.games, 2))
    for deck in range(settings.games):
        game = Game(rules, seed=deck_seed(settings.seed, deck))
        while not game.is_over:
            game.step(agent.act(game))
            for score in game.last_scores:
                sources[score.kind] += score.points
        points[deck] = game.scores
    lead = points[:, 0] - points[:, 1]
    won = share_interval((lead > 0) + 0.5 * (lead == 0))
    names = ("better", "weaker")
    players = [agent, make_agent(settings.weaker, rules)]
    match = play_match(players, names, rules, settings.games, seed=settings.seed)
    ahead = mean_interval(lead)
    return [
        *(f"{sources[kind] / (2 * settings.games):.1f}" for kind in SOURCES),
        f"{points.mean():.1f}",
        f"{lead.std():.1f}",
        percent(won),
        f"{ahead.value:+.1f} ± {ahead.high - ahead.value:.1f}",
        percent(match.standings[0].win_rate),
    ]


def main(path: str) -> None:
    """Print the table."""
    settings = Abbot.read(Path(path))
    first = [f"points for a {kind.name.lower()}" for kind in SOURCES]
    first += [
        "points per player",
        "standard deviation of the lead",
        "first seat, % won",
        "first seat, lead",
    ]
    columns = [
        ["", *first, f"{settings.agent} against {settings.weaker}, % won"],
        ["with abbot", *column_of(settings, Rules())],
        ["without", *column_of(settings, Rules(abbot=False))],
    ]
    rows: Rows = [list(row) for row in zip(*columns, strict=True)]
    print(markdown(rows))


if __name__ == "__main__":
    main(sys.argv[1])
