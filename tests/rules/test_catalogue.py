"""Every rule of the rules pages has a test or is deferred in ``deferred.yaml``."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import yaml

FOLDER = Path(__file__).parent

PAGES = FOLDER.parents[1] / "docs/rules"
ROW = re.compile(r"^\| ((?:[A-Z0-9]+-\d+(?: to |, )?)+) \| (.+) \|$", re.M)


def entries(page: str) -> Iterator[tuple[str, str]]:
    """Yield the ids and the text of each row of a rules page."""
    yield from ROW.findall((PAGES / f"{page}.md").read_text(encoding="utf-8"))


def all_ids(words: str) -> Iterator[str]:
    """Yield each id of a list; ``A-01 to A-03`` stands for three ids."""
    for part in words.split(", "):
        first, _, last = part.partition(" to ")
        name, _, low = first.rpartition("-")
        high = last.rpartition("-")[2] or low
        yield from (f"{name}-{k:02}" for k in range(int(low), int(high) + 1))


def ids_on(page: str) -> set[str]:
    """Return all ids in the tables of a rules page."""
    return {entry for ids, _ in entries(page) for entry in all_ids(ids)}


CATALOGUE = ids_on("README")
"""Rule ids of the catalogue, from the index of the rules pages."""


def _ids_of(decorator: ast.expr) -> list[str]:
    """Return the ids of a ``pytest.mark.rule(...)``, or none for any other decorator."""
    if not isinstance(decorator, ast.Call) or ast.unparse(decorator.func) != "pytest.mark.rule":
        return []
    return [ast.literal_eval(argument) for argument in decorator.args]


@cache
def marked_tests() -> dict[str, list[str]]:
    """Return the ids of each test function in this folder, from its name and its marks."""
    found: dict[str, list[str]] = {}
    for file in sorted(FOLDER.glob("test_*.py")):
        if file == Path(__file__):
            continue
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                name = f"{file.name}::{node.name}"
                assert name not in found, f"{name} is defined twice"
                marked = [id_ for d in node.decorator_list for id_ in _ids_of(d)]
                found[name] = ["-".join(node.name.split("_")[1:3]).upper(), *marked]
    return found


def deferred() -> dict[str, dict[str, str]]:
    with (FOLDER / "deferred.yaml").open(encoding="utf-8") as file:
        content: dict[str, dict[str, str]] = yaml.safe_load(file)
    assert set(content) == {"fully", "partly"}
    return content


def names_by_id() -> dict[str, list[str]]:
    tests = defaultdict(list)
    for name, ids in marked_tests().items():
        for id_ in ids:
            tests[id_].append(name)
    return dict(tests)


def test_every_entry_has_a_test_or_is_deferred():
    missing = CATALOGUE - set(names_by_id()) - set(deferred()["fully"])
    assert not missing


def test_the_ids_of_tests_and_deferrals_are_entries_of_the_catalogue():
    assert not set(names_by_id()) - CATALOGUE
    assert not {id_ for part in deferred().values() for id_ in part} - CATALOGUE


def test_the_index_lists_what_the_pages_of_sets_state():
    assert len(CATALOGUE) > 900
    assert not set().union(*(ids_on(page.stem) for page in PAGES.glob("*.md"))) - CATALOGUE


def test_each_page_states_the_entries_that_the_index_lists_for_it():
    missing = {
        f"{entry} on {page}"
        for ids, words in entries("README")
        for page in re.findall(r"\]\(([\w-]+)\.md\)", words)
        for entry in set(all_ids(ids)) - ids_on(page) - set(deferred()["fully"])
        if entry not in (PAGES / f"{page}.md").read_text(encoding="utf-8")
    }
    assert missing == set()


def test_fully_deferred_entries_have_no_test_and_partly_deferred_ones_have():
    assert not set(deferred()["fully"]) & set(names_by_id())
    assert not set(deferred()["partly"]) - set(names_by_id())
    assert all(reason.endswith(")") for part in deferred().values() for reason in part.values())


def test_no_test_carries_an_id_twice():
    assert not [name for name, ids in marked_tests().items() if len({*ids}) < len(ids)]
