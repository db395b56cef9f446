"""Little Buildings: sheds, houses and towers on tiles."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, get_args

import numpy.typing as npt

from carc_env.engine.core.codes import Block, Plane, Problem
from carc_env.position import Building, BuildingKind, Position
from carc_env.rules import Rules
from carc_env.sets.little_buildings.record import BUILDINGS, N_BUILDINGS
from carc_env.systems.declaring import (
    Actions,
    Choice,
    Fields,
    Planes,
    Record,
    Supply,
    System,
    Text,
)
from carc_env.systems.places import cell_of_tile
from carc_env.systems.stock import put_in_hand, stock_in_hand
from carc_env.words import CELL, COUNT, SEATS, NotationError, Page, format_cell, parse_cell

KINDS: tuple[BuildingKind, ...] = get_args(BuildingKind)
"""Names of the buildings, in the order of their kinds."""
_BUILT = re.compile(rf"(?P<cell>{CELL}) (?P<kind>{'|'.join(KINDS)})")
_LEFT = re.compile(rf"(?P<seat>[A-F])(?P<numbers>(?: {COUNT}){{{N_BUILDINGS}}})")


def points_of(rules: Rules) -> tuple[int, ...]:
    """Return the points for a shed, a house and a tower (LB-08)."""
    return tuple(map(int, reversed(rules.little_building_points.split("/"))))


def _supply(kind: int) -> Supply:
    def dealt(rules: Rules) -> tuple[int, ...]:
        return tuple(numbers[kind] for numbers in rules.buildings_dealt)

    def most(rules: Rules) -> int:
        return max(dealt(rules), default=0)

    word = KINDS[kind]
    return Supply(BUILDINGS[kind], f"little {word}s", most, most, f"little-{word}", dealt=dealt)


def _set_switches(record: Any, rules: Rules) -> None:
    record.building_points[:] = points_of(rules) if rules.little_buildings else 0
    record.buildings_dealt[:] = _in_all(rules)


def _in_all(rules: Rules) -> tuple[int, ...]:
    """Return how many buildings of each kind all seats together begin with."""
    return tuple(
        sum(numbers[kind] for numbers in rules.buildings_dealt) for kind in range(N_BUILDINGS)
    )


# Positions as text.


def _read(page: Page) -> Fields:
    left = dict(enumerate(page.rules.buildings_dealt))
    for line, text in page.listed("unbuilt"):
        if not (match := _LEFT.fullmatch(text)) or SEATS.index(match["seat"]) not in left:
            raise NotationError(
                line, f"expected a seat and its buildings as 'A 3 3 2', found {text!r}"
            )
        sheds, houses, towers = map(int, match["numbers"].split())
        left[SEATS.index(match["seat"])] = sheds, houses, towers
    return {
        "built": tuple(_parse_building(text, line) for line, text in page.listed("built")),
        "unbuilt": tuple(left.values()),
    }


def _parse_building(text: str, line: int) -> Building:
    if not (match := _BUILT.fullmatch(text)):
        raise NotationError(line, f"expected a building such as '3,-1 shed', found {text!r}")
    kind = KINDS[KINDS.index(match["kind"])]
    return Building(*parse_cell(match["cell"]), kind)


def _write(position: Position) -> Iterator[str]:
    if position.built:
        yield f"built {', '.join(f'{format_cell((b.x, b.y))} {b.kind}' for b in position.built)}"
    left = [
        f"{SEATS[seat]} {' '.join(map(str, numbers))}"
        for seat, numbers in enumerate(position.unbuilt)
        if numbers != position.rules.buildings_dealt[seat]
    ]
    if left:
        yield f"unbuilt {', '.join(left)}"


# Positions in the record.


def _of_record(states: npt.NDArray[Any], i: int) -> Fields:
    s = states[i]
    built = s.built[: int(s.n_built)]
    by_kind = [stock_in_hand(s, stock) for stock in BUILDINGS]
    return {
        "built": tuple(_building_of(s, building) for building in built),
        "unbuilt": tuple(zip(*by_kind, strict=True)),
    }


def _building_of(s: Any, building: Any) -> Building:
    cell = cell_of_tile(s, int(building.tile))
    assert cell is not None
    return Building(*cell, KINDS[int(building.kind)])


def _into_record(states: npt.NDArray[Any], position: Position) -> None:
    s, rules = states[0], position.rules
    if not rules.little_buildings:
        if position.built or position.unbuilt:
            raise ValueError("there are little buildings, but the rules have none")
        return
    _check_numbers(position)
    numbers = {(tile.x, tile.y): k for k, tile in enumerate(position.tiles)}
    found: dict[int, int] = {}
    for building in position.built:
        where = f"{building.kind} at {format_cell((building.x, building.y))}"
        tile = numbers.get((building.x, building.y))
        if tile is None or tile in found:
            raise ValueError(f"{where}: there is no tile without a building there (LB-03)")
        found[tile] = KINDS.index(building.kind)
    s.n_built = len(found)
    for k, (tile, kind) in enumerate(sorted(found.items())):
        s.built[k].tile, s.built[k].kind = tile, kind
    for kind, stock in enumerate(BUILDINGS):
        put_in_hand(states, stock, tuple(left[kind] for left in position.unbuilt))


def _check_numbers(position: Position) -> None:
    """Raise a ``ValueError`` unless buildings in hand and on tiles match those that were dealt."""
    left, dealt = position.unbuilt, position.rules.buildings_dealt
    if len(left) != len(dealt):
        raise ValueError(f"little buildings of {len(left)} seats for {len(dealt)} players")
    for kind, name in enumerate(KINDS):
        n_left = sum(numbers[kind] for numbers in left)
        n_built = sum(building.kind == name for building in position.built)
        if n_left + n_built != _in_all(position.rules)[kind]:
            raise ValueError(
                f"{n_left} {name}s in hand and {n_built} on tiles: all seats begin with "
                f"{_in_all(position.rules)[kind]} (LB-01)"
            )


LITTLE_BUILDINGS = System(
    name="little-buildings",
    is_on=lambda rules: rules.little_buildings,
    switches=("little_buildings", "little_building_share", "little_building_points"),
    actions=(
        Actions(
            Block.BUILDING,
            "put a little building on the tile just placed: a shed, a house or a tower",
            lambda _: N_BUILDINGS,
            lambda k, _: Choice(f"build {KINDS[k]}"),
        ),
    ),
    planes=(
        Planes(
            Plane.BUILDING,
            ("building",),
            "a little building stands on the tile",
            "1: a shed, 2: a house, 3: a tower",
        ),
    ),
    supplies=tuple(map(_supply, range(N_BUILDINGS))),
    problems={
        Problem.BUILDINGS: "little buildings are lost or duplicated, or one stands on a tile "
        "that nobody has placed, or has decided on yet (LB-01, LB-03)"
    },
    set_switches=_set_switches,
    text=Text(("built", "unbuilt"), _read, _write),
    record=Record(_of_record, _into_record),
)
