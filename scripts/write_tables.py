"""Write the tables of the documentation from what the rules and systems declare (``make docs``).

    python scripts/write_tables.py            write them anew
    python scripts/write_tables.py --check    only tell whether they are up to date

A table, or an index, stands between ``<!-- table: NAME -->`` and ``<!-- end of table -->``.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import tyro

from carc_env.layout.actions import action_layout
from carc_env.rules import MAX_BID_LIMIT, MAX_VIEW, MIN_VIEW, PRESETS, SETS, Rules
from carc_env.systems import QUESTIONS, SYSTEMS

ROOT = Path(__file__).resolve().parents[1]
DECISIONS = ROOT / "docs/decisions.md"
PAGES = (ROOT / "README.md", ROOT / "docs/env.md", DECISIONS)
_TABLE = re.compile(r"(<!-- table: ([a-z]+) -->\n)(.*?)(<!-- end of table -->)", re.DOTALL)
EVERYTHING = Rules.preset(
    "big-box", castle_choice="ask", bridge_timing="any_time_before_scoring", n_players=2
)
RANGES = {
    "n_players": "2 to 6",
    "view": f"even, {MIN_VIEW} to {MAX_VIEW}",
    "bazaar_bid_limit": f"1 to {MAX_BID_LIMIT}",
    "sets": ", ".join(f'`"{name}"`' for name in SETS[1:]),
}
"""Other values of switches that are no choice of a few."""


def words_of_switches() -> dict[str, str]:
    """The first sentence below each field of ``Rules``."""
    (tree,) = ast.parse(inspect.getsource(Rules)).body
    assert isinstance(tree, ast.ClassDef)
    words = {}
    for node, below in zip(tree.body, tree.body[1:], strict=False):
        if isinstance(node, ast.AnnAssign) and isinstance(below, ast.Expr):
            text = " ".join(str(ast.literal_eval(below.value)).split("\n\n")[0].split())
            text = re.sub(r":attr:`(\w+)`", r"`\1`", text).replace("``", "`")
            words[ast.unparse(node.target)] = text
    return words


def code(value: Any) -> str:
    """A value as code; strings in double quotes."""
    return "`" + repr(value).replace("'", '"').replace(",)", ",)") + "`"


def values_of(name: str, hint: Any) -> str:
    """The default of a switch, then its other values."""
    default = getattr(Rules(), name)
    others: list[Any] = []
    if hint is bool:
        others = [not default]
    elif name == "wagon_adjacency":
        others = ["C2", "C1"]
    elif get_origin(hint) is Literal:
        others = [value for value in get_args(hint) if value != default]
    shown = ", ".join(map(code, [default, *others]))
    return f"{shown}; {RANGES[name]}" if name in RANGES else shown


def switches() -> Iterator[str]:
    """All fields of ``Rules``, by system."""
    yield "| system | switch | values, default first | what it decides |"
    yield "| --- | --- | --- | --- |"
    words, hints = words_of_switches(), get_type_hints(Rules)
    for system in SYSTEMS:
        page = f"[{system.name}](docs/rules/{system.name}.md)"
        for name in system.switches:
            yield f"| {page} | `{name}` | {values_of(name, hints[name])} | {words[name]} |"


def presets() -> Iterator[str]:
    """The presets and what they change."""
    yield "| preset | what it changes |"
    yield "| --- | --- |"
    for name in PRESETS:
        yield f"| `{name}` | `{Rules.preset(name).to_yaml()}` |"


def blocks() -> Iterator[str]:
    """The blocks of actions under all systems."""
    yield "| block | size | meaning |"
    yield "| --- | --: | --- |"
    for run in action_layout(EVERYTHING).blocks.values():
        yield f"| `{run.name}` | {run.size:,} | {run.actions.meaning} |"


def phases() -> Iterator[str]:
    """The phases."""
    yield "| phase | in the notation | decider | other words for actions |"
    yield "| --- | --- | --- | --- |"
    for phase, q in sorted(QUESTIONS.items()):
        words = {"pass": q.passing, "accept": q.accepting, "decline": q.declining}
        said = ", ".join(f"{usual}: `{word}`" for usual, word in words.items() if word != usual)
        yield f"| `{phase.name}` | `{q.verb}` | {q.decider} | {said} |"


def planes() -> Iterator[str]:
    """The planes that systems add."""
    yield "| planes | names | meaning | system |"
    yield "| --: | --- | --- | --- |"
    added = [(planes, system.name) for system in SYSTEMS for planes in system.planes]
    for planes_, name in sorted(added, key=lambda pair: pair[0].group):
        names = ", ".join(f"`{plane}`" for plane in planes_.names)
        yield f"| {len(planes_.names)} | {names} | {planes_.meaning} | {name} |"


def decisions() -> Iterator[str]:
    """The index of the decisions."""
    for level, title in re.findall(r"^(##+) (.+)$", DECISIONS.read_text(encoding="utf-8"), re.M):
        anchor = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        yield f"{'  ' * (len(level) - 2)}- [{title}](#{anchor})"


TABLES: dict[str, Callable[[], Iterator[str]]] = {
    function.__name__: function
    for function in (switches, presets, blocks, phases, planes, decisions)
}


def written(text: str) -> str:
    """A page with its tables as they should be."""

    def anew(match: re.Match[str]) -> str:
        return match[1] + "\n".join(TABLES[match[2]]()) + "\n" + match[4]

    return _TABLE.sub(anew, text)


def main(check: bool = False) -> int:
    """Write all tables anew.

    Parameters
    ----------
    check
        Write nothing; the exit status is 1 if a table is not up to date.
    """
    stale = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        if (new := written(text)) != text:
            stale.append(page.name)
            if not check:
                page.write_text(new, encoding="utf-8")
    if stale:
        print(f"{'not up to date' if check else 'written'}: {', '.join(stale)}")
    return int(check and bool(stale))


if __name__ == "__main__":
    sys.exit(tyro.cli(main))
