"""How strong does ``scripts/ppo.py`` get in how much time? One run for each of its settings.

    python scripts/experiments/frontier.py configs/experiments/frontier.yaml

Prints a table: speed, time, and win rates after training. Draws the win rates over time.
"""

from __future__ import annotations

import sys
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from carc_env.agents import make_agent
from carc_env.agents.arena import play_against
from carc_env.agents.cpu import prepare_cpu
from carc_env.agents.figures import colours_of
from carc_env.agents.intervals import Estimate
from carc_env.agents.named_settings import settings_file
from carc_env.agents.report import Rows, markdown, percent
from carc_env.agents.settings import Settings
from matplotlib.figure import Figure

sys.path.insert(0, str(Path(__file__).parents[1]))
if __name__ == "__main__":
    prepare_cpu()  # before torch is loaded

from ppo import Arguments, Learner


@dataclass(frozen=True)
class Frontier(Settings):
    """The settings to be compared, and the opponents of their results."""

    points: tuple[str, ...] = ("ppo-1-minute",)
    """Names of settings, or files of them, each with its own steps and seed."""
    share: float = 1.0
    """Share of the steps of each run; less for a quick check of the script."""
    games: int = 400
    """Against each agent after the run, on decks that nobody trains on, from every seat."""
    eval_against: tuple[str, ...] = ("random", "greedy", "value")
    """The opponents."""
    picture: str = ""
    """File for the plot of the win rates over time."""


def run(a: Arguments, settings: Frontier) -> tuple[list[str], float, list[Estimate]]:
    """Train without evaluations, then play: return table cells, minutes, and win rates."""
    with closing(Learner.begin(a)) as learner:
        processor, wall = time.process_time(), time.perf_counter()
        while learner.steps < a.total_steps * settings.share:
            learner.learn()
        processor, wall = time.process_time() - processor, time.perf_counter() - wall
        wins = []
        for name in settings.eval_against:
            match = play_against(learner.agent, make_agent(name, a.rules), a.rules, settings.games)
            wins.append(match.standings[0].win_rate)
    times = [f"{processor / 60:.1f}", f"{wall / 60:.1f}", f"{learner.steps / processor:,.0f}"]
    return [f"{learner.steps:,}", *times, *map(percent, wins)], processor / 60, wins


def draw(path: str, minutes: list[float], wins: list[list[Estimate]], rivals: list[str]) -> None:
    """Draw win rates with their intervals over minutes."""
    figure = Figure(figsize=(5.5, 3.6), layout="constrained")
    (axes := figure.subplots()).grid(alpha=0.3)
    colours = colours_of(rivals)
    for name, *found in zip(rivals, *wins, strict=True):
        gaps = [[e.value - e.low for e in found], [e.high - e.value for e in found]]
        style = {"marker": "o", "capsize": 3, "color": colours[name], "label": name}
        axes.errorbar(minutes, [e.value for e in found], gaps, **style)
    axes.set(xscale="log", xlabel="minutes of one core", ylabel="win rate", ylim=(-0.02, 1.02))
    axes.set_xticks(minutes, [f"{m:.1f}" for m in minutes])
    axes.minorticks_off()
    figure.legend(title="against", loc="outside right upper")
    figure.supxlabel("One run each. Bars: 95% intervals over decks.", fontsize=8)
    figure.savefig(path)


def main(path: str) -> None:
    """Print the table."""
    settings = Frontier.read(Path(path))
    head = ["settings", "steps", "minutes of one core", "minutes in total", "steps per second"]
    rows: Rows = [head + [f"against `{name}`, % won" for name in settings.eval_against]]
    minutes, wins = [], []
    for name in settings.points:
        cells, spent, rates = run(Arguments.read(settings_file(Path(name))), settings)
        rows.append([f"`{name}`", *cells])
        print(rows[-1], file=sys.stderr)
        minutes.append(spent)
        wins.append(rates)
    if settings.picture:
        draw(settings.picture, minutes, wins, list(settings.eval_against))
    print(markdown(rows))


if __name__ == "__main__":
    main(sys.argv[1])
