"""A first look at rewards: the same short run of ``scripts/ppo.py`` with each scheme.

    python scripts/experiments/rewards.py configs/experiments/rewards.yaml

Prints a table: win rates and points after training with each scheme. Draws the curves.
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
class Rewards(Arguments):
    """The settings of ``scripts/ppo.py``, except the reward, and more."""

    schemes: tuple[str, ...] = ("outcome", "score_delta", "margin", "projected")
    """Reward schemes, one run each."""
    scales: tuple[str, ...] = ("1", "0.1", "0.1", "0.1")
    """Factors on the rewards of each scheme: an outcome is 1, scores are tens of points."""
    seeds: tuple[int, ...] = (0,)
    """Seeds of the runs of each scheme."""
    games: int = 200
    """Against each agent after the run, on other decks than those of its evaluations."""
    picture: str = ""
    """File for the plot of the curves."""


def run(settings: Rewards) -> tuple[list[Row], list[str]]:
    """Train once: return the curve, and the cells of a row of the table."""
    cells = []
    with closing(Learner(settings)) as learner:
        while not learner.is_done:
            learner.update()
        for name in settings.eval_against:
            players = [learner.agent, make_agent(name, settings.rules)]
            match = play_match(players, ["learner", name], settings.rules, settings.games)
            mine, theirs = match.standings
            cells += [percent(mine.win_rate), f"{mine.score.value:.1f}:{theirs.score.value:.1f}"]
    return learner.curve, cells


def main(path: str) -> None:
    """Print the table."""
    settings = Rewards.read(Path(path))
    rows: Rows = [["reward", "seed"]]
    for name in settings.eval_against:
        rows[0] += [f"against `{name}`, % won", "points"]
    curves: dict[str, list[list[Row]]] = {}
    for scheme, scale in zip(settings.schemes, settings.scales, strict=True):
        for seed in settings.seeds:
            curve, cells = run(
                settings.replace(reward=scheme, reward_scale=float(scale), seed=seed)
            )
            curves.setdefault(scheme, []).append(curve)
            rows.append([f"`{scheme}`", f"{seed}", *cells])
            print(rows[-1], file=sys.stderr)
    if settings.picture:
        draw_runs(Path(settings.picture), curves.items(), settings.eval_against)
    print(markdown(rows))


if __name__ == "__main__":
    main(sys.argv[1])
