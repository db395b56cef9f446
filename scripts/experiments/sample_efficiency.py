"""How many games does a value need? Weights learned one by one, or all by a small network.

    python scripts/experiments/sample_efficiency.py configs/experiments/sample-efficiency.yaml

Prints a table: win rates after so many games of self-play from scratch, against ``value`` as
shipped and against ``greedy``.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from pathlib import Path

from carc_env.agents.arena import play_against
from carc_env.agents.named_settings import settings_file
from carc_env.agents.report import Rows, markdown, percent
from carc_env.agents.settings import Settings
from carc_env.agents.value_config import ValueConfig
from carc_env.agents.value_learner import ValueLearner

from carc_env.rules import Rules
from carc_env.search.players import GreedyPlayer, OnePly, learned
from carc_env.search.weights import weights_for


@dataclass(frozen=True)
class Comparison(Settings):
    """The learners, and their budgets."""

    rules: str = "base"
    """A preset, or YAML."""
    evaluation: str = "insight"
    """The evaluation whose tables are learned."""
    budgets: tuple[int, ...] = (1_000, 4_000)
    """Games of self-play; a separate run for each number."""
    hidden_units: tuple[int, ...] = (0, 32)
    """Sizes of the hidden layer; 0: weights learned one by one."""
    seeds: tuple[int, ...] = (0,)
    """Seeds of the runs."""
    games: int = 1_000
    """Games of each match."""


def main(path: str) -> None:
    """Print the table."""
    settings = Comparison.read(Path(path))
    rules = Rules.from_yaml(settings.rules)
    shipped = OnePly(learned(weights_for(rules)))
    rows: Rows = [["hidden units", "games", "seed", "seconds", "% won, `value`", "% won, `greedy`"]]
    for units in settings.hidden_units:
        how = ValueConfig.read(settings_file(Path("value-insight"))) if units else ValueConfig()
        for total in settings.budgets:
            for seed in settings.seeds:
                config = how.replace(
                    rules=rules,
                    evaluation=settings.evaluation,
                    total_games=total,
                    hidden_units=units,
                    seed=seed,
                    threads=1,
                )
                learner, began = ValueLearner(config), time.perf_counter()
                while learner.games < total:
                    learner.learn()
                seconds = time.perf_counter() - began
                found = [
                    play_against(learner.player(), rival, rules, settings.games, seed=77)
                    for rival in (shipped, GreedyPlayer())
                ]
                learner.close()
                won = [percent(match.standings[0].win_rate) for match in found]
                rows.append([f"{units}", f"{total:,}", f"{seed}", f"{seconds:.0f}", *won])
    print(markdown(rows))


if __name__ == "__main__":
    main(sys.argv[1])
