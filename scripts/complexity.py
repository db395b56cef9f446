"""Measure how large games are: decisions, legal actions, and choices along a game.

    python scripts/complexity.py             write docs/results/complexity.json
    python scripts/complexity.py --games 20  use 20 games instead of 200

The games are played by random agents. Decisions with a single legal action do not count. The tree
size is the product of the numbers of legal actions at all decisions of a game and of the numbers of
different tiles at all draws; its logarithm is averaged over games.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import tyro
from carc_env.agents.figures import png_of

from carc_env import Rules, Table
from carc_env.game.records import replace_file
from carc_env.layout.observations import global_names
from carc_env.render import palette as p

FILE = Path(__file__).resolve().parents[1] / "docs/results/complexity.json"
GAMES = 200
PRESETS = (("base", 2), ("abbey-mayor", 2), ("big-box", 2), ("big-box", 4))
PUBLISHED = (
    ("Carcassonne, base game (Heyden)", "", "", "40 or more", "194"),
    ("backgammon (Tesauro, Allis)", "50 to 60", "several hundred", "20", "144"),
    ("chess (Shannon, Allis)", "80", "35", "46", "123"),
    ("Go (Allis; Tromp and Farnebäck)", "150", "250", "170", "360"),
)
"""Published numbers, as docs/env.md cites them: decisions, legal actions, positions and tree."""


def measure(rules: Rules, n_games: int) -> dict[str, float]:
    """Measure random games.

    Returns
    -------
    dict
        ``decisions``, the mean number per game; ``legal``, the mean number of legal actions per
        decision; and ``tree``, the base-10 logarithm of the number of lines of play.
    """
    names = global_names(rules)
    hand, left = (
        [k for k, name in enumerate(names) if name.startswith(f"{word} ")]
        for word in ("hand", "left")
    )
    n_decisions = n_legal = 0
    log_tree = 0.0
    for seed in range(n_games):
        table, n_left = Table(rules, seed=seed), math.inf
        while not table.is_over:
            if table.n_tiles_left < n_left:
                n_left = table.n_tiles_left
                numbers = table.observe()["globals"]
                n_designs = int(((numbers[hand] > 0) | (numbers[left] > 0)).sum())
                log_tree += math.log10(max(n_designs, 1))
            choices = len(table.legal_actions())
            n_decisions, n_legal = n_decisions + 1, n_legal + choices
            log_tree += math.log10(choices)
            table.step(table.random_action())
    return {
        "decisions": n_decisions / n_games,
        "legal": n_legal / n_decisions,
        "tree": log_tree / n_games,
    }


def measured() -> list[dict[str, Any]]:
    """Return the rows that were measured last."""
    rows: list[dict[str, Any]] = json.loads(FILE.read_text(encoding="utf-8"))["rows"]
    return rows


def complexity_plot() -> bytes:
    """Draw the sizes of the trees, from measured and from published numbers, as a PNG file."""
    from matplotlib.figure import Figure  # the tables need it in no environment

    sizes = [(f"{row['preset']}, {row['players']} players", row["tree"]) for row in measured()]
    sizes += [(name, float(tree)) for name, *_, tree in PUBLISHED]
    sizes.sort(key=lambda one: one[1])
    figure = Figure(figsize=(7.2, 3.2), dpi=120, layout="constrained")
    axes = figure.add_subplot()
    names = {name for name, *_ in PUBLISHED}
    colors = [p.ASH if name in names else p.SHIELD_BLUE for name, _ in sizes]
    bars = axes.barh([name for name, _ in sizes], [size for _, size in sizes], color=colors)
    axes.bar_label(bars, [f"{size:,.0f}" for _, size in sizes], padding=4)
    axes.set(xlabel="log10 of the size of the game tree; grey: published estimates")
    axes.set_xlim(right=1.1 * sizes[-1][1])
    axes.spines[["top", "right"]].set_visible(False)
    return png_of(figure)


def main(games: int = GAMES) -> None:
    """Measure the presets and write the file.

    Parameters
    ----------
    games
        Number of games per preset.
    """
    rows = []
    for preset, n_players in PRESETS:
        found = measure(Rules.preset(preset, n_players=n_players), games)
        rounded = {name: round(number, 1) for name, number in found.items()}
        rows.append({"preset": preset, "players": n_players, **rounded})
        print(rows[-1])
    replace_file(FILE, (json.dumps({"games": games, "rows": rows}, indent=1) + "\n").encode())


if __name__ == "__main__":
    tyro.cli(main)
