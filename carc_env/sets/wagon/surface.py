"""Wagons, which move on when their feature has been scored."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from carc_env.engine import entry
from carc_env.engine.core.codes import Block, Figure, Kind, Phase, Plane
from carc_env.engine.core.fields import is_same, members
from carc_env.engine.core.state import NO_CELL, NO_SEGMENT
from carc_env.position import PlacedFigure, Position
from carc_env.rules import Rules
from carc_env.systems.declaring import (
    Actions,
    Anchor,
    Choice,
    Fields,
    Planes,
    Question,
    Record,
    Stance,
    System,
    Text,
)
from carc_env.systems.places import cell_of, coordinates_of, named, segment_at, segment_under
from carc_env.words import (
    SEATS,
    NotationError,
    Page,
    format_segment,
    parse_seat_and_segment,
    parse_segment,
)

N_CELLS = 9


def _move(k: int, rules: Rules) -> Choice:
    spots = rules.spots_of(Figure.WAGON)
    cell, place = divmod(k, len(spots))
    return Choice("wagon move", (cell % 3 - 1, cell // 3 - 1), spot=spots[place])


def _set_wagon_switches(record: Any, rules: Rules) -> None:
    record.wagon_links = rules.wagon_range == "C1"
    record.wagon_rolls = rules.house_wagon_roll
    record.wagon_neighbours = rules.wagon_from_castle == "neighbours"


def _read_wagons(page: Page) -> Fields:
    wagons = tuple(_parse_wagon(text, line) for line, text in page.listed("wagons"))
    rolled = tuple(parse_segment(text, line) for line, text in page.listed("rolled"))
    moves = page.phase in (Phase.WAGON, Phase.WAGON_SPOT)
    if moves != bool(wagons) and page.phase not in (Phase.CASTLE_CHOICE, Phase.SHARE):
        raise NotationError(
            page.turn_line, "[wagons ...] goes with a turn that moves: write both, or neither"
        )
    asked = {"decider": wagons[0].seat} if moves else {}
    return {"wagons": wagons, "rolled": rolled, **asked}


def _parse_wagon(text: str, line: int) -> PlacedFigure:
    seat, place = parse_seat_and_segment(text, line)
    return PlacedFigure(seat, Figure.WAGON, *place)


def _write_wagons(position: Position) -> Iterator[str]:
    if position.wagons:
        waiting = [f"{SEATS[w.seat]} {format_segment((w.x, w.y, w.spot))}" for w in position.wagons]
        yield f"wagons {', '.join(waiting)}"
    if position.rolled:
        yield f"rolled {', '.join(map(format_segment, position.rolled))}"


def _wagons_of(states: npt.NDArray[Any], i: int) -> Fields:
    s = states[i]
    n_players, cell = int(s.rules.n_players), int(s.wagon_cell)
    clockwise = [(int(s.turn_player) + k) % n_players for k in range(n_players)]
    scored = [(seat, int(s.players[seat].wagon_from)) for seat in clockwise]
    return {
        "wagons": tuple(
            PlacedFigure(seat, Figure.WAGON, *named(s, segment))
            for seat, segment in scored
            if segment != NO_SEGMENT
        ),
        "wagon_target": None if cell == NO_CELL else coordinates_of(cell),
        "rolled": tuple(
            named(s, int((s.segments["feature"] == feature).argmax()))
            for feature in members(s.rolled).tolist()
        ),
    }


def _set_wagons(states: npt.NDArray[Any], position: Position) -> None:
    s = states[0]
    if position.wagons and not position.rules.wagons:
        raise ValueError("wagons wait, but the rules have none")
    if len({wagon.seat for wagon in position.wagons}) < len(position.wagons):
        raise ValueError("two wagons of the same seat wait, but each seat has only one")
    for wagon in position.wagons:
        s.players[wagon.seat].wagon_from = segment_under(s, position, wagon)[1]
    if position.wagon_target is not None:
        if position.wagon_target not in {(tile.x, tile.y) for tile in position.tiles}:
            raise ValueError(
                f"no tile lies at {position.wagon_target}, which was chosen for the wagon"
            )
        s.wagon_cell = cell_of(*position.wagon_target)
    moves = position.phase in (Phase.WAGON, Phase.WAGON_SPOT)
    if position.rolled and not (position.rules.house_wagon_roll and moves):
        raise ValueError(
            "no wagon rolls, but [rolled ...] names features that it has left (HOUSE-01)"
        )
    for place in position.rolled:
        where = f"wagon that has rolled over {format_segment(place)}"
        entry.roll_over(states, 0, segment_at(s, position, place, where)[1])


def _has_rolled_the_same(s: Any, rebuilt: Any) -> bool:
    """Return whether the moving wagon has left the same features."""
    own, other = members(s.rolled), members(rebuilt.rolled)
    is_named_by_number = is_same(s.segments["feature"][own], own)
    return is_named_by_number and is_same(np.unique(rebuilt.segments["feature"][own]), other)


def _check_scored(states: npt.NDArray[Any], position: Position) -> None:
    """Raise a ``ValueError`` unless a wagon moves from a scored feature or a castle.

    A switch also allows it to leave a building that lost a challenge.
    """
    s = states[0]
    for wagon in position.wagons:
        segment = segment_under(s, position, wagon)[1]
        feature = s.features[int(s.segments[segment].feature)]
        has_lost = feature.kind == Kind.MONASTERY and position.rules.challenge_loser_wagon
        if feature.n_open > 0 and not has_lost:
            where = format_segment((wagon.x, wagon.y, wagon.spot))
            raise ValueError(
                f"[wagons {SEATS[wagon.seat]} {where}]: its feature is not complete, so it was "
                "not scored (WAG-04)"
            )


def _check_wagons(states: npt.NDArray[Any], position: Position, n_legal: int) -> None:
    _check_scored(states, position)
    if position.phase == Phase.WAGON_SPOT and not entry.chooses_cell(states, 0):
        raise ValueError(
            "a cell is chosen for a wagon only under wagon_adjacency='C1', or from a castle "
            "under wagon_from_castle='neighbours' or castle_fief='row'"
        )
    if n_legal < {Phase.WAGON: 2, Phase.WAGON_SPOT: 1}.get(position.phase, 0):
        raise ValueError("the wagon has nowhere to go")


WAGONS = System(
    name="wagon",
    is_on=lambda rules: rules.wagons,
    switches=("wagons", "wagon_adjacency", "wagon_from_castle", "house_wagon_roll"),
    figures={Figure.WAGON: Stance("the road or city at a side, or on the monastery")},
    questions=(
        Question(
            Phase.WAGON,
            "moves",
            "MOVE THE WAGON",
            "owner of a scored wagon",
            passing="home",
            asks="Your wagon was scored: to which tile does it move, or does it go home?",
        ),
        Question(
            Phase.WAGON_SPOT,
            "moves to",
            "PLACE THE WAGON",
            "owner of a scored wagon",
            about="wagon_target",
            asks="Where on that tile does your wagon stand?",
        ),
    ),
    actions=(
        Actions(
            Block.WAGON_MOVE,
            "move a scored wagon to a side or the centre of one of the 3 x 3 cells around it",
            lambda rules: N_CELLS * len(rules.spots_of(Figure.WAGON)),
            _move,
            Anchor.WAGON,
            "wagon",
        ),
    ),
    planes=(
        Planes(
            Plane.WAGON,
            ("wagon from", "wagon to"),
            "the tile that the moving wagon comes from; the tile chosen for it",
        ),
    ),
    set_switches=_set_wagon_switches,
    text=Text(("wagons", "rolled"), _read_wagons, _write_wagons),
    record=Record(_wagons_of, _set_wagons, {"rolled": _has_rolled_the_same}),
    check=_check_wagons,
)
