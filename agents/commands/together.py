"""Show how two sets interact: the rules of one that mention the other.

    carc-env together tower count
    carc-env together river abbey

A set is named after its page in docs/rules. The last line shows how the pair was tested.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

import tyro

from carc_env.choices import check_choice

from .program import read_arguments

NO_RULE = "No special rule: each set works as it does alone."
_LINK = re.compile(r"\[([^]]*)\]\([^)]*\)")


def pairs() -> dict[str, Any]:
    """Return the data about all pairs of sets that ``make docs`` wrote."""
    text = files("carc_env").joinpath("systems/pairs.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def told(first: str, second: str) -> list[str]:
    """Return the lines to print about two sets.

    Raises
    ------
    ValueError
        A name is not a set, or both names are the same set.
    """
    data = pairs()
    titles = data["titles"]
    for name in (first, second):
        check_choice("set", name, titles)
    if first == second:
        raise ValueError(f"name two different sets, not {first!r} twice")
    one, two = sorted((first, second), key=[*titles].index)
    pair = data["pairs"][f"{one} {two}"]
    rules = [f"{ids}: {data['rules'][page][ids]}" for page, ids in pair["rules"]]
    n_tests, n_replayed, n_random = pair["counts"]
    return [
        f"{titles[one]} with {titles[two]}",
        *(_LINK.sub(r"\1", rule) for rule in rules or [NO_RULE]),
        f"How tested: {n_tests} tests carry rules of both; both are in {n_replayed} of "
        f"{data['replayed']} replayed games of another engine, and in {n_random} of "
        f"{data['random']} choices of rules for random games.",
    ]


def run(
    first: tyro.conf.Positional[str],
    second: tyro.conf.Positional[str],
) -> int:
    """Print the rules for playing two sets together.

    Parameters
    ----------
    first
        Name of a set, such as "tower".
    second
        Name of another set.
    """
    try:
        print("\n".join(told(first, second)))
    except ValueError as error:
        raise SystemExit(str(error)) from error
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line."""
    status: int = read_arguments(run, arguments, "together", __doc__)
    return status
