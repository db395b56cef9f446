"""Measure the figures in the documentation: ``carc-env benchmark [NAME ...]``.

Every figure is measured in short slices that alternate with passes of a yardstick, a workload that
is independent of the engine. The report gives the median of the slices and the median of their
ratios to the yardstick (``per pass``), which suffers less on a busy machine. If a figure is a share
of another one, slices of both alternate in the same way.

``--write`` puts the table into docs/performance.md and its headlines into the README, provided that
the machine was otherwise idle: at least four of five yardstick passes must be within 15% of their
median.
"""

from __future__ import annotations

import json
import math
import re
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

import numpy as np
import tyro
from rich.console import Console
from rich.progress import track
from rich.table import Table as Grid

from carc_env import carcassonne_v1
from carc_env.arguments import UserPath
from carc_env.choices import check_choice
from carc_env.engine.core.state import STATE
from carc_env.game.records import replace_file
from carc_env.render import board_png, board_rgb

from . import workloads as work
from .program import read_arguments

ROOT = Path(__file__).resolve().parents[2]
MIN_SLICES = 3
STEADY_SHARE, STEADY_WITHIN = 0.8, 0.15
"""Proportion of yardstick passes that must lie within a relative distance of their median before
figures are written."""


# The yardstick: it must never change, or tables from two versions cannot be compared.

_FEW = np.arange(1, 2**12, dtype=np.uint64)
_SHIFTED = np.empty_like(_FEW)
_MANY = np.arange(2**20, dtype=np.uint64)
_PLACES = np.random.default_rng(0).permutation(len(_MANY))[: 2**19]
_ROOM = np.empty_like(_PLACES, np.uint64)


def yardstick() -> float:
    """Return the seconds of a pass: arithmetic in L1 cache, then random access to 4 of 8 MB."""
    start = time.perf_counter()
    for _ in range(300):
        for shift, bits in ((np.left_shift, 13), (np.right_shift, 7), (np.left_shift, 17)):
            shift(_FEW, bits, out=_SHIFTED)
            np.bitwise_xor(_FEW, _SHIFTED, out=_FEW)
    np.take(_MANY, _PLACES, out=_ROOM, mode="clip")
    return time.perf_counter() - start


# The table.


@dataclass(frozen=True)
class Figure:
    """One line of the table; ``bar`` applies to its share of the figure ``share_of``, if any."""

    name: str
    what: str
    unit: str
    share_of: str = ""
    bar: str = ""


