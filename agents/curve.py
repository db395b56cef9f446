"""A run's learning curve, as a CSV table and as a picture."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from math import isfinite
from pathlib import Path
from statistics import fmean
from typing import Any

from carc_env.extras import extras_named
from carc_env.game.lines import whole_rows
from carc_env.game.records import replace_file

from .figures import colours_of, png_of

Row = dict[str, float]
WIN_RATE = " win_rate"
"""Suffix after an opponent's name, for the result of an evaluation against it."""


def rivals_in(row: Iterable[str]) -> list[str]:
    """Return the opponents of the evaluation recorded in a row."""
    return [name.removesuffix(WIN_RATE) for name in row if name.endswith(WIN_RATE)]


def write_csv(path: Path, curve: Sequence[Row]) -> None:
    """Write all rows; a row without an evaluation leaves those cells empty."""
    columns = list(dict.fromkeys(name for row in curve for name in row))
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(curve)
    replace_file(path, text.getvalue().encode())


def read_csv(path: Path) -> list[Row]:
    """Return the rows written by :func:`write_csv`; none if the file does not exist.

    Raises
    ------
    ValueError
        The file is not a table of numbers with a column ``steps``.
    """
    if not path.exists():
        return []
    try:
        rows = [
            {name: float(number) for name, number in row.items() if number}
            for row in whole_rows(path)
        ]
    except (ValueError, TypeError, csv.Error) as error:
        raise ValueError(f"{path}: not a table of numbers: {error}") from error
    if any("steps" not in row or not all(map(isfinite, row.values())) for row in rows):
        raise ValueError(f"{path}: a row has no steps, or a value that is not a number")
    return rows


def evaluated_in(row: Row) -> str:
    """Return the results of a row's evaluation in words; empty if there was none."""
    return "   ".join(
        f"against {agent}: wins {row[f'{agent}{WIN_RATE}']:.1%}, points "
        f"{row[f'{agent} score']:.1f}:{row[f'{agent} rival_score']:.1f}"
        for agent in rivals_in(row)
    )


def is_best(curve: Sequence[Row]) -> bool:
    """Return whether the last row has the best evaluation so far against the same opponents."""
    rivals = rivals_in(curve[-1])

    def won(row: Row) -> float:
        return sum(row[name + WIN_RATE] for name in rivals)

    return bool(rivals) and won(curve[-1]) >= max(won(r) for r in curve if rivals_in(r) == rivals)


def passed(every: int, before: float, now: float) -> bool:
    """Return whether a multiple of ``every`` lies after ``before`` and up to ``now``."""
    return now // every > before // every


def has_ended(
    curve: Sequence[Row], total: int, eval_against: Sequence[str], goal: float | None
) -> bool:
    """Return whether a run has done all its steps or reached its goal in the last evaluation.

    Parameters
    ----------
    curve : sequence of dict
        The rows so far.
    total : int
        Total number of steps.
    eval_against : sequence of str
        Opponents in the evaluations; only the first one counts.
    goal : float, optional
        Win rate at which the run stops.
    """
    if not curve:
        return False
    last = curve[-1]
    rate = last.get(f"{eval_against[0]}{WIN_RATE}", -1.0) if eval_against else -1.0
    return last["steps"] >= total or (goal is not None and rate >= goal)


LONG = 5
"""Ratio of run lengths above which the step axis is logarithmic."""


def draw_png(path: Path, curve: Sequence[Row]) -> None:
    """Plot the win rates and scores of evaluations against steps."""
    with extras_named():
        from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 3.6), layout="constrained")
    rates, points = figure.subplots(1, 2)
    names = dict.fromkeys(name for row in curve for name in row)
    for agent, colour in colours_of(rivals_in(names)).items():
        style = {"color": colour, "marker": "o", "markersize": 3}
        rates.plot(*_series(curve, f"{agent} win_rate"), label=f"against {agent}", **style)
        points.plot(*_series(curve, f"{agent} score"), label=f"against {agent}", **style)
        rival = _series(curve, f"{agent} rival_score")
        points.plot(*rival, color=colour, linestyle=":", label=f"{agent} itself")
    rates.set(xlabel="steps", ylabel="win rate", ylim=(-0.02, 1.02))
    points.set(xlabel="steps", ylabel="points per game", ylim=(0, None))
    _finish(figure, path)


