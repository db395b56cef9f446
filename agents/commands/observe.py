"""Print what agents see and do under some rules: the planes, globals and actions as tables.

    carc-env observe                                  the base game
    carc-env observe tower                            a preset
    carc-env observe "{preset: all, n_players: 4}"    a changed preset
    carc-env observe tower --only actions             one of the tables

The last column is the page of docs/rules that explains the rule. docs/actions.md and
docs/observations.md explain the other columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Annotated, Literal, NamedTuple

import tyro

from carc_env.layout.actions import action_layout
from carc_env.layout.observations import (
    describe_globals,
    describe_planes,
    global_names,
    plane_names,
)
from carc_env.rules import Rules
from carc_env.systems import figure_actions, systems_in
from carc_env.systems.declaring import Actions, title_of

from .program import read_arguments

MOST_NAMES = 4
"""Names that a row lists; of more it shows the first and the last."""


class Table(NamedTuple):
    """The headings of the columns and the rows."""

    headings: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


def names_in_short(names: Sequence[str]) -> str:
    """Names for one cell of a table: all of a few, else the first and the last."""
    shown = [f"`{name}`" for name in names]
    return ", ".join(shown) if len(shown) <= MOST_NAMES else f"{shown[0]} .. {shown[-1]}"


def meanings_of_actions(rules: Rules) -> Iterator[tuple[str, Actions]]:
    """Each system of some rules with each block of actions that it declares.

    Systems can share a block and give it different meanings.
    """
    for system in systems_in(rules):
        yield from ((system.name, figure_actions(figure)) for figure in system.figures)
        yield from ((system.name, found) for found in system.actions if found.when(rules))


def actions(rules: Rules, system: str | None = None) -> Table:
    """The blocks of actions, or those of one system."""
    headings = ("block", "first", "size", "first name", "meaning", "page")
    layout, rows = action_layout(rules), []
    for name, found in meanings_of_actions(rules):
        if system in (None, name):
            run = layout.blocks[title_of(found.block)]
            example = f"`{layout.name(run.first)}`"
            cells = (f"`{run.name}`", f"{run.first:,}", f"{run.size:,}", example)
            rows.append((run.first, (*cells, found.meaning, name)))
    return Table(headings, [row for _, row in sorted(rows, key=lambda pair: pair[0])])


def planes(rules: Rules, system: str | None = None) -> Table:
    """The planes of ``board``, or those of one system."""
    headings = ("planes", "names", "values, otherwise 0", "meaning", "page")
    return Table(
        headings,
        [
            (
                str(len(found.names)),
                names_in_short(found.names),
                found.values,
                found.meaning,
                found.system,
            )
            for found in describe_planes(rules)
            if system in (None, found.system)
        ],
    )


def globals_(rules: Rules, system: str | None = None) -> Table:
    """The numbers in ``globals``, or those of one system; a row for each meaning."""
    headings = ("numbers", "names", "meaning", "page")
    found = (row for row in describe_globals(rules) if system in (None, row.system))
    rows = []
    for (meaning, name), alike in groupby(found, lambda row: (row.meaning, row.system)):
        group = [*alike]
        n = sum(row.n for row in group)
        rows.append((str(n), names_in_short([row.name for row in group]), meaning, name))
    return Table(headings, rows)


TABLES: dict[str, Callable[[Rules], Table]] = {
    "planes": planes,
    "globals": globals_,
    "actions": actions,
}


def markdown(table: Table, *, without: Iterable[str] = (), padded: bool = False) -> Iterator[str]:
    """The lines of a table in Markdown.

    Parameters
    ----------
    table
        The table.
    without
        Headings of columns to leave out.
    padded
        Whether the columns line up where the text is shown as it is.
    """
    kept = [k for k, heading in enumerate(table.headings) if heading not in {*without}]
    lines = [[row[k] for k in kept] for row in (table.headings, *table.rows)]
    are_numbers = [
        bool(lines[1:]) and all(line[k].replace(",", "").isdigit() for line in lines[1:])
        for k in range(len(kept))
    ]
    widths = [max(len(line[k]) for line in lines) if padded else 0 for k in range(len(kept))]
    rule = [
        "-" * max(width - is_number, 3 - is_number) + ":" * is_number
        for width, is_number in zip(widths, are_numbers, strict=True)
    ]
    for line in (lines[0], rule, *lines[1:]):
        cells = [
            cell.rjust(width) if is_number else cell.ljust(width)
            for cell, width, is_number in zip(line, widths, are_numbers, strict=True)
        ]
        yield f"| {' | '.join(cells)} |"


@dataclass(frozen=True)
class Arguments:
    """Print what agents see and do under some rules."""

    rules: Annotated[str, tyro.conf.Positional] = "base"
    """The name of a preset, or switches as YAML: "{preset: tower, n_players: 3}"."""
    only: Literal["planes", "globals", "actions"] | None = None
    """Print only this table."""


def summary(rules: Rules) -> str:
    """The rules, and how many planes, globals and actions they have."""
    sizes = (
        f"{len(plane_names(rules))} planes of {rules.view} x {rules.view} cells",
        f"{len(global_names(rules))} globals",
        f"{action_layout(rules).n_actions:,} actions",
    )
    return f"rules {rules.to_yaml()}, {rules.n_players} players: {', '.join(sizes)}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status."""
    given = read_arguments(Arguments, arguments, "observe", __doc__)
    try:
        rules = Rules.from_yaml(given.rules)
    except ValueError as error:
        print(f"error: {error}")
        return 1
    print(summary(rules))
    for name in TABLES if given.only is None else (given.only,):
        print("", name, "", *markdown(TABLES[name](rules), padded=True), sep="\n")
    return 0