FIGURES = (
    Figure("core", "random base games without abbot, in a kernel", "games/s", "native", "≥ 1.0"),
    Figure("native", "random base games without abbot, in C++ (g++ -O3)", "games/s"),
    Figure("base", "random base games with abbot, in a kernel", "games/s", bar="~ 20,000"),
    Figure("base_decisions", "decisions of these games", "decisions/s"),
    Figure("abbey", "random games with Abbey & Mayor, in a kernel", "games/s"),
    Figure("abbey_decisions", "decisions of these games", "decisions/s", "base_decisions", "≥ 0.6"),
    Figure("bridges", "with Bridges, Castles & Bazaars, three players", "games/s", bar="≥ 4,000"),
    Figure("big_box", "with 12 sets (`big-box`), four players", "games/s", bar="≥ 1,400"),
    Figure("all", "with the preset `all`, four players", "games/s", bar="≥ 2,500"),
    Figure("all_decisions", "decisions of these games", "decisions/s"),
    Figure(
        "slowest",
        "slowest decision in 40 of these games, including the list of legal actions",
        "µs",
        bar="≤ 20",
    ),
    Figure("clone", "copy of a state, in a kernel", "µs", bar="≤ 1.5"),
    Figure("planes", "256 base games, planes + mask", "decisions/s", "base_decisions", "≥ 0.18"),
    Figure("tokens", "256 base games, tokens + mask", "decisions/s", "base_decisions", "≥ 0.22"),
    Figure("sparse", "256 base games, sparse planes + mask", "decisions/s", "base_decisions"),
    Figure(
        "all_planes",
        "256 games with the preset `all`, four players, planes + mask",
        "decisions/s",
        "all_decisions",
        "≥ 0.14",
    ),
    Figure("all_planes_64", "64 of these games", "decisions/s", "all_decisions"),
    Figure("thread", "2,048 base games, planes + mask, one thread", "decisions/s"),
    Figure("threads", "2,048 base games, two threads", "decisions/s", "thread", "≥ 1.8"),
    Figure("vector", "VectorEnv.step, 256 games, numpy chooses", "steps/s", bar="≥ 400,000"),
    Figure("vector_1", "VectorEnv.step, one game", "steps/s", bar="≥ 100,000"),
    Figure("pettingzoo", "PettingZoo loop, planes + mask", "steps/s", "connect_four", "≥ 5"),
    Figure("connect_four", "the same loop with PettingZoo's connect_four_v3", "steps/s"),
    Figure("greedy", "game of greedy against random", "ms"),
    Figure("observe", "planes + globals from scratch, middle of a game", "µs"),
    Figure("afterstates", "afterstates of a position in the middle of a game", "states/s"),
    Figure("rollouts", "random rollouts to the end from there", "games/s"),
    Figure("greedy_rollouts", "greedy rollouts to the end from there", "games/s"),
    Figure(
        "frame", "rgb_array of a late game with the preset `all`, a tile changed", "ms", bar="≤ 50"
    ),
    Figure("png", "the same board as a PNG", "ms", bar="≤ 250"),
    Figure("first_png", "the first PNG in a process", "ms", bar="≤ 250"),
    Figure("cold_png", "the first PNG, with an empty disk cache", "ms"),
    Figure("state", "size of a state", "B", bar="≤ 42,000"),
    Figure(
        "game", "memory of a game with the preset `all`, without observations", "B", bar="≤ 61,440"
    ),
    Figure("compile", "first game (compiles the engine)", "s", bar="≤ 60"),
    Figure("import", "later imports", "s", bar="≤ 1.5"),
)
NAMES = [figure.name for figure in FIGURES]
HEADLINES = ("base", "vector", "pettingzoo")
"""Figures that the README also shows."""
OPEN: dict[str, Callable[[], work.Slice]] = {
    # The C++ program counts processor time, so the figure it is compared with does, too.
    "core": partial(work.random_games, work.CORE, "games", time.process_time),
    "base": partial(work.random_games, work.BASE, "games"),
    "base_decisions": partial(work.random_games, work.BASE, "decisions"),
    "abbey": partial(work.random_games, work.ABBEY_MAYOR, "games"),
    "abbey_decisions": partial(work.random_games, work.ABBEY_MAYOR, "decisions"),
    "bridges": partial(work.random_games, work.BRIDGES, "games"),
    "big_box": partial(work.random_games, work.BIG_BOX, "games"),
    "all": partial(work.random_games, work.EVERYTHING, "games"),
    "all_decisions": partial(work.random_games, work.EVERYTHING, "decisions"),
    "clone": work.cloning,
    "planes": partial(work.batch, work.BASE, "planes"),
    "tokens": partial(work.batch, work.BASE, "tokens"),
    "sparse": partial(work.batch, work.BASE, "sparse"),
    "all_planes": partial(work.batch, work.EVERYTHING, "planes"),
    "all_planes_64": partial(work.batch, work.EVERYTHING, "planes", 64),
    "thread": partial(work.batch, work.BASE, "planes", 2_048),
    "threads": partial(work.batch, work.BASE, "planes", 2_048, num_threads=2),
    "vector": partial(work.vector, 256),
    "vector_1": partial(work.vector, 1),
    "pettingzoo": partial(work.pettingzoo, carcassonne_v1.env),
    "connect_four": partial(work.pettingzoo, work.connect_four),
    "greedy": work.greedy_games,
    "observe": work.observing,
    "afterstates": work.looking_ahead,
    "rollouts": partial(work.rolling_out, "random", 20),
    "greedy_rollouts": partial(work.rolling_out, "greedy", 2),
    "frame": work.drawing(board_rgb),
    "png": work.drawing(board_png),
    "first_png": work.first_picture(kept=True),
    "cold_png": work.first_picture(kept=False),
    "import": lambda: work.importing,
    "slowest": lambda: partial(work.slowest_decision, work.EVERYTHING),
    "state": lambda: lambda: STATE.itemsize,
    "game": lambda: work.bytes_of_a_game,
    "compile": lambda: work.compiling,
}
"""Functions that set up a figure and return a function that measures a slice of it."""
ONCE = ("slowest", "state", "game", "compile")
"""Figures that are measured only once, because they take long or never vary."""
SCALES = {"µs": 1e6, "ms": 1e3, "s": 1.0}
"""Units for figures that are measured in seconds."""


