"""Tasks of your own, outside the package: described in YAML, frozen into a file, used by its path.

::

    name: my-lab/river-v1
    title: The River, 2 players, against `greedy`
    rules: {preset: river, view: 22}
    opponents: greedy
    rivals: [greedy, value]
    n_decks: 200

``carc-env task freeze river.yaml`` writes ``river.json``. ``task("river.json")`` reads it and makes
its id known to Gymnasium: ``gymnasium.make("my-lab/river-v1")``.

The names of the settings are those of :class:`carc_env.tasks.Task`. ``rules`` and each of ``tests``
are a preset or a mapping of switches. ``rules`` can also be a distribution: its name in
:data:`carc_env.envs.distributions.DISTRIBUTIONS` with its arguments, such as ``{subsets: {parts:
[inns, river], n_parts: 1}}``, whose tests can be lists of its expansions.
"""

from __future__ import annotations

import hashlib
import os
import re
from typing import Any

from carc_env import tasks
from carc_env.choices import check_choice
from carc_env.entry_points import ENTRY_POINT
from carc_env.envs.distributions import (
    Everything,
    RulesDistribution,
    Subsets,
    distribution_of,
    is_distribution,
)
from carc_env.envs.naming import ENTRY_POINTS, make_agent
from carc_env.envs.vector import SELF
from carc_env.files import read_text
from carc_env.freezing import differences, fingerprint_in, frozen_of, settings_of
from carc_env.plain_json import read_json
from carc_env.plain_yaml import read_yaml
from carc_env.rules import Layout, Rules
from carc_env.tasks import NAMESPACE, Task

FORMAT, VERSION = "carc_env task", 1
SETTINGS: dict[str, type] = {
    **{"name": str, "title": str, "opponents": str, "encoding": str, "reward": str},
    **{"n_decks": int, "n_adapting": int},
    **{"rivals": list, "held_out": list, "budgets": list, "tests": dict, "anchors": dict},
}
"""The settings of a task except its rules, and their types."""
NAME = re.compile(r"([a-z][a-z0-9-]*)/[a-z0-9][a-z0-9-]*-v\d+")
FIRST_NUMBER = 2**32
"""The seeds of the evaluation decks are hashes of names from here on; ours are smaller."""
MAX_DECKS = 100_000


def task_of(values: Any) -> Task:
    """Return the task with the given settings, as read from YAML.

    Raises
    ------
    ValueError
        A setting is unknown, missing or refused; the message names it.
    """
    if not isinstance(values, dict):
        raise ValueError(f"a task must be a mapping of settings to values, got {values!r}")
    for name, value in values.items():
        check_choice("setting of a task", name, ("rules", *SETTINGS))
        kind = SETTINGS.get(name, object)
        if not isinstance(value, kind) or isinstance(value, bool):
            raise ValueError(f"{name} must be a {kind.__name__}, got {value!r}")
    if missing := [name for name in ("name", "rules") if name not in values]:
        raise ValueError(f"a task needs the setting {missing[0]}")
    given: dict[str, Any] = {
        k: tuple(v) if isinstance(v, list) else v for k, v in values.items() if k != "rules"
    }
    _check_name(given["name"])
    given.setdefault("title", given["name"])
    named = {f"{k}": v for k, v in given.pop("tests", {}).items()}
    rules, tests = _rules_of(values["rules"], named)
    number = int.from_bytes(hashlib.sha256(given["name"].encode()).digest()[:6], "big")
    found = Task(number=FIRST_NUMBER + number, rules=rules, tests=tests, **given)
    _check(found)
    return found


def _check_name(name: str) -> None:
    """Refuse names that ours or other people's could be."""
    fits = NAME.fullmatch(name)
    if not fits or fits[1] == NAMESPACE.replace("_", "-"):
        raise ValueError(
            f"name must be OWNER/NAME-vNUMBER, such as my-lab/river-v1, in small letters, and the "
            f"owner not {NAMESPACE}: got {name!r}"
        )


def _rules_of(
    value: Any, given: dict[str, Any]
) -> tuple[Rules | RulesDistribution, dict[str, Rules]]:
    """Return rules or a distribution, in a layout that has room for the test rules, and these."""
    if isinstance(value, str) and ENTRY_POINT.fullmatch(value):
        raise ValueError(
            f"rules: {value!r} cannot be frozen, because a task contains no code: list the rules "
            "that it draws as {one_of: {rules: [...]}}, or use subsets or switches"
        )
    if not is_distribution(value):
        rules, tests = Rules.from_dict(value), {k: Rules.from_dict(v) for k, v in given.items()}
        return rules.replace(layout=Layout(rules, *tests.values())) if tests else rules, tests
    found = distribution_of(value)
    tests = {k: _test_of(found, v) for k, v in given.items()}
    if tests and not isinstance(found, Everything):
        found = distribution_of(value, Layout(*found.layout.covers, *tests.values()))
    return found, tests


