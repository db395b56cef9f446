"""The Princess & the Dragon: the fairy."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy.typing as npt

from carc_env.engine.core.codes import (
    FIGURE_SPOTS,
    N_MEEPLES,
    N_SPOTS,
    Block,
    Figure,
    Plane,
    Problem,
)
from carc_env.engine.core.state import FIGURE_SLOTS, NO_FIGURE, NO_SEGMENT, NO_TILE, SLOTS_PER_SEAT
from carc_env.position import Cell, Position
from carc_env.rules import Rules
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
from carc_env.systems.places import cell_if_any, cell_of, check_tile, place_of, segment_at
from carc_env.words import (
    CELL,
    SEATS,
    Page,
    format_cell,
    format_segment,
    parse_cell,
    parse_seat,
    parse_segment,
)

ON_TOP = " top"
"""Text after the fairy's cell if it is beside the meeple on the tower or one in the trap there."""
OF = " of "
"""Text before the meeple's seat, if several seats have a meeple on the spot."""


def _to_meeple(k: int, _: Rules) -> Choice:
    return Choice("fairy", (0, 0), spot=FIGURE_SPOTS[Figure.MEEPLE][k])


def _set_fairy_switches(record: Any, rules: Rules) -> None:
    record.fairy = rules.fairy
    record.fairy_on_tile = rules.fairy and rules.fairy_placement == "on_tile"
    record.fairy_in_castle = rules.fairy and rules.lets_fairy_into_castles
    record.fairy_on_tower = rules.lets_fairy_onto_towers


def _read_fairy(page: Page) -> Fields:
    if not (found := page.find("fairy")):
        return {}
    line, text = found
    place, is_of, seat = text.partition(OF)
    of_seat = parse_seat(seat, line) if is_of else None
    cell = place.removesuffix(ON_TOP)
    if re.fullmatch(CELL, cell):
        return {"fairy": parse_cell(cell), "fairy_on_top": cell != place, "fairy_seat": of_seat}
    x, y, spot = parse_segment(place, line)
    return {"fairy": (x, y), "fairy_beside": spot, "fairy_seat": of_seat}


def _write_fairy(position: Position) -> Iterator[str]:
    if position.fairy is not None:
        beside = position.fairy_beside
        place = None if beside is None else (*position.fairy, beside)
        where = format_cell(position.fairy) if place is None else format_segment(place)
        seat = "" if position.fairy_seat is None else f"{OF}{SEATS[position.fairy_seat]}"
        yield f"fairy {where}{ON_TOP * position.fairy_on_top}{seat}"


