"""The Russian promos: the hut, and figures in traps."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy.typing as npt

from carc_env.engine.core.codes import N_MEEPLES, Block, Figure, Plane, Problem
from carc_env.position import Position, Trapped
from carc_env.rules import Rules
from carc_env.sets.russian_promos.record import (
    ALL,
    CAUGHT,
    MOST_OF_A_KIND,
    N_CAUGHT,
    NEAREST,
    NO_PROMOS,
    TRAPS,
    TREE,
    WATER,
)
from carc_env.systems.declaring import (
    Actions,
    Anchor,
    Choice,
    Fields,
    Planes,
    Record,
    System,
    Text,
)
from carc_env.words import COUNT, FIGURE_OF, SEATS, NotationError, Page, parse_seat

KINDS = tuple(Figure)[:N_CAUGHT]
_TRAPPED = re.compile(r"(?P<seat>[A-F]) (?P<figure>[a-z]+) (?P<trap>[a-z]+)")


def _free_tree(k: int, _: Rules) -> Choice:
    return Choice("free tree", figure=KINDS[k])


def _free_water(k: int, _: Rules) -> Choice:
    return Choice("free water", figure=KINDS[k])


def _seize(k: int, _: Rules) -> Choice:
    away, kind = divmod(k, N_MEEPLES)
    return Choice("seize", (0, 0), figure=Figure(kind), seat=away)


def _spares(rules: Rules) -> bool:
    return rules.solovei_reach == "nearest"


def kinds_in(trap: str, rules: Rules) -> tuple[Figure, ...]:
    """Return the kinds of figures in play that a trap can hold."""
    in_play = (*rules.meeples, *(Figure.BUILDER,) * rules.builders)
    return tuple(kind for kind in CAUGHT[TRAPS.index(trap)] if kind in in_play)


def _numbers(rules: Rules) -> tuple[str, ...]:
    return (
        *["spared"] * _spares(rules),
        *(
            f"{kind.name.lower()}s {seat} {trap}"
            for seat in range(rules.n_players)
            for trap in TRAPS
            for kind in kinds_in(trap, rules)
        ),
    )


def _set_switches(record: Any, rules: Rules) -> None:
    reach = NEAREST if _spares(rules) else ALL
    record.russian_promos = reach if rules.russian_promos else NO_PROMOS
    record.score_floor = rules.russian_promos and rules.score_floor


# Positions as text.


def _read(page: Page) -> Fields:
    trapped = sorted(_parse_trapped(text, line) for line, text in page.listed("trapped"))
    fields: Fields = {"trapped": tuple(trapped)}
    if found := page.find("spared"):
        if not re.fullmatch(COUNT, found[1]):
            raise NotationError(found[0], f"expected a number of figures, found {found[1]!r}")
        fields["spared"] = int(found[1])
    return fields


def _parse_trapped(text: str, line: int) -> Trapped:
    match = _TRAPPED.fullmatch(text)
    if not match or match["figure"] not in FIGURE_OF or match["trap"] not in TRAPS:
        expected = f"a trapped figure such as 'A meeple {TRAPS[TREE]}' or 'A meeple {TRAPS[WATER]}'"
        raise NotationError(line, f"expected {expected}, found {text!r}")
    return Trapped(
        parse_seat(match["seat"], line),
        "tree" if match["trap"] == TRAPS[TREE] else "water",
        FIGURE_OF[match["figure"]],
    )


def _write(position: Position) -> Iterator[str]:
    if position.trapped:
        trapped = [f"{SEATS[t.seat]} {t.figure.name.lower()} {t.trap}" for t in position.trapped]
        yield f"trapped {', '.join(trapped)}"
    if position.spared:
        yield f"spared {position.spared}"


# Positions in the record.


def _of_record(states: npt.NDArray[Any], i: int) -> Fields:
    s = states[i]
    trapped = [
        Trapped(seat, "tree" if trap == TREE else "water", KINDS[kind])
        for seat, player in enumerate(s.players[: int(s.rules.n_players)])
        for trap, kinds in enumerate(player.trapped.tolist())
        for kind, n in enumerate(kinds)
        for _ in range(n)
    ]
    return {"trapped": tuple(trapped), "spared": int(s.spared)}


def _into_record(states: npt.NDArray[Any], position: Position) -> None:
    s, rules = states[0], position.rules
    if (position.trapped or position.spared) and not rules.russian_promos:
        raise ValueError("a figure is in a trap or spared by one, but the rules have no traps")
    for trapped in position.trapped:
        _catch(s, position, trapped)
    if not 0 <= position.spared <= MOST_OF_A_KIND * rules.n_players:
        raise ValueError(f"[spared {position.spared}]: no tree can spare so many (RUS-07)")
    s.spared = position.spared


def _catch(s: Any, position: Position, trapped: Trapped) -> None:
    """Move a figure from a supply into a trap."""
    figure, rules = trapped.figure, position.rules
    where = f"{figure.name.lower()} in the {trapped.trap}"
    if not 0 <= trapped.seat < rules.n_players:
        raise ValueError(f"{where}: there are {rules.n_players} seats")
    if figure not in kinds_in(trapped.trap, rules):
        raise ValueError(f"{where}: the trap never catches it (RUS-06, RUS-08, RUS-09)")
    if s.players[trapped.seat].supply[figure] == 0:
        raise ValueError(f"{where}: none is left in the supply of {SEATS[trapped.seat]}")
    s.players[trapped.seat].supply[figure] -= 1
    s.players[trapped.seat].trapped[TRAPS.index(trapped.trap), figure] += 1


RUSSIAN_PROMOS = System(
    name="russian-promos",
    is_on=lambda rules: rules.russian_promos,
    switches=("russian_promos", "solovei_reach", "score_floor"),
    actions=(
        Actions(
            Block.FREE_TREE,
            "free one of your figures from Solovei's tree: its kind (meeple, large, abbot, "
            "mayor, wagon, phantom, builder)",
            lambda _: N_CAUGHT,
            _free_tree,
        ),
        Actions(
            Block.FREE_WATER,
            "free one of your meeples from Vodyanoy's water: its kind",
            lambda _: N_MEEPLES,
            _free_water,
        ),
        Actions(
            Block.SEIZE,
            "capture a meeple in the trap of the chosen tile: its owner, clockwise from the "
            "decider, times its kind",
            lambda rules: rules.n_players * N_MEEPLES,
            _seize,
            Anchor.CHOSEN,
            when=lambda rules: rules.towers,
        ),
        Actions(
            Block.FAIRY_TRAP,
            "move the fairy to your meeple in the trap of the chosen tile",
            choice=lambda _, __: Choice("fairy trap", (0, 0)),
            anchor=Anchor.CHOSEN,
            when=lambda rules: rules.fairy,
        ),
    ),
    planes=(
        Planes(
            Plane.PROMOS,
            ("hut", *TRAPS),
            "a hut is in the centre; the tree of Solovei is on the tile; the water of Vodyanoy",
        ),
    ),
    numbers=_numbers,
    meanings=(
        ("spared", "figures on its road that the tree leaves there"),
        *(
            (
                f"{kind.name.lower()}s # {trap}",
                "figures in this trap, as a share of all of this kind",
            )
            for trap, kinds in zip(TRAPS, CAUGHT, strict=True)
            for kind in kinds
        ),
    ),
    problems={
        Problem.TRAPS: "a figure is in a trap that is not on the board, or the tree spares more "
        "figures than are on its road (RUS-07, RUS-09)"
    },
    set_switches=_set_switches,
    text=Text(("trapped", "spared"), _read, _write),
    record=Record(_of_record, _into_record),
)