def _test_of(deal: RulesDistribution, value: Any) -> Rules:
    """Return test rules: a preset, switches, or a list of expansions of ``subsets``."""
    if isinstance(value, list) and isinstance(deal, Subsets):
        return deal.of(*value).plain
    return Rules.from_dict(value)


def _check(asked: Task) -> None:
    """Refuse a task that cannot be played as it says."""
    for name in (*asked.met, *([] if asked.is_self_play else [asked.opponents])):
        entry = ENTRY_POINTS.get(f"{name}".partition(":")[0])
        if name == SELF or not isinstance(entry, str) or not entry.startswith("carc_env."):
            raise ValueError(f"opponents must be agents of carc_env, got {name!r}")
        for rules in asked.test_rules:
            make_agent(name, rules)
    if not asked.rivals or len({*asked.met}) < len(asked.met):
        raise ValueError(f"rivals and held_out must be different opponents, got {asked.met}")
    if not {*asked.anchors} <= {*asked.rivals}:
        raise ValueError(f"anchors must be among the rivals, got {[*asked.anchors]}")
    if any(type(x) not in (int, float) for x in asked.anchors.values()):
        raise ValueError(f"anchors must be ratings by rival, got {asked.anchors}")
    if asked.anchors and asked.tests:
        raise ValueError("a task with test rules has a score and no anchors")
    if not len(asked.test_rules) <= asked.n_decks <= MAX_DECKS:
        raise ValueError(f"n_decks must be {len(asked.test_rules)} to {MAX_DECKS:,}")
    if not asked.budgets or any(type(n) is not int or n < 1 for n in asked.budgets):
        raise ValueError(f"budgets must be numbers of decisions, got {asked.budgets}")
    if asked.n_adapting < 0 or (asked.n_adapting and not asked.tests):
        raise ValueError("n_adapting needs test rules")
    tasks.vector_of(asked).close()  # it refuses an unknown reward or encoding


def freeze(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the frozen data of the task in a YAML file, see :mod:`carc_env.freezing`.

    Raises
    ------
    ValueError, OSError
        The file cannot be read or is refused.
    """
    values = read_yaml(os.fspath(path), read_text(path))
    try:
        found = task_of(values)
    except ValueError as error:
        raise ValueError(f"{os.fspath(path)}: {error}") from error
    head = {"format": FORMAT, "version": VERSION, "task": values}
    return {**head, **frozen_of(found)}


def is_task(values: Any) -> bool:
    """Return whether values from JSON are a frozen task."""
    return isinstance(values, dict) and values.get("format") == FORMAT


def read(path: str | os.PathLike[str]) -> Task:
    """Read a frozen task from a file, and make its name known in this process.

    Raises
    ------
    ValueError
        The file is no frozen task, was edited, or another task has its name.
    OSError
        It cannot be read.
    """
    return known(os.fspath(path), read_json(os.fspath(path), read_text(path)))


def known(where: str, frozen: Any) -> Task:
    """Make a frozen task's name known in this process; ``where`` names its origin in messages.

    Raises
    ------
    ValueError
        It is no frozen task, was edited, or another task has its name.
    """
    if not is_task(frozen) or frozen.get("version") != VERSION:
        raise ValueError(f"{where} is no task: write one with carc-env task freeze")
    try:
        found, fingerprint = task_of(frozen["task"]), fingerprint_in(frozen)
        is_same = settings_of(found) == frozen["settings"]
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{where} is no task: {error}") from error
    if not is_same or fingerprint != frozen["fingerprint"]:
        raise ValueError(f"{where}: its fingerprint does not follow from its settings")
    return tasks.add_own(found, frozen)


def check(asked: Task) -> None:
    """Check that a task of your own is here what it was when it was frozen.

    Raises
    ------
    ValueError
        It differs, for example because an opponent plays differently in this version.
    """
    if found := differences(asked, tasks.frozen_of_own(asked.name)):
        raise ValueError(f"{asked.name} is another task in this version of carc_env: {found[0]}")
