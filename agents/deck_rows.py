"""What our runs scored on each deck of a task: the evidence for intervals over runs and decks.

``docs/results/TASK.decks.csv`` has a row per run. A cell has one character per deck: the share of
opponents that the agent outscored, as a mean over its seats, in units of ``1 / steps``. With more
than two players and no test rules, further cells count first places. Others contain the
milliseconds per decision, and the sources of the agent. Runs that were evaluated before carc_env
0.3.0 have no such row.
"""

from __future__ import annotations

import math
import string
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from carc_env.tasks import Task

DIGITS = string.digits + string.ascii_letters + "+-"
"""Digits of a deck's result."""
SUFFIX = ".decks.csv"
FIRST, REGRETS = " first", "regrets"
"""The suffix of columns of first places, and the column of regrets, in points."""

Shares = npt.NDArray[np.float64]


def steps_of(column: str, n_players: int) -> int:
    """Return the number of steps from 0 to 1 of a deck's result in a column."""
    if column.endswith(FIRST):
        return n_players * math.lcm(*range(1, n_players + 1))
    return 2 * n_players * (n_players - 1)


def packed(asked: Task, shares: Mapping[str, Shares], regrets: list[float]) -> dict[str, str]:
    """Return the cells of a run; ``shares`` are by column and in the order of the decks."""
    cells = {}
    for column, values in shares.items():
        steps = [steps_of(column, asked.rules_of(k).n_players) for k in range(len(values))]
        cells[column] = "".join(DIGITS[round(x * n)] for x, n in zip(values, steps, strict=True))
    return cells | ({REGRETS: " ".join(f"{x:.4g}" for x in regrets)} if regrets else {})


def unpacked(asked: Task, row: Mapping[str, str]) -> dict[str, Shares]:
    """Return a run's numbers by column: of each deck, or the regret in each endgame."""
    found = {}
    for name in asked.met:
        for column in (name, f"{name}{FIRST}"):
            if text := row.get(column):
                steps = [steps_of(column, asked.rules_of(k).n_players) for k in range(len(text))]
                found[column] = np.array([DIGITS.index(x) for x in text]) / steps
    if text := row.get(REGRETS):
        found[REGRETS] = np.array([*map(float, text.split())])
    return found
