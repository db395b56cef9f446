"""What figures share: a colour for each agent and training run, and how they become PNG files."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from carc_env.extras import extras_named
from carc_env.game.records import replace_file

COLOURS = {
    "random": "#8c8c8c",
    "greedy": "#e69f00",
    "value": "#0072b2",
    "insight": "#009e73",
    "insight-factored": "#7fc441",
    "search": "#000000",
    "mcts": "#9467bd",
    "imitation": "#8c564b",
    "zero": "#17becf",
    "zero-v2": "#0b6a78",
    "dqn": "#556b2f",
    "bc": "#c49a6c",
    "iql": "#3f51b5",
    "td": "#c2007a",
    "td-blind": "#e7a6cf",
    "td-before": "#d07bb5",
    "ppo-v2": "#a50f15",
    "ppo": "#d62728",
    "ppo-one-epoch": "#ff9896",
    "ppo-1-minute": "#7f0000",
    "ppo-after-imitation": "#f781bf",
    "ppo-after-base": "#d62728",
    "MaskablePPO": "#6a3d9a",
    "TorchRL": "#b8a500",
}
"""Colours by name. No figure shows both ``ppo`` and ``ppo-after-base``."""


def colours_of(specs: list[str]) -> dict[str, str]:
    """Return a colour for each agent spec or training run.

    Options don't matter: ``search:sims=1000`` has the same colour as ``search``. Unknown names get
    matplotlib's default colours in order.
    """
    unknown = [spec for spec in dict.fromkeys(specs) if _known(spec) is None]
    return {spec: _known(spec) or f"C{unknown.index(spec)}" for spec in specs}


def _known(spec: str) -> str | None:
    return COLOURS.get(spec.partition(":")[0].removesuffix("-shipped"))


def png_of(figure: Any, **options: Any) -> bytes:
    """Return a matplotlib figure as a PNG file; the options are those of ``savefig``."""
    content = io.BytesIO()
    figure.savefig(content, format="png", **options)
    return content.getvalue()


def draw_win_rates(
    axes: Any, names: Sequence[str], shares: npt.NDArray[np.float64], equal: float, digits: int = 1
) -> None:
    """Draw the win rates of rows against columns: green means more than an equal share, red less.

    A NaN leaves a square blank.
    """
    from matplotlib.colors import TwoSlopeNorm

    axes.imshow(shares, cmap="RdYlGn", norm=TwoSlopeNorm(equal, 0, 1))
    for i, j in zip(*np.nonzero(~np.isnan(shares)), strict=True):
        axes.text(j, i, f"{100 * shares[i, j]:.{digits}f}", ha="center", va="center")
    axes.set_xticks(range(len(names)), names)
    axes.set_yticks(range(len(names)), names)


def draw_population(
    path: Path,
    names: Sequence[str],
    shares: npt.NDArray[np.float64],
    rows: Sequence[Mapping[str, Any]],
) -> None:
    """Draw a run of ``psro.py``.

    Parameters
    ----------
    path : Path
        The PNG file to write.
    names : sequence of str
        The first member of the population, its responses, and the agent outside.
    shares : ndarray
        Win rates of rows against columns.
    rows : sequence of dict
        The rows of its log.
    """
    with extras_named():
        from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 4.6), layout="constrained")
    table, axes = figure.subplots(1, 2)
    draw_win_rates(table, names, shares, 0.5, digits=0)
    table.set(title="% won by the row against the column")
    table.tick_params(axis="x", rotation=90)
    numbers = [row["response"] for row in rows]
    won, low, high = (100 * np.array([row[k] for row in rows]) for k in ("win_rate", "low", "high"))
    error = [won - low, high - won]
    axes.errorbar(
        numbers,
        won,
        error,
        marker="o",
        capsize=2,
        color=COLOURS["td"],
        label="the equilibrium before it",
    )
    outside = [100 * row["outside"] for row in rows]
    axes.plot(numbers, outside, marker="s", color=COLOURS.get(names[-1]), label=names[-1])
    axes.axhline(50, color="0.6", linewidth=1)
    axes.set(xlabel="response", title="% won by each response against", ylim=(0, 100))
    axes.set_xticks(numbers)
    axes.grid(alpha=0.3)
    axes.legend()
    replace_file(path, png_of(figure, dpi=100))
