"""King and Robber Baron: markers for completing the largest city and the longest road."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from carc_env.engine import entry
from carc_env.engine.core.codes import LAST_OF_PLACEMENT, Kind, Phase, Stock
from carc_env.engine.core.features import MAX_TOUCHED
from carc_env.position import Position
from carc_env.rules import Rules
from carc_env.sets.king_robber.record import (
    FIFTEEN_FORTY,
    NO_MARKERS,
    PER_FEATURE,
    RUNNING,
    TEN_EACH,
)
from carc_env.systems.declaring import Fields, Record, Supply, System, Text
from carc_env.systems.stock import stock_in_hand
from carc_env.words import SEATS, Page, parse_seat

SCORING = {
    "per_feature": PER_FEATURE,
    "ten_each": TEN_EACH,
    "fifteen_forty": FIFTEEN_FORTY,
    "running": RUNNING,
}
MARKERS = {"king": Stock.KING, "robber": Stock.ROBBER}
"""Name of each marker (as header, position field and supply name) -> its code."""
COMPLETED = {"king": Kind.CITY, "robber": Kind.ROAD}


def _set_switches(record: Any, rules: Rules) -> None:
    record.king_robber = SCORING[rules.king_robber_scoring] if rules.king_robber else NO_MARKERS


def _read(page: Page) -> Fields:
    found = {name: page.find(name) for name in MARKERS}
    return {name: parse_seat(at[1], at[0]) if at else None for name, at in found.items()}


def _write(position: Position) -> Iterator[str]:
    for name in MARKERS:
        if (seat := getattr(position, name)) is not None:
            yield f"{name} {SEATS[seat]}"


def _held(position: Position, seat: int) -> tuple[str, ...]:
    return tuple(name for name in MARKERS if getattr(position, name) == seat)


def _of_record(states: npt.NDArray[Any], i: int) -> Fields:
    held = {name: stock_in_hand(states[i], marker) for name, marker in MARKERS.items()}
    return {name: by_seat.index(1) if any(by_seat) else None for name, by_seat in held.items()}


def _into_record(states: npt.NDArray[Any], position: Position) -> None:
    for name, marker in MARKERS.items():
        seat = getattr(position, name)
        if seat is None:
            continue
        if not position.rules.king_robber:
            raise ValueError(f"a seat has the {name}, but the rules have none")
        if not 0 <= seat < position.rules.n_players:
            raise ValueError(
                f"seat {seat} has the {name}, but there are only {position.rules.n_players} seats"
            )
        states[0].players[seat].stock[marker] = 1


def _check(states: npt.NDArray[Any], position: Position, _: int) -> None:
    """Raise a ``ValueError`` if a marker lacks a holder although a feature was completed.

    The player who completes the first feature keeps the marker until another player takes it.
    """
    if not position.rules.king_robber:
        return
    for name, kind in COMPLETED.items():
        if getattr(position, name) is None and _n_scored(states, position, kind):
            raise ValueError(
                f"nobody has the {name}, although a {kind.name.lower()} was completed: write "
                f"[{name} A] if A has it (KR-02, KR-17)"
            )


def _n_scored(states: npt.NDArray[Any], position: Position, kind: Kind) -> int:
    """Return how many features of a kind are complete and already counted for a marker.

    Those completed by the last placement are not counted yet (KR-14).
    """
    s = states[0]
    n = int(s.completed[kind].n_features)
    if Phase.FIGURE <= position.phase <= LAST_OF_PLACEMENT:
        room = np.zeros(MAX_TOUCHED, np.int64)
        fresh = s.features[np.unique(room[: entry.touched_last(states, 0, room)])]
        n -= int(((fresh["kind"] == kind) & (fresh["n_open"] == 0)).sum())
    return n


KING_ROBBER = System(
    name="king-robber",
    is_on=lambda rules: rules.king_robber,
    switches=("king_robber", "king_robber_scoring"),
    supplies=tuple(
        Supply(marker, name, lambda _: 0, lambda _: 1) for name, marker in MARKERS.items()
    ),
    numbers=lambda _: ("largest city", "longest road"),
    meanings=(
        ("largest city", "tiles of the largest complete city, in tens"),
        ("longest road", "tiles of the longest complete road, in tens"),
    ),
    set_switches=_set_switches,
    markers=_held,
    text=Text(tuple(MARKERS), _read, _write),
    record=Record(_of_record, _into_record),
    check=_check,
)