@dataclass(frozen=True)
class Measured:
    """A figure, its ratio to the yardstick, and its share of another figure (NaN if there is none).

    ``passes`` are the seconds of the yardstick passes in between.
    """

    figure: Figure
    value: float
    per_pass: float
    share: float
    passes: list[float]

    def row(self) -> list[str]:
        """Return the figure's line in the table."""
        figure, value = self.figure, self.value * SCALES.get(self.figure.unit, 1)
        text = f"{value:,.0f}" if figure.unit == "B" else short(value)
        share = f"{short(self.share)} of {figure.share_of}" if short(self.share) else ""
        told = [f"{text} {figure.unit}", short(self.per_pass), share, figure.bar]
        return [figure.name, figure.what, *told]


def short(value: float) -> str:
    """Return a number with three significant digits, or an empty string for NaN."""
    if math.isnan(value):
        return ""
    rounded = float(f"{value:.3g}")
    return f"{rounded:,.0f}" if rounded >= 1000 else f"{rounded:g}"


def per_pass(unit: str, value: float, taken: float) -> float:
    """Return a figure relative to the yardstick, one pass of which took ``taken`` seconds.

    Rates per second become rates per pass; times become multiples of a pass.
    """
    if unit in SCALES:
        return value / taken
    return value * taken if unit.endswith("/s") else math.nan


def opened(name: str, native: Path | None) -> work.Slice | None:
    """Return a function that measures slices; if that is impossible, print why and return None."""
    try:
        return work.native_games(native) if name == "native" else OPEN[name]()
    except work.LeftOut as reason:
        print(f"left out: {name} ({reason})", file=sys.stderr)
        return None


def measure(figure: Figure, native: Path | None, budget: float) -> Measured | None:
    """Measure a figure for ``budget`` seconds, alternating with the yardstick and its reference.

    Return None if a requirement is missing.
    """
    run = opened(figure.name, native)
    if run is None:
        return None
    reference = (figure.share_of and opened(figure.share_of, native)) or (lambda: math.nan)
    n_slices = MIN_SLICES
    if figure.name in ONCE:
        n_slices, budget = 1, 0.0
    else:
        run(), reference()  # warm up the caches
    samples: list[tuple[float, float, float]] = []
    passes, end = [yardstick()], time.perf_counter() + budget
    while len(samples) < n_slices or time.perf_counter() < end:
        value, whole = run(), reference()
        passes.append(yardstick())
        ratio = per_pass(figure.unit, value, (passes[-2] + passes[-1]) / 2)
        samples.append((value, ratio, value / whole))
    value, ratio, share = (statistics.median(column) for column in zip(*samples, strict=True))
    return Measured(figure, value, ratio, share, passes)


# Printing and writing.

HEADINGS = ("name", "", "figure", "per pass", "share", "bar")
WRITTEN = re.compile(
    r"(<!-- figures of benchmark.py -->\n)(.*?)(<!-- end of figures -->)", re.DOTALL
)
"""Matches the page content between the marks."""


