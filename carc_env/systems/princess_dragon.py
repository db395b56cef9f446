"""The Princess & the Dragon: the dragon, the fairy, princesses and magic portals."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy.typing as npt

from carc_env.engine.core.codes import N_MEEPLES, N_SPOTS, Block, Phase, Plane, Spot
from carc_env.engine.core.state import (
    DRAGON_STEPS,
    FIGURE_SLOTS,
    MAY_REMOVE,
    MUST_REMOVE,
    NO_CELL,
    NO_FIGURE,
    NO_PRINCESS,
    NO_SEGMENT,
    SLOTS_PER_SEAT,
)
from carc_env.position import Cell, Position
from carc_env.rules import Rules
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
from carc_env.systems.places import cell_of, coordinates_of, place_of, segment_at
from carc_env.words import (
    CELL,
    SEATS,
    NotationError,
    Page,
    format_cell,
    format_segment,
    parse_cell,
    parse_segment,
)

STEPS = ((0, -1), (1, 0), (0, 1), (-1, 0))
"""To the side neighbour in the north, east, south, west."""


def _cell(cell: int) -> Cell | None:
    return None if cell == NO_CELL else coordinates_of(cell)


def _check_tile(position: Position, what: str, cell: Cell) -> None:
    if cell not in {(tile.x, tile.y) for tile in position.tiles}:
        raise ValueError(f"no tile lies at {format_cell(cell)}, where the {what} is")


# The dragon.


def _step(k: int, _: Rules) -> Choice:
    return Choice("dragon", STEPS[k])


def _set_dragon_switches(record: Any, rules: Rules) -> None:
    record.dragon = rules.dragon
    record.dragon_late = rules.dragon and rules.dragon_timing == "after_scoring"
    record.withholds_dragons = rules.dragon and rules.dragon_tiles_before_volcano == "withhold"
    record.wagon_safe = rules.house_wagon_safe


def _parse_cells(text: str, line: int) -> tuple[Cell, ...]:
    if not all(re.fullmatch(CELL, part) for part in text.split()):
        raise NotationError(line, f"expected cells such as '3,-1', found {text!r}")
    return tuple(parse_cell(part) for part in text.split())


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
        raise NotationError(page.turn_line, "[flight ...] and a turn that flies go together")
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
    return {"dragon": _cell(int(s.dragon)), "flown": tuple(map(coordinates_of, flown))}


def _set_dragon(states: npt.NDArray[Any], position: Position) -> None:
    s = states[0]
    if position.dragon is not None:
        if not position.rules.dragon:
            raise ValueError("the dragon has a place, but it is not in play")
        _check_tile(position, "dragon", position.dragon)
        s.dragon = cell_of(*position.dragon)
    if len(position.flown) > DRAGON_STEPS:
        raise ValueError(f"a flight has {DRAGON_STEPS} steps (PD-10)")
    for k, cell in enumerate(position.flown):
        _check_tile(position, "dragon in its flight", cell)
        s.flown[k] = cell_of(*cell)
    s.n_flown = len(position.flown)


def _check_dragon(_: npt.NDArray[Any], position: Position, n_legal: int) -> None:
    if position.phase == Phase.FLIGHT and n_legal == 0:
        raise ValueError("the dragon can fly no further (PD-13)")


DRAGON = System(
    name="princess-dragon",
    is_on=lambda rules: rules.dragon,
    switches=("dragon", "dragon_timing", "dragon_tiles_before_volcano", "house_wagon_safe"),
    questions=(
        Question(Phase.FLIGHT, "flies", "MOVE THE DRAGON", "all in turn, the turn player first"),
    ),
    actions=(
        Actions(
            Block.DRAGON,
            "the dragon to its side neighbour N, E, S, W",
            lambda _: len(STEPS),
            _step,
            Anchor.DRAGON,
        ),
    ),
    planes=(
        Planes(
            Plane.DRAGON,
            ("dragon", "flown"),
            "the tile that the dragon is on; those that it has been on in this flight",
        ),
    ),
    numbers=lambda _: ("steps flown",),
    meanings=(("steps flown", "steps of the flight that is going on, as a share of six"),),
    set_switches=_set_dragon_switches,
    text=Text(("dragon", "flight"), _read_dragon, _write_dragon),
    record=Record(_dragon_of, _set_dragon),
    check=_check_dragon,
)


# The fairy.


ON_TOP = " top"
"""What stands behind its cell when it is beside the meeple on its tower."""


def _to_meeple(k: int, _: Rules) -> Choice:
    return Choice("fairy", (0, 0), spot=Spot(k))


def _set_fairy_switches(record: Any, rules: Rules) -> None:
    record.fairy = rules.fairy
    record.fairy_on_tile = rules.fairy and rules.fairy_placement == "on_tile"
    record.fairy_in_castle = rules.fairy and rules.lets_fairy_into_castles
    record.fairy_on_tower = rules.lets_fairy_onto_towers


def _read_fairy(page: Page) -> Fields:
    if not (found := page.find("fairy")):
        return {}
    line, text = found
    cell = text.removesuffix(ON_TOP)
    if re.fullmatch(CELL, cell):
        return {"fairy": parse_cell(cell), "fairy_on_top": cell != text}
    x, y, spot = parse_segment(text, line)
    return {"fairy": (x, y), "fairy_beside": spot}


def _write_fairy(position: Position) -> Iterator[str]:
    if position.fairy is not None:
        beside = position.fairy_beside
        place = None if beside is None else (*position.fairy, beside)
        where = format_cell(position.fairy) if place is None else format_segment(place)
        yield f"fairy {where}{ON_TOP * position.fairy_on_top}"


def _fairy_of(states: npt.NDArray[Any], i: int) -> Fields:
    s = states[i]
    figure = int(s.fairy_figure)
    beside = None if figure == NO_FIGURE else place_of(s, int(s.figures[figure].segment))[1]
    return {
        "fairy": _cell(int(s.fairy)),
        "fairy_beside": beside,
        "fairy_on_top": bool(s.fairy_top),
    }


def _set_fairy(states: npt.NDArray[Any], position: Position) -> None:
    s, cell = states[0], position.fairy
    if cell is None:
        return
    if not position.rules.fairy:
        raise ValueError("the fairy has a place, but it is not in play")
    _check_tile(position, "fairy", cell)
    s.fairy = cell_of(*cell)
    if position.fairy_on_top:
        _set_on_top(s, position, cell)
        return
    if position.fairy_beside is None:
        return
    place = (*cell, position.fairy_beside)
    where = f"fairy at {format_segment(place)}"
    if position.rules.fairy_placement == "on_tile":
        raise ValueError(f"{where}: the fairy stands on a tile, beside nobody (PD-31)")
    segment = segment_at(s, position, place, where)[1]
    beside = [
        figure
        for figure in (s.figures["segment"] == segment).nonzero()[0].tolist()
        if segment != NO_SEGMENT and FIGURE_SLOTS[figure % SLOTS_PER_SEAT] < N_MEEPLES
    ]
    if not beside:
        raise ValueError(f"{where}: no meeple stands there")
    s.fairy_figure = beside[0]


def _set_on_top(s: Any, position: Position, cell: Cell) -> None:
    """Put the fairy beside the meeple on a tower."""
    rules, where = position.rules, f"fairy at {format_cell(cell)}{ON_TOP}"
    if not rules.lets_fairy_onto_towers or rules.fairy_placement == "on_tile":
        raise ValueError(f"{where}: it does not stand beside meeples on towers (PD-42)")
    if (*cell, True) not in {(t.x, t.y, t.seat is not None) for t in position.towers}:
        raise ValueError(f"{where}: no meeple stands on a tower there")
    s.fairy_top = 1


FAIRY = System(
    name="princess-dragon",
    is_on=lambda rules: rules.fairy,
    switches=("fairy", "fairy_placement", "fairy_in_castle", "fairy_on_tower"),
    actions=(
        Actions(
            Block.FAIRY,
            "the fairy to the meeple on a spot of the chosen tile",
            lambda _: N_SPOTS,
            _to_meeple,
            Anchor.CHOSEN,
        ),
        Actions(
            Block.FAIRY_TOP,
            "the fairy to the meeple on the tower of the chosen tile",
            choice=lambda _, __: Choice("fairy top", (0, 0)),
            anchor=Anchor.CHOSEN,
            when=lambda rules: rules.lets_fairy_onto_towers,
        ),
    ),
    planes=(
        Planes(
            Plane.FAIRY,
            ("fairy",),
            "the tile that the fairy is on",
            f"1, or 2 + the number of the spot of the meeple beside it, {2 + N_SPOTS} on a tower",
        ),
    ),
    set_switches=_set_fairy_switches,
    text=Text(("fairy",), _read_fairy, _write_fairy),
    record=Record(_fairy_of, _set_fairy),
)


# Princesses and portals.


def _set_princess_switches(record: Any, rules: Rules) -> None:
    action = MUST_REMOVE if rules.princess_action == "must" else MAY_REMOVE
    record.princesses = action if rules.princesses else NO_PRINCESS


PRINCESSES = System(
    name="princess-dragon",
    is_on=lambda rules: rules.princesses,
    switches=("princesses", "princess_action"),
    set_switches=_set_princess_switches,
)


def _set_portal_switches(record: Any, rules: Rules) -> None:
    record.portals = rules.portals


PORTALS = System(
    name="princess-dragon",
    is_on=lambda rules: rules.portals,
    switches=("portals",),
    set_switches=_set_portal_switches,
)