def draw_runs(
    path: Path,
    runs: Iterable[tuple[str, Sequence[Sequence[Row]]]],
    agents: Sequence[str],
    unit: str = "steps",
    note: str = "",
) -> None:
    """Plot the win rates of several runs against steps, with a panel for each opponent.

    The figure explains its lines and bands and gives the number of runs.

    Parameters
    ----------
    path : Path
        The PNG file to write.
    runs : iterable of (str, sequence of curves)
        Names, each with the curves of runs that differ only in their seeds: a line shows their
        mean, and a band the range from lowest to highest. Lines with the same name have the same
        colour.
    agents : sequence of str
        The opponents.
    unit : str
        Axis label for the ``steps`` column.
    note : str
        Sentence to add below the figure.
    """
    with extras_named():
        from matplotlib.figure import Figure

    lines = [*runs]
    ends = [curves[0][-1]["steps"] for _, curves in lines]
    colours = colours_of([name for name, _ in lines])
    is_long = max(ends, default=0) > LONG * min(ends, default=0)
    figure = Figure(figsize=(4.2 * len(agents) + 1.6, 3.4), layout="constrained")
    for axes, agent in zip(figure.subplots(1, len(agents), squeeze=False)[0], agents, strict=True):
        drawn: set[str] = set()
        for name, curves in lines:
            found = over_seeds(curves, agent + WIN_RATE)
            first = int(is_long and not found[0][0])  # a logarithmic axis cannot show step 0
            steps, low, mean, high = (column[first:] for column in found)
            label, colour = "" if name in drawn else name, colours[name]
            axes.plot(steps, mean, marker="o", markersize=3, label=label, color=colour)
            axes.fill_between(steps, low, high, color=colour, alpha=0.2, linewidth=0)
            drawn.add(name)
        axes.set(xlabel=unit, ylabel="win rate", title=f"against {agent}", ylim=(-0.02, 1.02))
        if is_long:
            axes.set_xscale("log")
    n_runs = sorted({len(curves) for _, curves in lines})
    several = " or ".join(map(str, n_runs))
    bands = f"Line: mean of {several} runs. Band: lowest to highest run." if n_runs[-1] > 1 else ""
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.supxlabel(f"{bands or 'Each line is one run.'} {note}".strip(), fontsize=8)
    _finish(figure, path, is_shared=True)


def _finish(figure: Any, path: Path, *, is_shared: bool = False) -> None:
    """Add grids and either one legend per axes or a shared one, and write the picture."""
    for axes in figure.axes:
        axes.grid(alpha=0.3)
        if axes.has_data() and not is_shared:
            axes.legend(fontsize=8)
    if is_shared:
        lines, labels = figure.axes[0].get_legend_handles_labels()
        figure.legend(lines, labels, loc="outside right upper", fontsize=8)
    replace_file(path, png_of(figure))


def over_seeds(
    curves: Sequence[Sequence[Row]], name: str
) -> tuple[list[float], list[float], list[float], list[float]]:
    """Return one column over runs that differ only in their seeds: steps, lowest, mean, highest.

    Rounds end at different steps in each run, so the first values of all runs are combined at their
    mean step, then the second values, and so on.
    """
    found = [_series(curve, name) for curve in curves]
    steps = [fmean(at) for at in zip(*(one[0] for one in found), strict=False)]
    columns = [*zip(*(one[1] for one in found), strict=False)]
    low, mean, high = ([f(column) for column in columns] for f in (min, fmean, max))
    return steps, low, mean, high


def _series(curve: Sequence[Row], name: str) -> tuple[list[float], list[float]]:
    rows = [row for row in curve if name in row]
    return [row["steps"] for row in rows], [row[name] for row in rows]
