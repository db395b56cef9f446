"""Every entry of the implemented sections has a test, or stands in ``deferred.yaml``."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import yaml

FOLDER = Path(__file__).parent

#: The entries of the catalogue that the base game, gardens, abbots and the winter edition have.
CATALOGUE = """
SET-01 SET-02 SET-03 SET-04 SET-05 SET-06
TURN-01 TURN-02 TURN-03 TURN-04 TURN-05
BASE-01 BASE-02 BASE-03 BASE-04 BASE-05 BASE-06 BASE-07 BASE-08 BASE-09 BASE-10
BASE-11 BASE-12 BASE-13 BASE-14 BASE-15 BASE-16 BASE-17 BASE-18 BASE-19 BASE-20
BASE-21 BASE-22 BASE-23 BASE-24 BASE-25 BASE-26 BASE-27 BASE-28
BASE-40 BASE-41 BASE-42
GAR-01 GAR-02 GAR-03 GAR-04 GAR-05 GAR-06 GAR-07 GAR-08 GAR-09 GAR-10
ABT-01 ABT-02 ABT-03 ABT-04 ABT-05 ABT-06 ABT-07 ABT-08 ABT-09 ABT-10 ABT-11
ABT-12 ABT-13 ABT-14 ABT-15 ABT-16 ABT-17 ABT-18 ABT-19 ABT-20 ABT-21
WIN-01 WIN-02 WIN-03
""".split()


def _ids_of(decorator: ast.expr) -> list[str]:
    """The ids of a ``pytest.mark.rule(...)``; none for another decorator."""
    if not isinstance(decorator, ast.Call) or ast.unparse(decorator.func) != "pytest.mark.rule":
        return []
    return [ast.literal_eval(argument) for argument in decorator.args]


def marked_tests() -> dict[str, list[str]]:
    """The ids that each test function of this folder carries."""
    found: dict[str, list[str]] = {}
    for file in sorted(FOLDER.glob("test_*.py")):
        if file == Path(__file__):
            continue
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                name = f"{file.name}::{node.name}"
                assert name not in found, f"{name} is defined twice"
                found[name] = [id_ for d in node.decorator_list for id_ in _ids_of(d)]
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
    missing = set(CATALOGUE) - set(names_by_id()) - set(deferred()["fully"])
    assert not missing


def test_the_ids_of_tests_and_deferrals_are_entries_of_the_catalogue():
    assert len(set(CATALOGUE)) == len(CATALOGUE) == 76
    assert not set(names_by_id()) - set(CATALOGUE)
    assert not {id_ for part in deferred().values() for id_ in part} - set(CATALOGUE)


def test_fully_deferred_entries_have_no_test_and_partly_deferred_ones_have():
    assert not set(deferred()["fully"]) & set(names_by_id())
    assert not set(deferred()["partly"]) - set(names_by_id())
    assert all(reason.endswith(")") for part in deferred().values() for reason in part.values())


def test_every_test_carries_the_id_in_its_name():
    for name, ids in marked_tests().items():
        words = name.split("::")[1].split("_")
        assert "-".join(words[1:3]).upper() in ids, name
