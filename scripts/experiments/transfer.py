"""Does learning on the base game help with all sets? PPO from both starts.

    python scripts/experiments/transfer.py configs/experiments/transfer.yaml

Prints a table: how often the network wins before the first and after the last step, begun with
the network of ``init`` and begun with nothing. Draws the curves.
"""

from __future__ import annotations

import sys
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from carc_env.agents import make_agent, play_match
from carc_env.agents.cpu import prepare_cpu
from carc_env.agents.curve import Row, draw_runs
from carc_env.agents.report import Rows, markdown, percent

sys.path.insert(0, str(Path(__file__).parents[1]))
if __name__ == "__main__":
    prepare_cpu()  # before torch is loaded

from ppo import Arguments, Learner


@dataclass(frozen=True)
class Transfer(Arguments):
    """The settings of ``scripts/ppo.py`` with an ``init``, and more."""

    games: int = 200
    """Of each match after a run and before it, on other decks than those of its evaluations."""
    picture: str = ""
    """File for the plot of the curves."""


def row_of(settings: Transfer, learner: Learner) -> list[str]:
    """Return the current strength of a learner."""
    cells = [f"`{Path(settings.init).stem}`" if settings.init else "scratch", f"{learner.steps:,}"]
    for name in settings.eval_against:
        players = [learner.agent, make_agent(name, settings.rules)]
        match = play_match(players, ["learner", name], settings.rules, settings.games)
        mine, theirs = match.standings
        cells += [percent(mine.win_rate), f"{mine.score.value:.1f}:{theirs.score.value:.1f}"]
    print(cells, file=sys.stderr)
    return cells


def main(path: str) -> None:
    """Print the table."""
    settings = Transfer.read(Path(path))
    rows: Rows = [["start", "decisions"]]
    for name in settings.eval_against:
        rows[0] += [f"against `{name}`, % won", "points"]
    curves: dict[str, list[list[Row]]] = {}
    for one in (settings, settings.replace(init="")):
        with closing(Learner.begin(one)) as learner:
            rows.append(row_of(one, learner))
            while not learner.is_done:
                learner.update()
            rows.append(row_of(one, learner))
        curves[rows[-1][0].strip("`")] = [learner.curve]
    if settings.picture:
        draw_runs(Path(settings.picture), curves.items(), settings.eval_against)
    print(markdown(rows))


if __name__ == "__main__":
    main(sys.argv[1])
