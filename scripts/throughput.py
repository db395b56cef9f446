"""Measure the vector environment's speed for different sizes and numbers of threads.

    python scripts/throughput.py             write docs/results/throughput.json and draw it
    python scripts/throughput.py --check     measure briefly and write nothing

Every figure is the median over slices of random self-play in the base game, with planes and masks.
Slices alternate between sizes and numbers of threads, so that other work on the machine affects all
figures equally.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
from pathlib import Path
from typing import Any

import tyro
from carc_env.agents.commands.workloads import vector
from carc_env.agents.figures import png_of
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from carc_env.game.records import replace_file
from carc_env.render import palette as p

ROOT = Path(__file__).resolve().parents[1]
FILE = ROOT / "docs/results/throughput.json"
PICTURE = ROOT / "docs/images/throughput.png"
SIZES = (1, 4, 16, 64, 256, 1024)
N_SLICES = 15
COLORS = (p.SHIELD_BLUE, p.CLOTH_RED, p.LEAF, p.ACCENT, p.WINE)
Row = dict[str, float]


def measure(sizes: tuple[int, ...], threads: tuple[int, ...], n_slices: int) -> list[Row]:
    """Measure all sizes with all numbers of threads.

    Returns
    -------
    list of dict
        ``games``, ``threads`` and ``steps``, the number of single-game steps per second.
    """
    runs = {(n, k): vector(n, k) for n in sizes for k in threads if k <= n}
    samples: dict[tuple[int, int], list[float]] = {key: [] for key in runs}
    for _ in range(n_slices):
        for key, run in runs.items():
            samples[key].append(run())
    return [
        {"games": n, "threads": k, "steps": round(statistics.median(found))}
        for (n, k), found in samples.items()
    ]


def read_throughput() -> dict[str, Any]:
    """Read the stored measurements."""
    found: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return found


def throughput_plot(measured: dict[str, Any]) -> bytes:
    """Plot steps per second against games, one line per number of threads; return PNG data."""
    rows = measured["rows"]
    figure = Figure(figsize=(7.2, 4.0), dpi=120, layout="constrained")
    axes = figure.add_subplot()
    for color, n_threads in zip(COLORS, sorted({row["threads"] for row in rows}), strict=False):
        line = [row for row in rows if row["threads"] == n_threads]
        label = f"{n_threads} thread{'s' * (n_threads > 1)}"
        xs, ys = [row["games"] for row in line], [row["steps"] for row in line]
        axes.plot(xs, ys, marker="o", color=color, label=label)
    sizes = sorted({row["games"] for row in rows})
    axes.set_xscale("log", base=2)
    axes.set_xticks(sizes, [f"{n:,}" for n in sizes])
    axes.set_ylim(bottom=0)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axes.set(xlabel="games in the vector environment", ylabel="steps per second")
    axes.grid(axis="y", color=p.CARD_LINE, linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)
    return png_of(figure)


def main(check: bool = False) -> None:
    """Measure the vector environment.

    Parameters
    ----------
    check
        Measure two sizes once, and write nothing.
    """
    n_cores = os.cpu_count() or 1
    threads = tuple(dict.fromkeys((1, 2, n_cores)))
    if check:
        print(measure(SIZES[:2], threads[:2], 1))
        return
    rows = measure(SIZES, threads, N_SLICES)
    measured = {"cores": n_cores, "machine": platform.machine(), "rows": rows}
    replace_file(FILE, (json.dumps(measured, indent=1) + "\n").encode())
    replace_file(PICTURE, throughput_plot(measured))
    print(*rows, f"written: {FILE.name}, {PICTURE.name}", sep="\n")


if __name__ == "__main__":
    tyro.cli(main)
