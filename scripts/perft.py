"""Count positions: ``python scripts/perft.py [NAME ...] [--depth N] [--divide]``.

Perft is the number of positions that are n decisions away from a fixed position with a fixed bag
order. A single wrong legal action anywhere in the tree changes the count. The positions and their
expected counts are in ``tests/engine/perft.yaml``; ``--divide`` lists how many positions follow
each first move, which helps to track down a wrong count. The exit status is 1 if a count differs
from the recorded one.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
import tyro
import yaml
from rich.console import Console
from rich.table import Table as Grid

from carc_env import Game
from carc_env.engine import entry
from carc_env.engine.core.state import new_states
from carc_env.engine.flow.legal import MAX_LEGAL
from carc_env.game.conversion import set_up
from carc_env.game.notation import parse_position
from carc_env.position import Position

CASES = Path(__file__).resolve().parents[1] / "tests" / "engine" / "perft.yaml"

NAMES = tyro.conf.arg(metavar="[NAME ...]", help_behavior_hint="")
DEPTH = tyro.conf.arg(metavar="N", help_behavior_hint="")
DIVIDE = tyro.conf.arg(name="divide", help_behavior_hint="")


@dataclass(frozen=True)
class Case:
    """A position from the file; ``counts[n - 1]`` is the number of positions at depth n.

    ``oracle`` is the depth down to which the naive oracle also counts them.
    """

    name: str
    about: str
    position: Position
    counts: tuple[int, ...]
    oracle: int


def load_cases() -> dict[str, Case]:
    """Return all positions in the file by name."""
    rows = yaml.safe_load(CASES.read_text(encoding="utf-8"))
    return {
        name: Case(
            name, row["about"], parse_position(row["position"]), tuple(row["counts"]), row["oracle"]
        )
        for name, row in rows.items()
    }


def workspace(position: Position, depth: int) -> tuple[npt.NDArray[Any], npt.NDArray[np.int64]]:
    """Return the kernel's memory: records, the first of which is the position, and actions."""
    states = new_states(depth + 1)
    states[0] = set_up(position)[0]
    return states, np.empty((depth + 1, MAX_LEGAL), np.int64)


def perft(position: Position, depth: int) -> int:
    """Return the number of positions that are ``depth`` decisions away."""
    states, actions = workspace(position, depth)
    return int(entry.perft(states, 0, depth, actions))


def divide(position: Position, depth: int) -> dict[str, int]:
    """Return the perft count after each first move, by move name; ``depth`` is at least 1."""
    game = Game.from_position(position)
    states, actions = workspace(position, depth)
    counts = {}
    for action in game.legal_actions():
        states[1] = states[0]
        entry.apply(states, 1, action)
        counts[game.name(action)] = int(entry.perft(states, 1, depth - 1, actions))
    return counts


def format_divide(counts: dict[str, int]) -> str:
    """Return a line of text for each first move."""
    width = max(map(len, counts), default=0)
    return "\n".join(f"{name:{width}} {count:>13,}" for name, count in counts.items())


def measure(case: Case, depth: int) -> Iterator[tuple[int, int, float]]:
    """Yield depth, count and seconds for each depth up to ``depth``."""
    for n in range(1, depth + 1):
        start = time.perf_counter()
        count = perft(case.position, n)
        yield n, count, time.perf_counter() - start


def is_wrong(case: Case, depth: int, count: int) -> bool:
    """Return whether a count contradicts the file."""
    return depth <= len(case.counts) and count != case.counts[depth - 1]


def verdict(case: Case, depth: int, count: int) -> str:
    """Return the file's verdict on a count."""
    if depth > len(case.counts):
        return "not recorded"
    return f"{case.counts[depth - 1]:,}" if is_wrong(case, depth, count) else "the same"


def show(case: Case, depth: int, console: Console) -> bool:
    """Print a position's table; return whether all counts agree with the file."""
    grid = Grid(title=f"{case.name}: {case.about}", title_justify="left")
    for heading in ("depth", "positions", "seconds", "positions/s"):
        grid.add_column(heading, justify="right")
    grid.add_column("file")
    is_right = True
    with console.status(f"{case.name} ..."):
        for n, count, took in measure(case, depth):
            is_right &= not is_wrong(case, n, count)
            speed = f"{count / took:,.0f}"
            grid.add_row(str(n), f"{count:,}", f"{took:.3f}", speed, verdict(case, n, count))
    console.print(grid)
    return is_right


def main(
    names: Annotated[tuple[str, ...], tyro.conf.Positional, NAMES] = (),
    depth: Annotated[int | None, DEPTH] = None,
    divide_: Annotated[bool, DIVIDE] = False,
) -> None:
    """Count positions at increasing depth and compare with the recorded counts.

    Parameters
    ----------
    names
        Names of positions in the file. Default: all.
    depth
        Maximum depth. Default: the depth recorded in the file.
    divide_
        List the number of positions after each first move instead.
    """
    cases = load_cases()
    if unknown := [name for name in names if name not in cases]:
        sys.exit(f"unknown position {unknown[0]!r}; positions: {', '.join(cases)}")
    if depth is not None and depth < 1:
        sys.exit(f"depth must be 1 or more, got {depth}")
    console = Console()
    is_right = True
    for case in (cases[name] for name in names or cases):
        n = depth or len(case.counts)
        if divide_:
            counts = divide(case.position, n)
            total = sum(counts.values())
            print(f"{case.name}, depth {n}: {total:,} (file: {verdict(case, n, total)})")
            print(format_divide(counts))
            is_right &= not is_wrong(case, n, total)
        else:
            is_right &= show(case, n, console)
    if not is_right:
        sys.exit(1)


if __name__ == "__main__":
    tyro.cli(main, config=(tyro.conf.FlagCreatePairsOff,))
