"""Results of our training runs on the tasks: a CSV table with one row per run.

``scripts/results.py`` writes the file and generates docs/results.md from it. The file comes with
the package, so that others can compare their rows with these (``carc-env task table --beside``).

``TASK.decks.csv`` keeps what runs scored on each deck (:mod:`carc_env.agents.deck_rows`).

Another table, ``test_rules.csv``, has a row for each of the test rules of a ``mix-`` task and each
agent that learned under these: specialists, which learned nothing else, and adapted agents.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from carc_env.game.lines import whole_rows
from carc_env.plain_yaml import read_yaml
from carc_env.tasks import Task

from .deck_rows import SUFFIX
from .intervals import iqm_interval
from .named_settings import FOLDER as SETTINGS
from .report import EMPTY, with_interval

_AGENTS = Path(__file__).parent
FOLDER = next(p for p in (_AGENTS / "results", _AGENTS.parent / "docs/results") if p.is_dir())
"""Folder of the results: within the agents in an installed package, in ``docs`` in a clone."""
ALL_RUNS = "runs.csv"
UNDER_TEST_RULES = "test_rules.csv"
REFERENCE = "td"
"""The training method of the specialists with which agents are compared that have none."""
Kind = Literal["specialists", "adapted"]
"""Kinds of agents that learned under test rules."""
PLAN = SETTINGS / "experiments/results.yaml"
"""Descriptions of the training methods and their rewards."""


def read_rows(path: Path) -> list[dict[str, str]]:
    """Return the rows of a table; none if the file does not exist."""
    if not path.exists():
        return []
    return [{k: v for k, v in row.items() if v} for row in whole_rows(path)]


def told(runs: Sequence[Mapping[str, str]], column: str, unit: float, digits: int) -> str:
    """Return a column's interquartile mean over runs with a bootstrap interval, as text."""
    values = [unit * float(run[column]) for run in runs if column in run]
    if not values:
        return EMPTY
    if len(values) == 1:
        return f"{values[0]:.{digits}f}"
    return with_interval(iqm_interval(values), digits)


def known_runs(asked: Task) -> dict[tuple[int, str], list[dict[str, str]]]:
    """Return the runs on this task, by budget and method; runs in a list differ only in seeds."""
    found: dict[tuple[int, str], list[dict[str, str]]] = {}
    for row in read_rows(FOLDER / ALL_RUNS):
        if (row["task"], row["fingerprint"]) == (asked.name, asked.fingerprint):
            found.setdefault((int(row["budget"]), row["training"]), []).append(row)
    return found


def deck_rows(asked: Task) -> dict[tuple[str, str, str], dict[str, str]]:
    """Return the runs' results on each deck of a task, by method, budget and seed."""
    return {
        (row["training"], row["budget"], row["seed"]): row
        for row in read_rows(FOLDER / f"{asked.name}{SUFFIX}")
        if row["fingerprint"] == asked.fingerprint
    }


def scores_of(asked: Task, kind: Kind, training: str, budget: int) -> list[float]:
    """Return the scores of agents that learned under test rules, one for each seed.

    A score is the mean over test rules and opponents, from 0 to 1; a seed without agents for all
    test rules has none. The budget of adapted agents is that of their training before.
    """
    wanted = (asked.name, asked.fingerprint, kind, training, f"{budget}")
    names = ("task", "fingerprint", "kind", "training", "budget")
    found: dict[str, dict[str, float]] = {}
    for row in read_rows(FOLDER / UNDER_TEST_RULES):
        if tuple(row[name] for name in names) == wanted and int(row["decks"]) == asked.n_decks:
            rates = [float(row[f"{rival} win_rate"]) for rival in asked.rivals]
            found.setdefault(row["seed"], {})[row["rules"]] = sum(rates) / len(rates)
    whole = [shares for shares in found.values() if shares.keys() == asked.tests.keys()]
    return [sum(shares.values()) / len(shares) for shares in whole]


def outside_protocol() -> set[str]:
    """Return the training methods whose results count outside the protocol of the tasks."""
    plan = read_yaml(PLAN.name, PLAN.read_text(encoding="utf-8"))
    return {one["name"] for one in plan if one.get("is_outside")}


def rewards() -> dict[str, str]:
    """Return a description of each training method's reward, except for those without learning."""
    plan = read_yaml(PLAN.name, PLAN.read_text(encoding="utf-8"))
    return {one["name"]: one["reward"] for one in plan if "reward" in one}
