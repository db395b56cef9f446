"""The Princess & the Dragon: the dragon and its flight."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from carc_env.engine.core.codes import Block, Figure, Phase, Plane, Problem
from carc_env.engine.core.tiles import DESIGN, IS_DRAGON, IS_VOLCANO
from carc_env.position import Cell, Position, halves_of
from carc_env.rules import Rules
from carc_env.sets.princess_dragon.dragon.record import DRAGON_STEPS
from carc_env.systems.declaring import (
    Actions,
    Anchor,
    Choice,
    Fields,
    Planes,
    Question,
    Record,
    System,
    Text,
)
from carc_env.systems.places import cell_if_any, cell_of, check_tile, coordinates_of
from carc_env.words import (
    CELL,
    SEATS,
    NotationError,
    Page,
    format_cell,
    format_segment,
    parse_cell,
    split_words,
)

STEPS = ((0, -1), (1, 0), (0, 1), (-1, 0))
"""Steps to the neighbouring cells in the north, east, south and west."""


def _step(k: int, _: Rules) -> Choice:
    return Choice("dragon", STEPS[k])


def _set_dragon_switches(record: Any, rules: Rules) -> None:
    record.dragon = rules.dragon
    record.dragon_late = rules.dragon and rules.dragon_timing == "after_scoring"
    record.withholds_dragons = rules.dragon and rules.dragon_tiles_before_volcano == "withhold"
    record.wagon_safe = rules.house_wagon_safe


def _parse_cells(text: str, line: int) -> tuple[Cell, ...]:
    parts = split_words(text)
    if not all(re.fullmatch(CELL, part) for part in parts):
        raise NotationError(line, f"expected cells such as '3,-1', found {text!r}")
    return tuple(parse_cell(part) for part in parts)


def _read_dragon(page: Page) -> Fields:
    fields: Fields = {}
    if found := page.find("dragon"):
        cells = _parse_cells(found[1], found[0])
        if len(cells) != 1:
            raise NotationError(found[0], f"expected a cell such as '3,-1', found {found[1]!r}")
        fields["dragon"] = cells[0]
    if found := page.find("flight"):
        fields["flown"] = _parse_cells(found[1], found[0])
    if (page.phase == Phase.FLIGHT) != (found is not None):
        raise NotationError(
            page.turn_line, "[flight ...] goes with a turn that flies: write both, or neither"
        )
    if found:
        n_players = page.rules.n_players
        turn = page.headers["turn"][1][0]
        first = SEATS.index(turn)
        fields["decider"] = (first + max(len(fields["flown"]) - 1, 0)) % n_players
    return fields


def _write_dragon(position: Position) -> Iterator[str]:
    if position.dragon is not None:
        yield f"dragon {format_cell(position.dragon)}"
    if position.flown:
        yield f"flight {' '.join(map(format_cell, position.flown))}"


def _dragon_of(states: npt.NDArray[Any], i: int) -> Fields:
    s = states[i]
    flown = s.flown[: int(s.n_flown)].tolist()
    return {"dragon": cell_if_any(int(s.dragon)), "flown": tuple(map(coordinates_of, flown))}


def _set_dragon(states: npt.NDArray[Any], position: Position) -> None:
    s = states[0]
    if position.dragon is not None:
        if not position.rules.dragon:
            raise ValueError("the dragon has a place, but the rules have none")
        check_tile(position, "dragon", position.dragon)
        s.dragon = cell_of(*position.dragon)
    if len(position.flown) > DRAGON_STEPS:
        raise ValueError(f"a flight has at most {DRAGON_STEPS} steps (PD-10)")
    for k, cell in enumerate(position.flown):
        check_tile(position, "dragon in its flight", cell)
        s.flown[k] = cell_of(*cell)
    s.n_flown = len(position.flown)


def _check_dragon(states: npt.NDArray[Any], position: Position, n_legal: int) -> None:
    if not position.rules.dragon:
        return
    _check_volcanoes(position)
    _check_withheld(states[0], position)
    if position.phase == Phase.FLIGHT:
        _check_flight(position)
        if n_legal == 0:
            raise ValueError("the dragon cannot fly any further (PD-13)")


def _check_volcanoes(position: Position) -> None:
    """Raise a ``ValueError`` unless the dragon is where volcanoes and dragon tiles allow it.

    The last volcano has summoned it, and only a dragon tile lets it leave.
    """
    designs = [DESIGN[tile.tile] for tile in position.tiles]
    volcanoes = np.flatnonzero(IS_VOLCANO[designs]).tolist()
    if not volcanoes:
        if position.dragon is not None:
            raise ValueError(
                f"the dragon is at {format_cell(position.dragon)}, but no volcano on the board "
                "has summoned it: lay one, or leave out [dragon ...] (PD-02, PD-03)"
            )
        return
    volcano = position.tiles[volcanoes[-1]]
    where = format_cell((volcano.x, volcano.y))
    if position.dragon is None:
        raise ValueError(f"a volcano at {where} has summoned the dragon: write [dragon {where}]")
    n_flights = int(IS_DRAGON[designs[volcanoes[-1] :]].sum())
    n_flights -= bool(IS_DRAGON[designs[-1]]) and _flies_later(position)
    begin = position.flown[0] if position.flown else position.dragon
    if n_flights == 0 and begin != (volcano.x, volcano.y):
        raise ValueError(
            f"the dragon is on the volcano at {where} until the next dragon tile is placed, "
            f"not at {format_cell(begin)} (PD-03, PD-20)"
        )


def _check_withheld(s: Any, position: Position) -> None:
    """Raise a ``ValueError`` for a dragon tile drawn too early while there were others (PD-07)."""
    withholds = position.rules.dragon_tiles_before_volcano == "withhold"
    if position.dragon is not None or not withholds or IS_DRAGON[s.bag[: int(s.n_bag)]].all():
        return
    drawn = [tile.tile for tile in position.tiles]
    for tile in [*drawn, position.tile_in_hand] if position.tile_in_hand else drawn:
        if IS_DRAGON[DESIGN[tile]]:
            raise ValueError(
                f"{tile} stays in the bag until a volcano has summoned the dragon: write [dragon "
                "...] if one has (PD-07)"
            )


def _flies_later(position: Position) -> bool:
    """Return whether a flight for the tile just placed is still to come, or has begun."""
    last = Phase.FLIGHT
    if position.rules.dragon_timing == "after_scoring":
        last = Phase.COUNT
    return Phase.FIGURE <= position.phase <= last


def _check_flight(position: Position) -> None:
    """Raise a ``ValueError`` for a flight without a dragon tile, or with a figure already eaten."""
    if not IS_DRAGON[DESIGN[position.tiles[-1].tile]]:
        raise ValueError("the dragon flies, but the tile just placed is no dragon tile (PD-08)")
    if position.fairy in position.flown[1:]:
        raise ValueError(
            "the dragon has flown onto the fairy's cell, which it may not enter (PD-12)"
        )
    lords = {place for c in position.castles for place in halves_of((c.x, c.y, c.spot))}
    for f in position.figures:
        is_safe = f.figure == Figure.BARN or (f.x, f.y, f.spot) in lords
        is_safe |= f.figure == Figure.WAGON and position.rules.house_wagon_safe
        if (f.x, f.y) in position.flown and not is_safe:
            where = format_segment((f.x, f.y, f.spot))
            raise ValueError(
                f"{SEATS[f.seat]} {f.figure.name.lower()} at {where}: the dragon has been there in "
                "this flight and has eaten everybody (PD-15)"
            )
    if position.rules.tower_top_dragon == "allow":
        for tower in position.towers:
            if tower.figure is not None and (tower.x, tower.y) in position.flown[1:]:
                raise ValueError(
                    f"tower at {format_cell((tower.x, tower.y))}: the dragon has eaten the meeple "
                    "on it in this flight (TOW-21)"
                )


DRAGON = System(
    name="princess-dragon",
    is_on=lambda rules: rules.dragon,
    switches=("dragon", "dragon_timing", "dragon_tiles_before_volcano", "house_wagon_safe"),
    questions=(
        Question(
            Phase.FLIGHT,
            "flies",
            "MOVE THE DRAGON",
            "all players, the turn player first",
            asks="Where does the dragon fly?",
        ),
    ),
    actions=(
        Actions(
            Block.DRAGON,
            "move the dragon one cell N, E, S or W; in a game the name has the cell: `dragon 3,4`",
            lambda _: len(STEPS),
            _step,
            Anchor.DRAGON,
        ),
    ),
    planes=(
        Planes(
            Plane.DRAGON,
            ("dragon", "flown"),
            "the tile that the dragon is on; the tiles that it has visited in this flight",
        ),
    ),
    numbers=lambda _: ("steps flown",),
    meanings=(("steps flown", "steps taken in the current flight, as a share of six"),),
    problems={
        Problem.DRAGON: "the steps of the flight do not lead to the dragon one by one, or a "
        "figure that it eats stands where it is (PD-06, PD-11)"
    },
    set_switches=_set_dragon_switches,
    text=Text(("dragon", "flight"), _read_dragon, _write_dragon),
    record=Record(_dragon_of, _set_dragon),
    check=_check_dragon,
)
