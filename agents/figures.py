"""What figures share: a colour for each agent and training run, and how they become PNG files."""

from __future__ import annotations

import io
from typing import Any

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
    "td": "#c2007a",
    "td-blind": "#e7a6cf",
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