def markdown_of(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table; all columns except ``name`` contain numbers."""
    sides = ["---" if heading in ("name", "") else "--:" for heading in headings]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in (headings, sides, *rows))


def show(measured: Sequence[Measured]) -> None:
    """Print the table."""
    grid = Grid(*HEADINGS, title="carc_env: medians of slices")
    grid.columns[0].no_wrap = True
    for column in grid.columns[2:]:
        column.justify = "right"
    for line in measured:
        grid.add_row(*line.row())
    Console().print(grid)


def about_passes(measured: Sequence[Measured]) -> str:
    """Describe the yardstick's times, which vary widely on a shared machine."""
    passes = [1000 * taken for line in measured for taken in line.passes]
    low, middle, high = map(short, np.quantile(passes, (0.1, 0.5, 0.9)).tolist())
    return f"A pass of the yardstick took {middle} ms, four of five {low} to {high} ms."


def is_steady(measured: Sequence[Measured]) -> bool:
    """Return whether the yardstick passes took about equally long, as on an idle machine."""
    passes = np.array([taken for line in measured for taken in line.passes])
    middle = np.median(passes)
    return bool(np.mean(np.abs(passes - middle) <= STEADY_WITHIN * middle) >= STEADY_SHARE)


def _put(table: str, old: re.Match[str]) -> str:
    """Replace the table between the marks."""
    return f"{old[1]}{table}{old[3]}"


def write_pages(measured: Sequence[Measured]) -> None:
    """Write the table into the performance page, and its headlines into the README."""
    headlines = [line.row()[1:3] for line in measured if line.figure.name in HEADLINES]
    full = markdown_of(HEADINGS, (line.row() for line in measured))
    tables = {
        "README.md": markdown_of(("", "figure"), headlines),
        "docs/performance.md": f"{full}\n{about_passes(measured)}\n",
    }
    for page, table in tables.items():
        text = (ROOT / page).read_text(encoding="utf-8")
        new = WRITTEN.sub(partial(_put, table), text)
        (ROOT / page).write_text(new, encoding="utf-8")
        print(f"written: {page}")


def run(
    names: tyro.conf.Positional[tuple[str, ...]] = (),
    *,
    out: Annotated[UserPath | None, tyro.conf.arg(name="json")] = None,
    native: UserPath | None = None,
    slices: Annotated[float, tyro.conf.arg(name="seconds")] = 1.5,
    markdown: bool = False,
    write: bool = False,
    listed: Annotated[bool, tyro.conf.arg(name="list")] = False,
) -> None:
    """Measure figures (by default all) and print a table.

    Parameters
    ----------
    names
        Names of the figures to measure; --list prints all names.
    out
        Write the figures to this file as JSON.
    native
        C++ source of a program to compare with; it must print a line of JSON with med_games.
    slices
        Total seconds of slices per figure; some figures are not measured in slices.
    markdown
        Print the table as it appears in the documentation.
    write
        Write it into the documentation; requires all figures and a steady yardstick.
    listed
        Only print the names of all figures.
    """
    if listed:
        print(*(f"{figure.name:16} {figure.what}" for figure in FIGURES), sep="\n")
        return
    try:
        chosen = [check_choice("a figure", name, NAMES) for name in names]
    except ValueError as error:
        raise SystemExit(str(error)) from None
    if write and chosen:
        raise SystemExit("--write is for the table of all figures: leave the names out")
    lines = [figure for figure in FIGURES if not chosen or figure.name in chosen]
    tracked = track(lines, "measuring", console=Console(stderr=True))
    measured = [line for figure in tracked if (line := measure(figure, native, slices))]
    if markdown:
        print(markdown_of(HEADINGS, (line.row() for line in measured)), end="")
    else:
        show(measured)
    if measured:
        print(about_passes(measured))
    left_out = (
        {*NAMES}
        - {line.figure.name for line in measured}
        - ({"native"} if native is None else set())
    )
    if write and left_out:
        raise SystemExit(f"not written: {', '.join(sorted(left_out))} left out")
    if write and not is_steady(measured):
        raise SystemExit(
            "not written: the machine did other work meanwhile, because fewer than four of five "
            "passes of the yardstick are within 15% of their median; end other programs and run "
            "it again"
        )
    if write:
        write_pages(measured)
    if out is not None:
        found = {line.figure.name: line.value for line in measured}
        replace_file(out, json.dumps(found, indent=2).encode())
        print(f"written: {out}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    read_arguments(run, arguments, "benchmark", __doc__)
    return 0