def _fairy_of(states: npt.NDArray[Any], i: int) -> Fields:
    s = states[i]
    figure = int(s.fairy_figure)
    beside = seat = None
    if figure != NO_FIGURE:
        segment = int(s.figures[figure].segment)
        beside = place_of(s, segment)[1]
        own = figure // SLOTS_PER_SEAT
        if any(other // SLOTS_PER_SEAT != own for other in _meeples_on(s, segment)):  # XW-05
            seat = own
    if s.fairy_top and _is_trap(s, int(s.fairy)):
        seat = int(s.fairy_top) - 1
    return {
        "fairy": cell_if_any(int(s.fairy)),
        "fairy_beside": beside,
        "fairy_seat": seat,
        "fairy_on_top": bool(s.fairy_top),
    }


def _is_trap(s: Any, cell: int) -> bool:
    """Return whether there is a trap on a cell."""
    return any(tile != NO_TILE and s.tiles[tile].cell == cell for tile in s.traps.tolist())


def _meeples_on(s: Any, segment: int) -> list[int]:
    """Return the meeples on a segment, as indices in the record."""
    return [
        figure
        for figure in (s.figures["segment"] == segment).nonzero()[0].tolist()
        if segment != NO_SEGMENT and FIGURE_SLOTS[figure % SLOTS_PER_SEAT] < N_MEEPLES
    ]


def _set_fairy(states: npt.NDArray[Any], position: Position) -> None:
    s, cell = states[0], position.fairy
    if cell is None:
        return
    if not position.rules.fairy:
        raise ValueError("the fairy has a place, but the rules have no fairy")
    check_tile(position, "fairy", cell)
    s.fairy = cell_of(*cell)
    if position.fairy_on_top:
        _set_on_top(s, position, cell)
        return
    if position.fairy_beside is None:
        if position.fairy_seat is not None:
            raise ValueError("the fairy is beside no meeple, so [fairy ...] cannot name a seat")
        return
    place = (*cell, position.fairy_beside)
    where = f"fairy at {format_segment(place)}"
    if position.rules.fairy_placement == "on_tile":
        raise ValueError(f"{where}: the fairy must stand on a tile, beside no meeple (PD-31)")
    segment = segment_at(s, position, place, where)[1]
    beside = _meeples_on(s, segment)
    if position.fairy_seat is not None:
        beside = [k for k in beside if k // SLOTS_PER_SEAT == position.fairy_seat]
    if not beside:
        raise ValueError(f"{where}: no meeple stands there")
    if len({figure // SLOTS_PER_SEAT for figure in beside}) > 1:
        raise ValueError(
            f"{where}: meeples of several seats stand there, add {OF.strip()} and the seat"
        )
    # Not beside a meeple that joined a lord of its seat from Carcassonne (CAS-37, XW-05).
    s.fairy_figure = min(beside, key=lambda k: s.figures[k].next != NO_FIGURE)


def _set_on_top(s: Any, position: Position, cell: Cell) -> None:
    """Put the fairy beside the meeple on a tower, or beside a seat's meeple in a trap."""
    rules, where = position.rules, f"fairy at {format_cell(cell)}{ON_TOP}"
    if position.fairy_seat is not None:
        if rules.fairy_placement == "on_tile" or not _is_trap(s, cell_of(*cell)):
            raise ValueError(f"{where}{OF}a seat: no trap lies there (RUS-15)")
        s.fairy_top = 1 + position.fairy_seat
        return
    if not rules.lets_fairy_onto_towers or rules.fairy_placement == "on_tile":
        raise ValueError(f"{where}: the rules do not let it stand beside meeples on towers (PD-42)")
    if (*cell, True) not in {(t.x, t.y, t.seat is not None) for t in position.towers}:
        raise ValueError(f"{where}: no meeple stands on a tower there")
    s.fairy_top = 1


def _has_same_fairy(s: Any, rebuilt: Any) -> bool:
    """Return whether the fairy is beside the same meeple; a seat's equal meeples are the same."""
    own, other = int(s.fairy_figure), int(rebuilt.fairy_figure)
    if NO_FIGURE in (own, other):
        return own == other
    same_seat = own // SLOTS_PER_SEAT == other // SLOTS_PER_SEAT
    return same_seat and int(s.figures[own].segment) == int(rebuilt.figures[other].segment)


def _check_fairy(states: npt.NDArray[Any], position: Position, _: int) -> None:
    """Raise a ``ValueError`` if the fairy is on the tile placed last with nobody there yet (PD-44).

    A trap may have caught a figure before the figure action (RUS-09).
    """
    last = position.tiles[-1]
    is_there = position.fairy == (last.x, last.y)
    if is_there and not _is_trap(states[0], cell_of(last.x, last.y)):
        raise ValueError(
            f"the fairy is at {format_cell((last.x, last.y))}, where the last tile was placed: "
            "she can only go to meeples that were there before the figure action (PD-44)"
        )


FAIRY = System(
    name="princess-dragon",
    is_on=lambda rules: rules.fairy,
    switches=("fairy", "fairy_placement", "fairy_in_castle", "fairy_on_tower"),
    actions=(
        Actions(
            Block.FAIRY,
            "move the fairy to the meeple on a spot of the chosen tile",
            lambda rules: len(rules.spots_of(Figure.MEEPLE)),
            _to_meeple,
            Anchor.CHOSEN,
        ),
        Actions(
            Block.FAIRY_TOP,
            "move the fairy to the meeple on the tower of the chosen tile",
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
            f"1, or 2 + the number of the spot of the meeple beside it, {2 + N_SPOTS} on a tower, "
            f"{3 + N_SPOTS} in a trap; more if it belongs to another seat, counted clockwise",
        ),
    ),
    problems={
        Problem.FAIRY: "the fairy is beside no meeple of her tile (PD-31, PD-42)",
    },
    set_switches=_set_fairy_switches,
    text=Text(("fairy",), _read_fairy, _write_fairy),
    record=Record(_fairy_of, _set_fairy, {"fairy_figure": _has_same_fairy}),
    check=_check_fairy,
)
