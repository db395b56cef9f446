"""Print what agents see and do under given rules: tables of planes, globals and actions.

    carc-env observe                                  the base game
    carc-env observe tower                            a preset
    carc-env observe "{preset: all, n_players: 4}"    a changed preset
    carc-env observe tower --only actions             one of the tables
    carc-env observe base --layout everything         a layout for any rules
    carc-env observe base --layout "[base, inns]"     a layout for several rules
    carc-env observe tower --only globals --names     each number with its name

The last column names the page in docs/rules that explains the rule. docs/actions.md and
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
from carc_env.layout.shared import check_layout
from carc_env.plain_yaml import read_yaml
from carc_env.rules import Layout, Rules
from carc_env.systems import figure_actions, systems_laid_out
from carc_env.systems.declaring import Actions, title_of

from .program import read_arguments

MOST_NAMES = 4
"""Maximum number of names that a row lists; if there are more, it shows the first and last."""


class Table(NamedTuple):
    """The column headings and the rows."""

    headings: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


def names_in_short(names: Sequence[str]) -> str:
    """Return the text for a table cell: all names if there are few, else the first and last."""
    shown = [f"`{name}`" for name in names]
    return ", ".join(shown) if len(shown) <= MOST_NAMES else f"{shown[0]} .. {shown[-1]}"


def meanings_of_actions(rules: Rules) -> Iterator[tuple[str, Actions]]:
    """Yield each system in the rules with each block of actions that it declares.

    Systems can share a block and give it different meanings.
    """
    for system in systems_laid_out(rules):
        under = [one for one in rules.laid_out if system.is_on(one)]
        yield from ((system.name, figure_actions(figure)) for figure in system.figures)
        yield from ((system.name, found) for found in system.actions if any(map(found.when, under)))


def actions(rules: Rules, system: str | None = None) -> Table:
    """Return the table of action blocks, of all systems or only one."""
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
    """Return the table of ``board`` planes, of all systems or only one."""
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
    """Return the table of ``globals``, one row per meaning, of all systems or only one."""
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
    """Yield the lines of a table in Markdown.

    Parameters
    ----------
    table
        The table.
    without
        Headings of the columns to leave out.
    padded
        Whether to pad the columns so that they line up in plain text.
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
    """Print what agents see and do under given rules."""

    rules: Annotated[str, tyro.conf.Positional] = "base"
    """A preset's name, or switches as YAML: "{preset: tower, n_players: 3}"."""
    only: Literal["planes", "globals", "actions"] | None = None
    """Print only this table."""
    layout: str | None = None
    """A layout shared with other rules: "everything", or a list of rules as YAML."""
    names: Annotated[bool, tyro.conf.FlagCreatePairsOff] = False
    """Print all names, each with its number, instead of tables."""


def padded_table(rules: Rules, name: str) -> Iterator[str]:
    """Return the lines of a table."""
    return markdown(TABLES[name](rules), padded=True)


def all_names(rules: Rules, table: str) -> Iterator[str]:
    """Return a line for each plane, global or action: its number and its name."""
    actions = action_layout(rules)
    names: dict[str, Iterable[str]] = {
        "planes": plane_names(rules),
        "globals": global_names(rules),
        "actions": map(actions.name, range(actions.n_actions)),
    }
    return (f"{k:>6,}  {name}" for k, name in enumerate(names[table]))


def summary(rules: Rules) -> str:
    """Return a line with the rules and their numbers of planes, globals and actions."""
    sizes = (
        f"{len(plane_names(rules))} planes of {rules.view} x {rules.view} cells",
        f"{len(global_names(rules))} globals",
        f"{action_layout(rules).n_actions:,} actions",
    )
    return f"rules {rules.plain.to_yaml()}, {rules.n_players} players: {', '.join(sizes)}"


def read_layout(text: str, rules: Rules) -> Layout:
    """Return a layout from the command line.

    Raises
    ------
    ValueError
        It is neither ``everything`` nor a list of rules.
    """
    if text == "everything":
        return Layout.everything(rules.n_players, view=rules.view)
    found = read_yaml("layout", text)
    if not isinstance(found, list):
        raise ValueError(f"--layout must be everything or a list of rules, got {text!r}")
    return Layout(*found)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    given = read_arguments(Arguments, arguments, "observe", __doc__)
    try:
        rules = Rules.from_yaml(given.rules)
        if given.layout is not None:
            rules = rules.replace(layout=read_layout(given.layout, rules))
            check_layout(rules)
    except ValueError as error:
        print(f"error: {error}")
        return 1
    print(summary(rules))
    for name in TABLES if given.only is None else (given.only,):
        shown = all_names if given.names else padded_table
        print("", name, "", *shown(rules, name), sep="\n")
    return 0
