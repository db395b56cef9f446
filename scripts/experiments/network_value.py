"""Does a small network beat the tables as a value? Both learn on from what the tables know.

    python scripts/experiments/network_value.py configs/experiments/network-value.yaml

Prints a table: against the tables as shipped, one ply ahead and as the leaf of a search with the
same time, and against greedy; first what the tables make of the same games, then the network
(``agents/value_network.py``).
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from pathlib import Path

from carc_env.agents.arena import Player, play_against
from carc_env.agents.report import Rows, markdown, percent
from carc_env.agents.settings import Settings
from carc_env.agents.value_network import ValueNetwork

from carc_env.rules import Rules
from carc_env.search.expectimax import Expectimax
from carc_env.search.players import GreedyPlayer, OnePly, value_with
from carc_env.search.weights import weights_for


@dataclass(frozen=True)
class Comparison(Settings):
    """What learns, and for how long."""

    rules: str = "base"
    """A preset, or YAML."""
    total_games: int = 20_000
    """Of self-play."""
    learning_rate: float = 0.05
    """Of AdaGrad."""
    td_lambda: float = 0.5
    """Between the next value (0) and the end of the game (1)."""
    games: int = 2_000
    """Of each match one ply ahead."""
    search_games: int = 200
    """Of the match as the leaf of a search; 0: none."""
    seconds: float = 0.1
    """A move of the searches."""
    seed: int = 0
    """Of the games that are learned from, and of the decks of matches, which are others."""


def won(one: Player, other: Player, rules: Rules, games: int, seed: int) -> str:
    """How often a player wins against copies of another."""
    match = play_against(one, other, rules, games, seed=seed)
    return percent(match.standings[0].win_rate)


def main(path: str) -> None:
    """Print the table."""
    settings = Comparison.read(Path(path))
    rules, seed = Rules.from_yaml(settings.rules), settings.seed
    rows: Rows = [["value", "games a second", "one ply", "as a leaf", "against `greedy`"]]
    tables = value_with(weights_for(rules).values)
    for name, has_rows in (("tables, learned on", False), ("tables and network", True)):
        learner, began = ValueNetwork(rules, settings.seed, has_rows=has_rows), time.perf_counter()
        learner.learn(settings.total_games, settings.learning_rate, settings.td_lambda)
        rate, found = settings.total_games / (time.perf_counter() - began), learner.evaluation
        row = [name, f"{rate:.0f}"]
        row.append(won(OnePly(found), OnePly(tables), rules, settings.games, seed))
        searches = [Expectimax(e, seconds=settings.seconds) for e in (found, tables)]
        has_search = has_rows and settings.search_games
        row.append(won(*searches, rules, settings.search_games, seed) if has_search else "")
        row.append(won(OnePly(found), GreedyPlayer(), rules, settings.games, seed))
        rows.append(row)
        print(row, file=sys.stderr)
    print(markdown(rows))


if __name__ == "__main__":
    main(sys.argv[1])
